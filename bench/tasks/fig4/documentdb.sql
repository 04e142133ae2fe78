SELECT bson_get_value(data, 'friends.25.registered') FROM docs;
