SELECT bson_get_value(data, 'friends.' || (:friends / 2) || '.registered') FROM docs;
