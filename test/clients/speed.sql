-- What the programs speed.* of the clients read: orders of about 1 kB, the same as bson and as jsonb, as JSON can hold
-- them; "extended" has an ObjectId, a date and a decimal besides, and no jsonb.
SET client_min_messages = warning;
DROP TABLE IF EXISTS speed;
CREATE TABLE speed (id int PRIMARY KEY, data bson, plain jsonb, extended bson);
INSERT INTO speed (id, plain)
SELECT n, jsonb_build_object('id', n, 'customer', jsonb_build_object('name', 'Ada Lovelace ' || n, 'email', 'ada' || n || '@example.com', 'zip', '0150', 'city', 'Oslo'),
        'created', '2024-03-03T12:13:14Z', 'paid', n % 3 = 0, 'note', CASE WHEN n % 4 = 0 THEN NULL ELSE repeat('Please ring twice. ', n % 8) END,
        'total', (n % 9973) / 100.0, 'tags', jsonb_build_array('new', 'express', 'tag' || n % 17),
        'items', (SELECT jsonb_agg(jsonb_build_object('sku', 'A-' || n % 997 || '-' || i, 'name', 'Item ' || i || ' of the order', 'quantity', i, 'price', 19.9 + i, 'gift', i % 2 = 0)) FROM generate_series(1, 8) i))
  FROM generate_series(1, 10000) n;
UPDATE speed SET data = plain::text::bson,
       extended = bson_build_object('_id', bson_objectid(), 'placed', timestamptz '2024-03-03 12:13:14+00', 'exact', 12.50) || plain::text::bson;
VACUUM ANALYZE speed;
