SELECT bson_get_boolean(data, 'friends.' || (:friends / 2) || '.registered') FROM docs;
