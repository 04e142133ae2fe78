SELECT i AS id, bench.same_kind(i, ':kind', 1000) AS data FROM generate_series(1, :rows) AS i
