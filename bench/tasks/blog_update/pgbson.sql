\set id random(1, 100)
\set rating random(0, 1000000)
UPDATE docs SET data = jsonb_set(data::jsonb, '{rating}', to_jsonb(:rating))::bson WHERE id = :id;
