SELECT i AS id, bench.event(i) AS data FROM generate_series(1, :rows) AS i
