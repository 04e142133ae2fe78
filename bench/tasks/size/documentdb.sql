SELECT round(avg(pg_column_size(data))) FROM docs;
