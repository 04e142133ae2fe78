package command

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"bson.example/bsond/session"
)

// metrics count commands, by name and by the code of their error
type metrics struct {
	mu       sync.Mutex
	commands map[string]tally
	errors   map[string]int64
}

type tally struct {
	n       int64
	seconds float64
}

func (m *metrics) count(name, failed string, took time.Duration) {
	if handlers[name] == nil {
		name = "unknown" // clients choose names, and memory for them has a bound
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.commands == nil {
		m.commands, m.errors = map[string]tally{}, map[string]int64{}
	}
	c := m.commands[name]
	m.commands[name] = tally{c.n + 1, c.seconds + took.Seconds()}
	if failed != "" {
		m.errors[failed]++
	}
}

// Pages are /metrics, in the form that Prometheus reads, and /health, which asks PostgreSQL.
func (s *Server) Pages() http.Handler {
	pages := http.NewServeMux()
	pages.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
		defer cancel()
		c, err := s.PG.Own.Acquire(ctx)
		if err == nil {
			_, err = c.Exec(ctx, "SELECT")
			c.Release(ctx.Err() != nil)
		}
		if err != nil {
			http.Error(w, "PostgreSQL does not answer", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	pages.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		one := func(name, kind string, value any) {
			fmt.Fprintf(w, "# TYPE bsond_%s %s\nbsond_%s %v\n", name, kind, name, value)
		}
		open, idle, waiting := s.PG.Stats()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		one("clients", "gauge", s.Clients.Load())
		one("postgres_connections", "gauge", open)
		one("postgres_connections_idle", "gauge", idle)
		one("postgres_waiting", "gauge", waiting)
		one("cursors", "gauge", len(s.cursors.Of(nil)))
		one("transactions", "gauge", s.transactions.Open())
		one("memory_bytes", "gauge", memory.Sys)
		s.metrics.mu.Lock()
		defer s.metrics.mu.Unlock()
		fmt.Fprintln(w, "# TYPE bsond_commands_total counter\n# TYPE bsond_command_seconds_total counter\n# TYPE bsond_errors_total counter")
		for _, name := range slices.Sorted(maps.Keys(s.metrics.commands)) {
			c := s.metrics.commands[name]
			fmt.Fprintf(w, "bsond_commands_total{command=%q} %d\nbsond_command_seconds_total{command=%q} %s\n", name, c.n, name, strconv.FormatFloat(c.seconds, 'f', 6, 64))
		}
		for _, code := range slices.Sorted(maps.Keys(s.metrics.errors)) {
			fmt.Fprintf(w, "bsond_errors_total{code=%q} %d\n", code, s.metrics.errors[code])
		}
	})
	return pages
}

// Spool takes the connection of a cursor, where a role has none left.
func (s *Server) Spool(pool *session.Pool) {
	s.transactions.Sweep(&s.cursors)
	if err := s.cursors.Spool(pool); err != nil {
		s.Log.Warn("the rows of a cursor could not be put aside", "error", err)
	}
}

// Close ends the cursors and transactions that clients have left.
func (s *Server) Close() {
	s.transactions.Close(&s.cursors)
	for _, id := range s.cursors.Of(nil) {
		s.cursors.Kill(nil, id)
	}
}
