SELECT count(*) FROM docs WHERE data::jsonb @> ':part';
