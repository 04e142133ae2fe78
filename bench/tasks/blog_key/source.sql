SELECT i AS id, bench.blog(i, 10, 10) AS data FROM generate_series(1, 100) AS i
