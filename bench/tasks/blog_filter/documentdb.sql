SELECT id, data->>'title' FROM docs WHERE data->>'author' = 'author7@example.org';
