SELECT json_array_length(data->'friends') FROM docs;
