-- If this fails, the text of a statement for a command of MongoDB is another one where the query that asks for it is parallel.
CREATE TABLE texts (data bson);
CREATE UNIQUE INDEX ON texts ((data -> '_id'));
CREATE VIEW text_of AS SELECT bson_pipeline_sql('texts', '[{"$match": {"a": 1}}, {"$group": {"_id": "$b", "n": {"$sum": 1}}}]') AS pipeline,
  bson_find_sql('texts', '{"a": 1}') AS find, bson_update_sql('texts', '{"a": 1}', '{"$inc": {"b": 1}}') AS update, bson_delete_sql('texts', '{"a": 1}') AS delete,
  bson_find_and_modify_sql('texts', '{"query": {"a": 1}, "remove": true}') AS find_and_modify, bson_distinct_sql('texts', '{}', 'a') AS distinct, bson_count_sql('texts', '{"a": 1}') AS count;
CREATE TEMP TABLE plain AS SELECT key, value FROM text_of AS t, jsonb_each_text(to_jsonb(t));
-- a setting whose name changed in PostgreSQL 16
SELECT count(set_config(name, 'on', false)) AS set FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT count(*) AS texts, count(*) FILTER (WHERE p.value = t.value) AS same
  FROM plain AS p JOIN (SELECT key, value FROM text_of AS t, jsonb_each_text(to_jsonb(t))) AS t USING (key);
SELECT count(set_config(name, 'off', false)) AS set FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
DROP VIEW text_of;
DROP TABLE texts;
