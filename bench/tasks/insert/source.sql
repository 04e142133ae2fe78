SELECT 1 AS id, bench.nested(1, :levels, :bytes) AS data
