-- What every client is to read and to write back, and where it puts what it has read: beside the package's tests, in
-- the table of doc/drivers.md.  "name" is what the page says; row 0 is NULL, row 1000 an array, row 1001 is for COPY.
SET client_min_messages = warning;
DROP TABLE IF EXISTS conformance, conformance_result;
CREATE TABLE conformance (id int PRIMARY KEY, name text, data bson, list bson[]);
CREATE TABLE conformance_result (client text, id int, data bson, list bson[], error text, PRIMARY KEY (client, id));
INSERT INTO conformance VALUES (0, 'NULL', NULL, NULL), (1000, '`bson[]` with NULL, an array and a scalar in it', NULL, ARRAY['{"a": {"$numberLong": "1"}}', NULL, '[1, "x"]', '5']::bson[]),
    (1001, '`COPY`', '{"a": {"$numberLong": "1"}}', NULL);
INSERT INTO conformance (id, name, data)
SELECT row_number() OVER (), name, data FROM (VALUES
    ('object', '{"v": {"a": {"b": [1, {"c": []}], "d": {}}}}'::bson), ('object of no fields', '{}'), ('100 levels', (repeat('{"v":', 100) || '1' || repeat('}', 100))::bson),
    ('keys such as `""`, `a.b`, `$a`', '{"v": {"": 1, "a.b": 2, "$a": 3, "é": 4}}'), ('array', '{"v": [1, [2, []]]}'),
    ('int', '{"v": [0, 15, -2147483648]}'), ('long within 32 bits', '{"v": {"$numberLong": "15"}}'), ('long', '{"v": [9007199254740993, -9223372036854775808]}'),
    ('double', '{"v": [1.5, 0.1, 1e300, 5e-324]}'), ('double, whole', '{"v": 15.0}'), ('double, large and whole', '{"v": 1e15}'), ('double, -0', '{"v": -0.0}'),
    ('double, NaN', '{"v": {"$numberDouble": "NaN"}}'), ('double, infinite', '{"v": [{"$numberDouble": "Infinity"}, {"$numberDouble": "-Infinity"}]}'),
    ('double, NaN with other bits', '\x10000000017600010000000000f87f00'),
    ('decimal', '{"v": [{"$numberDecimal": "1.10"}, {"$numberDecimal": "9999999999999999999999999999999999E+6111"}]}'), ('decimal, NaN and infinite', '{"v": [{"$numberDecimal": "NaN"}, {"$numberDecimal": "-Infinity"}]}'),
    ('string', '{"v": ["", "text", "it''s \\ \" é 😀"]}'), ('string with U+0000', '{"v": "a\u0000b"}'), ('string of digits and braces', '{"v": "{\"n\": 12345678901234, 15.0}"}'),
    ('bool', '{"v": [true, false]}'), ('null', '{"v": null}'), ('undefined', '{"v": {"$undefined": true}}'), ('objectId', '{"v": {"$oid": "5f2b1c3d4e5f60718293a4b5"}}'),
    ('date', '{"v": [{"$date": "2022-03-03T12:13:14.789Z"}, {"$date": "1970-01-01T00:00:00Z"}]}'), ('date before 1970', '{"v": {"$date": {"$numberLong": "-1"}}}'),
    ('date beyond the year 9999', '{"v": {"$date": {"$numberLong": "253402300800000"}}}'), ('date, the last', '{"v": {"$date": {"$numberLong": "9223372036854775807"}}}'),
    ('binData', '{"v": [{"$binary": {"base64": "AAH/", "subType": "00"}}, {"$binary": {"base64": "", "subType": "00"}}]}'), ('binData, UUID', '{"v": {"$binary": {"base64": "ABEiM0RVZneImaq7zN3u/w==", "subType": "04"}}}'),
    ('binData, the old UUID', '{"v": {"$binary": {"base64": "ABEiM0RVZneImaq7zN3u/w==", "subType": "03"}}}'), ('binData, of a user''s type', '{"v": {"$binary": {"base64": "AAH/", "subType": "80"}}}'),
    ('binData, the old form', '\x1400000005760007000000020300000001020300'), ('regex', '{"v": {"$regularExpression": {"pattern": "^a/\"", "options": "im"}}}'),
    ('regex, options out of order', '\x0d0000000b7600610078690000'), ('timestamp', '{"v": {"$timestamp": {"t": 4294967295, "i": 7}}}'), ('code', '{"v": {"$code": "x()"}}'),
    ('code with scope', '{"v": {"$code": "x()", "$scope": {"a": {"$numberLong": "1"}}}}'), ('symbol', '{"v": {"$symbol": "s"}}'),
    ('dbPointer', '{"v": {"$dbPointer": {"$ref": "c", "$id": {"$oid": "5f2b1c3d4e5f60718293a4b5"}}}}'), ('minKey, maxKey', '{"v": [{"$minKey": 1}, {"$maxKey": 1}]}'),
    ('object that looks like an ObjectId', bson_build_object('v', bson_build_object('$oid', '5f2b1c3d4e5f60718293a4b5'::text))), ('object with `$ref` and `$id`', '{"v": {"$ref": "c", "$id": 1, "x": 2}}'),
    ('array whose keys are not 0, 1, …', '\x140000000476000c000000103500010000000000'), ('a key twice', '\x13000000106100010000001061000200000000'),
    ('not an object: array', '[1, "x", {"a": 1}]'), ('not an object: int', '5'), ('not an object: long', '{"$numberLong": "5"}'), ('not an object: double, whole', '5.0'), ('not an object: string', '"text"'),
    ('not an object: date', '{"$date": "2022-03-03T12:13:14.789Z"}'), ('not an object: null', 'null'), ('object `{"": 1}`', '{"": 1}')) AS v (name, data);

-- What every way in is to write, as the document of a program: row '' is the document, the clients add one for each way, and then set "language".
-- The _id is not the first field, and "document of another class" is one that is no dict, Document and so on in the program.
DROP TABLE IF EXISTS conformance_way;
CREATE TABLE conformance_way (way text PRIMARY KEY, data bson, language text);
INSERT INTO conformance_way (way, data) VALUES ('', '{"string": "it''s \\ \" é", "string of digits": "15", "string of JSON": "{\"a\": 1}", "int": 15, "long within 32 bits": {"$numberLong": "15"}, "long": 9007199254740993,
    "double": 1.5, "whole double": 15.0, "decimal": {"$numberDecimal": "1.10"}, "bool": true, "null": null, "objectId": {"$oid": "5f2b1c3d4e5f60718293a4b5"}, "date": {"$date": "2022-03-03T12:13:14.789Z"},
    "binData": {"$binary": {"base64": "AAH/", "subType": "00"}}, "UUID": {"$binary": {"base64": "ABEiM0RVZneImaq7zN3u/w==", "subType": "04"}}, "regex": {"$regularExpression": {"pattern": "^a", "options": "i"}},
    "timestamp": {"$timestamp": {"t": 1, "i": 7}}, "code": {"$code": "x()"}, "minKey": {"$minKey": 1}, "document": {"_id": 1, "a": {"date": {"$date": "2022-03-03T12:13:14.789Z"}}},
    "array": [1, [{"$numberLong": "3"}, {"a": {"$numberDecimal": "1.10"}}]], "document of another class": {"b": {"$numberLong": "1"}}, "_id": {"$oid": "5f2b1c3d4e5f60718293a4b5"}}');
