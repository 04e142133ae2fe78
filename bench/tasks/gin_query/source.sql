SELECT row_number() OVER () AS id, data FROM bench.documents(':documents', :rows) AS data
