SELECT bson_as_text(data, 'url'), bson_get_bson(data, 'actor') FROM docs WHERE bson_get_string(data, 'type') = 'PushEvent';
