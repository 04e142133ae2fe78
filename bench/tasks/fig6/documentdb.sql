SELECT bson_get_value(data, 'key0500') FROM docs;
