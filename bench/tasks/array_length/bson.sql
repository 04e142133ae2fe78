SELECT bson_array_length(data->'friends') FROM docs;
