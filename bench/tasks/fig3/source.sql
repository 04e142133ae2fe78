SELECT i AS id, bench.figure2(i, :friends) AS data FROM generate_series(1, :rows) AS i
