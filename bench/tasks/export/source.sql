SELECT i AS id, bench.figure2(i, 238) AS data FROM generate_series(1, :rows) AS i
