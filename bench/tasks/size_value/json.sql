SELECT pg_column_size(':value'::json);
