SELECT jsonb_array_length(bson_get_jsonb_array(data, 'friends')) FROM docs;
