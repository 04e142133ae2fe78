-- a boolean it finds, but does not print: NULL
SELECT bson_as_text(data, 'key0500') FROM docs;
