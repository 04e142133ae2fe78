SELECT bson_get_value(data, replace(':path', ',', '.')) FROM docs;
