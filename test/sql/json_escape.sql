-- If this fails, an escape in JSON text is read as another character than it names.

-- json-c joins a surrogate pair, then takes the result for a lone surrogate if its low 16 bits are one's
SELECT encode(bson_in(('"' || escape || '"')::cstring)::bytea, 'hex') AS bytes, escape
FROM (VALUES ('\ud83d\ude00'), ('\ud800\udc00'), ('\udbff\udfff'),
             ('\ud836\udc00'), ('\ud837\udfff'), ('\ud977\udc7f'), ('\udbf7\udde3')) s (escape);
SELECT '{"k\ud977\udc7f": ["\ud836\udc00\ud83d\ude00a\ud837\udfff", "\ud836\udc00"]}'::bson::bytea
     = bson_in(('{"k' || U&'\+06DC7F' || '": ["' || U&'\+01D800' || U&'\+01F600' || 'a' || U&'\+01DFFF' || '", "' || U&'\+01D800' || '"]}')::cstring)::bytea AS same;

-- lone surrogates are errors
SELECT '"\ud800"'::bson;            -- ERROR, nothing follows
SELECT '"\udc00"'::bson;            -- ERROR, nothing before
SELECT '"\ud800\ud800"'::bson;      -- ERROR, two high ones
SELECT '"\ud836\udc00\udc00"'::bson; -- ERROR, a second low one
