SELECT data->'key0500' FROM docs;
