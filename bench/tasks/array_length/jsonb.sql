SELECT jsonb_array_length(data->'friends') FROM docs;
