SELECT data->'friends'->(:friends / 2)->'registered' FROM docs;
