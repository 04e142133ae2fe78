package pgbson_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

type order struct {
	ID       int
	Total    float64
	Note     *string
	Tags     []string
	Customer struct{ Name, Email, Zip, City string }
	Items    []struct {
		SKU, Name string
		Quantity  int
		Price     float64
		Gift      bool
	}
}

func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// How long this process takes to fetch and decode the documents of test/clients/speed.sql, beside the driver's own jsonb
func TestSpeed(t *testing.T) {
	if os.Getenv("SPEED") == "" {
		t.Skip("SPEED is not set")
	}
	ctx := context.Background()
	const count = 10000
	report := func(name string, mode pgx.QueryExecMode, target func() any) {
		conn := connect(t, mode)
		columns := []string{"data", "plain", "extended"}
		best := []float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}
		for turn := 0; turn < 5; turn++ {
			for i, column := range columns {
				begin := processor()
				rows, err := conn.Query(ctx, "SELECT "+column+" FROM speed")
				check(t, err)
				for rows.Next() {
					check(t, rows.Scan(target()))
				}
				check(t, rows.Err())
				best[i] = math.Min(best[i], float64((processor()-begin).Nanoseconds())/1000/count)
			}
		}
		fmt.Printf("speed | %s | %.1f | %.1f | %.2f | %.1f |\n", name, best[0], best[1], best[0]/best[1], best[2])
	}
	report("pgx, a struct", pgx.QueryExecModeCacheStatement, func() any { return new(order) })
	report("pgx, `map[string]any`", pgx.QueryExecModeCacheStatement, func() any { return new(map[string]any) })
}
