\set id random(1, 100)
\set rating random(0, 1000000)
UPDATE docs SET data = jsonb_set(data, '{rating}', to_jsonb(:rating)) WHERE id = :id;
