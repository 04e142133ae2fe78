SELECT data->'friends'->25->'registered' FROM docs;
