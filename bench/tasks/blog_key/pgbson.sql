\set id random(1, 100)
SELECT data FROM docs WHERE id = :id;
