SELECT data->'url', data->'actor' FROM docs WHERE data->>'type' = 'PushEvent';
