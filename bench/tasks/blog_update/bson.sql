\set id random(1, 100)
\set rating random(0, 1000000)
UPDATE docs SET data = bson_set(data, '{rating}', to_bson(:rating)) WHERE id = :id;
