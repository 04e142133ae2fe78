SELECT bson_get_boolean(data, 'friends.25.registered') FROM docs;
