SELECT pg_column_size(':value'::jsonb);
