\set id random(1, 100)
\set rating random(0, 1000000)
-- json has no function for this
UPDATE docs SET data = jsonb_set(data::jsonb, '{rating}', to_jsonb(:rating))::json WHERE id = :id;
