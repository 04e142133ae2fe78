SELECT i AS id, bench.wide(i) AS data FROM generate_series(1, :rows) AS i
