package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"time"

	"bson.example/bsond/session"
	"github.com/VictoriaMetrics/metrics"
)

// tallies are how many commands of each name there were, and how long they took
var tallies = map[string]tallied{}

type tallied struct {
	count   *metrics.Counter
	seconds *metrics.FloatCounter
}

func init() {
	for _, name := range append(slices.Collect(maps.Keys(commands)), "unknown") {
		tallies[name] = tallied{metrics.NewCounter(fmt.Sprintf("bsond_commands_total{command=%q}", name)), metrics.NewFloatCounter(fmt.Sprintf("bsond_command_seconds_total{command=%q}", name))}
	}
}

// tally counts a command, and the code of its error
func tally(name, failed string, took time.Duration) {
	t, known := tallies[name]
	if !known {
		t = tallies["unknown"] // clients choose names, and memory for them has a bound
	}
	t.count.Inc()
	t.seconds.Add(took.Seconds())
	if failed != "" {
		metrics.GetOrCreateCounter(fmt.Sprintf("bsond_errors_total{code=%q}", failed)).Inc()
	}
}

// Pages are /metrics, in the form that Prometheus reads, and /health, which asks PostgreSQL.
func (s *Server) Pages() http.Handler {
	metrics.ExposeMetadata(true)
	pages := http.NewServeMux()
	pages.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
		defer cancel()
		if err := s.PG.Own.With(ctx, func(c *session.Conn) error { return c.Script(ctx, "SELECT") }); err != nil {
			http.Error(w, "PostgreSQL does not answer", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	pages.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		open, idle, waiting := s.PG.Stats()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		for name, value := range map[string]int{"clients": int(s.Clients.Load()), "postgres_connections": open, "postgres_connections_idle": idle, "postgres_waiting": waiting,
			"cursors": s.cursors.Open(), "transactions": s.transactions.Open(), "memory_bytes": int(memory.Sys)} {
			metrics.WriteGaugeUint64(w, "bsond_"+name, uint64(value))
		}
		metrics.WritePrometheus(w, false)
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
	s.transactions.Close(&s.cursors, "")
	s.cursors.End(func(*session.Cursor) bool { return true })
}

// Every does what has to be done every so often, until the context ends, and tells of an error that was not there the last time.
func (s *Server) Every(ctx context.Context, pause time.Duration, failed string, work func(context.Context) error) {
	for last := ""; ; {
		if err := work(ctx); err == nil {
			last = ""
		} else if ctx.Err() == nil && err.Error() != last {
			last = err.Error()
			s.Log.WarnContext(ctx, failed, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// Expire deletes what expires by an index with expireAfterSeconds.
func (s *Server) Expire(ctx context.Context) (failed error) {
	for _, pool := range s.PG.Pools(s.Auth) {
		if err := pool.With(ctx, func(c *session.Conn) error { return expire(ctx, c) }); err != nil {
			failed = errors.Join(failed, fmt.Errorf("role %s: %w", pool.Role, err))
		}
	}
	return failed
}

// expire deletes in tables of the role's own, as others can leave code in theirs, which would run with its rights
func expire(ctx context.Context, c *session.Conn) error {
	r := &Request{ctx: ctx, conn: c}
	// by a query, which an index on the field serves; as in MongoDB, the earliest date of an array counts
	return caught(func() {
		r.made(`SELECT #bson_delete_sql(indrelid::regclass, (SELECT coalesce(#bson_agg(p), '[]') FROM (SELECT #bson_build_object('$and', #bson_build_array(
				#bson_build_object(k, #bson_build_object('$lt', #to_bson(now() - make_interval(secs => seconds)))), coalesce(spec OPERATOR(#->) 'partialFilterExpression', '{}'))) AS p) AS q) OPERATOR(#->) 0, '{"multi": true}')
			FROM (SELECT indrelid, #bson_note(text) AS spec FROM (SELECT indrelid, obj_description(indexrelid, 'pg_class') AS text FROM pg_index JOIN pg_class AS c ON c.oid = indrelid
				WHERE relkind = 'r' AND pg_get_userbyid(relowner) = session_user) AS i WHERE text LIKE '{%"expireAfterSeconds"%') AS s,
				LATERAL (SELECT key AS k FROM #bson_each(spec OPERATOR(#->) 'key') LIMIT 1) AS e, LATERAL (SELECT #bson_get_float8(spec, 'expireAfterSeconds') AS seconds) AS f
			WHERE seconds BETWEEN 0 AND 2147483647`)
	})
}
