-- If this failed, Extended JSON would be read as a wrong value, or a malformed wrapper would be accepted.
\pset format unaligned
\pset tuples_only on

-- the bytes of the value with the key "a", or the error
CREATE FUNCTION read(wrapper text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    RETURN encode(substr(bson_send(('{"a":' || wrapper || '}')::bson), 5), 'hex');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN SQLSTATE || ' ' || SQLERRM || ' / ' || detail;
END $$;

-- every type in every spelling
SELECT read('{"$numberInt":"15"}'), read('15');
SELECT read('{"$numberInt":"-2147483648"}'), read('{"$numberInt":"2147483647"}');
SELECT read('{"$numberLong":"15"}'), read('{"$numberLong":"9223372036854775807"}'), read('{"$numberLong":"-9223372036854775808"}');
SELECT read('{"$numberDouble":"15"}'), read('15.0'), read('{"$numberDouble":"1.5E1"}');
SELECT read('{"$numberDouble":"Infinity"}'), read('{"$numberDouble":"-Infinity"}'), read('{"$numberDouble":"NaN"}');
SELECT read('{"$numberDouble":"-0.0"}'), read('{"$numberDouble":"1.23456789012345677E+18"}'), read('{"$numberDouble":"5e-324"}');
SELECT read('{"$numberDecimal":"1.10"}'), read('{"$numberDecimal":"NaN"}'), read('{"$numberDecimal":"-Infinity"}');
SELECT read('"text"'), read('{"$symbol":"text"}'), read('{"$code":"text"}');
SELECT read('{"$symbol":"a\u0000b"}'), read('{"$code":"a\u0000b"}'), read('{"$code":"a\u0000b","$scope":{}}');
SELECT read('{"$code":"f","$scope":{"x":{"$numberLong":"1"}}}'), read('{"$scope":{"x":{"$numberLong":"1"}},"$code":"f"}');
SELECT read('{"$oid":"57E193d7a9cc81b4027498b5"}');
SELECT read('{"$binary":{"base64":"AQID","subType":"00"}}'), read('{"$binary":{"subType":"0","base64":"AQID"}}'),
       read('{"$binary":"AQID","$type":"00"}'), read('{"$type":0,"$binary":"AQID"}');
SELECT read('{"$binary":{"base64":"AQI=","subType":"80"}}'), read('{"$binary":"AQI=","$type":"ffffff80"}'), read('{"$binary":"AQI=","$type":128}');
SELECT read('{"$binary":{"base64":"AQ==","subType":"02"}}'), read('{"$binary":{"base64":"","subType":"fF"}}');
SELECT read('{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}'), read('{"$uuid":"73FFD26444B34C6990E8E7D1DFC035D4"}'),
       read('{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"04"}}');
SELECT read('{"$date":{"$numberLong":"1646309594789"}}'), read('{"$date":"2022-03-03T12:13:14.789Z"}'), read('{"$date":1646309594789}');
SELECT read('{"$timestamp":{"t":1,"i":2}}'), read('{"$timestamp":{"i":2,"t":1}}'), read('{"$timestamp":{"t":4294967295,"i":0}}');
SELECT read('{"$regularExpression":{"pattern":"a*","options":"im"}}'), read('{"$regularExpression":{"options":"mi","pattern":"a*"}}'),
       read('{"$regex":"a*","$options":"mi"}'), read('{"$options":"","$regex":""}');
SELECT read('{"$dbPointer":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}'),
       read('{"$dbPointer":{"$id":{"$oid":"57e193d7a9cc81b4027498b5"},"$ref":"c"}}');
SELECT read('{"$minKey":1}'), read('{"$maxKey":1}'), read('{"$undefined":true}'), read('null');

-- wrappers at the root, in arrays, in scopes
SELECT '{"$oid":"57e193d7a9cc81b4027498b5"}'::bson, '{"$date":0}'::bson, '{"$code":"f","$scope":{"a":{"$minKey":1}}}'::bson;
SELECT '[{"$maxKey":1},[{"$symbol":"s"}],{"$dbPointer":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}]'::bson;

-- these are not wrappers: queries and updates, DBRefs, and similar documents
SELECT '{"$set":{"a":1},"$inc":{"b":{"$numberLong":"2"}}}'::bson;
SELECT '{"a":{"$type":"string"},"b":{"$type":2},"c":{"$type":["int",{"$numberInt":"1"}]}}'::bson;
SELECT '{"a":{"$regex":"x"},"b":{"$regex":"x","$options":1},"c":{"$regex":"x","$options":"i","$ne":"y"},"d":{"$options":"i"}}'::bson;
SELECT '{"$regex":{"$regularExpression":{"pattern":"x","options":"i"}},"$options":"m"}'::bson;
SELECT '{"r":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"},"$db":"d"},"s":{"$ref":"c"},"t":{"$ref":1,"$id":2}}'::bson;
SELECT '{"$scope":{},"$":1,"$$":2,"$OID":"x","$oid ":"x","oid":"x","$numberint":"1","base64":"","t":1}'::bson;
SELECT '{"$code":"f","$scope":{"$regex":1}}'::bson;

-- dates
SELECT t, read('{"$date":"' || t || '"}') FROM unnest(ARRAY[
    '1970-01-01T00:00:00Z', '1970-01-01', '1969-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z', '0001-01-01', '9999-12-31T23:59:59.999Z',
    '2000-02-29', '2024-02-29T12:00Z', '2022-03-03T12:13:14+02:00', '2022-03-03T12:13:14-0230', '2022-03-03T12:13:14+02',
    '2022-03-03T12:13:14.7Z', '2022-03-03T12:13:14.78Z', '2022-03-03T12:13:14.789000000Z', '1900-03-01', '1600-02-29']) t;
SELECT t, left(read('{"$date":"' || t || '"}'), 40) FROM unnest(ARRAY[
    '', 'x', '2022', '2022-03', '2022-3-3', '20220303', '2022-02-30', '2022-13-01', '2022-00-01', '2022-01-00', '2022-01-32', '1900-02-29',
    '2023-02-29', '2022-03-03T', '2022-03-03T12Z', '2022-03-03T12:13:14', '2022-03-03 12:13:14Z', '2022-03-03T12:13:14z', '2022-03-03T24:00:00Z',
    '2022-03-03T12:60:00Z', '2022-03-03T12:13:60Z', '2022-03-03T12:13:14.Z', '2022-03-03T12:13:14.7891Z', '2022-03-03T12:13:14,7Z',
    '2022-03-03T12:13:14+2', '2022-03-03T12:13:14+02:', '2022-03-03T12:13:14+24:00', '2022-03-03T12:13:14+02:60', '2022-03-03T12:13:14+02:0',
    '2022-03-03T12:13:14ZZ', '2022-03-03T12:13:14Z ', ' 2022-03-03', '2022-03-03Z', '12022-03-03', '-022-03-03', '2022-03-03T12:13:14 +02:00',
    '2022-03-03T12:13.5Z', '2022-03-03\u0000']) t;

-- malformed: the wrong value
SELECT t, read(t) FROM unnest(ARRAY[
    '{"$oid":5}', '{"$oid":""}', '{"$oid":"57e193d7a9cc81b4027498b"}', '{"$oid":"57e193d7a9cc81b4027498b5a"}', '{"$oid":"57e193d7a9cc81b4027498bg"}', '{"$oid":null}',
    '{"$symbol":1}', '{"$code":1}', '{"$code":null,"$scope":{}}', '{"$code":"f","$scope":1}', '{"$code":"f","$scope":[]}', '{"$code":"f","$scope":{"$oid":"57e193d7a9cc81b4027498b5"}}',
    '{"$code":"f","$scope":{"a":{"$oid":1}}}', '{"$code":"f","$scope":{"$regex":"a","$options":""}}',
    '{"$numberInt":1}', '{"$numberInt":""}', '{"$numberInt":"-"}', '{"$numberInt":" 1"}', '{"$numberInt":"1 "}', '{"$numberInt":"+1"}', '{"$numberInt":"1.0"}', '{"$numberInt":"1e1"}',
    '{"$numberInt":"2147483648"}', '{"$numberInt":"-2147483649"}', '{"$numberInt":"99999999999999999999999"}', '{"$numberInt":"0x1"}', '{"$numberInt":"1\u0000"}',
    '{"$numberLong":" 12"}', '{"$numberLong":"9223372036854775808"}', '{"$numberLong":"-9223372036854775809"}', '{"$numberLong":12}', '{"$numberLong":"18446744073709551617"}',
    '{"$numberDouble":1.5}', '{"$numberDouble":""}', '{"$numberDouble":"abc"}', '{"$numberDouble":"nan"}', '{"$numberDouble":"inf"}', '{"$numberDouble":"+Infinity"}', '{"$numberDouble":"0x1p3"}',
    '{"$numberDouble":"1e400"}', '{"$numberDouble":"1e-400"}', '{"$numberDouble":" 1"}', '{"$numberDouble":"1e"}', '{"$numberDouble":"."}', '{"$numberDouble":"1,5"}', '{"$numberDouble":"1.5\u0000"}',
    '{"$numberDecimal":1.5}', '{"$numberDecimal":""}', '{"$numberDecimal":"1.2.3"}', '{"$numberDecimal":"1e7000"}', '{"$numberDecimal":"12345678901234567890123456789012345"}', '{"$numberDecimal":"1\u0000"}',
    '{"$binary":5}', '{"$binary":"AQID"}', '{"$binary":{"base64":"AQID"}}', '{"$binary":{"subType":"00"}}', '{"$binary":{"base64":0,"subType":"00"}}', '{"$binary":{"base64":"AQID","subType":0}}',
    '{"$binary":{"base64":"AQID","subType":""}}', '{"$binary":{"base64":"AQID","subType":"000"}}', '{"$binary":{"base64":"AQID","subType":"0g"}}', '{"$binary":{"base64":"AQID","subType":"00","x":1}}',
    '{"$binary":{"base64":"AQI","subType":"00"}}', '{"$binary":{"base64":"AQ=D","subType":"00"}}', '{"$binary":{"base64":"A===","subType":"00"}}', '{"$binary":{"base64":"AR==","subType":"00"}}', '{"$binary":{"base64":"AQJ=","subType":"00"}}',
    '{"$binary":{"base64":"AQ ID","subType":"00"}}', '{"$binary":{"base64":"AQ\nI","subType":"00"}}', '{"$binary":{"base64":"AQ-_","subType":"00"}}', '{"$binary":{"base64":"====","subType":"00"}}',
    '{"$binary":"AQID","$type":256}', '{"$binary":"AQID","$type":-1}', '{"$binary":"AQID","$type":"fffffg80"}', '{"$binary":"AQID","$type":null}',
    '{"$uuid":5}', '{"$uuid":""}', '{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d"}', '{"$uuid":"73ff-d26444b-34c6-990e8e-7d1dfc035d4"}', '{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035dg"}', '{"$uuid":"{73ffd264-44b3-4c69-90e8-e7d1dfc035d4}"}',
    '{"$timestamp":5}', '{"$timestamp":{"t":1}}', '{"$timestamp":{"t":1,"i":2,"x":3}}', '{"$timestamp":{"t":-1,"i":2}}', '{"$timestamp":{"t":4294967296,"i":2}}', '{"$timestamp":{"t":1.0,"i":2}}', '{"$timestamp":{"t":"1","i":2}}', '{"$timestamp":{"t":-0,"i":2}}',
    '{"$regularExpression":"a"}', '{"$regularExpression":{"pattern":"a"}}', '{"$regularExpression":{"pattern":"a","options":1}}', '{"$regularExpression":{"pattern":"a\u0000","options":""}}', '{"$regularExpression":{"pattern":"a","options":"\u0000"}}',
    '{"$regex":"a\u0000","$options":"i"}',
    '{"$dbPointer":"c"}', '{"$dbPointer":{"$ref":"c"}}', '{"$dbPointer":{"$ref":"c","$id":"57e193d7a9cc81b4027498b5"}}', '{"$dbPointer":{"$ref":1,"$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}', '{"$dbPointer":{"$ref":"c","$id":{"$oid":"x"}}}',
    '{"$date":null}', '{"$date":1.5}', '{"$date":{"$numberLong":1}}', '{"$date":{"$numberLong":"x"}}', '{"$date":{"$numberInt":"1"}}', '{"$date":{}}', '{"$date":9223372036854775808}',
    '{"$minKey":0}', '{"$minKey":true}', '{"$minKey":1.0}', '{"$maxKey":"1"}', '{"$maxKey":2}', '{"$undefined":false}', '{"$undefined":1}', '{"$undefined":null}'
]) t;

-- malformed: other keys beside it
SELECT t, read(t) FROM unnest(ARRAY[
    '{"$oid":"57e193d7a9cc81b4027498b5","x":1}', '{"x":1,"$oid":"57e193d7a9cc81b4027498b5"}', '{"a":1,"b":2,"c":3,"$numberInt":"1"}', '{"$oid":"57e193d7a9cc81b4027498b5","$date":0}',
    '{"$code":"f","$scope":{},"x":1}', '{"$code":"f","x":1}', '{"$binary":{"base64":"","subType":"00"},"x":1}', '{"$date":0,"$type":"date"}', '{"$minKey":1,"$maxKey":1}'
]) t;

-- errors show only a few characters of a value, and no partial ones
SELECT read('{"$oid":"' || repeat('é', 1000) || '"}');
SELECT read('{"$oid":"%s%n\u0000hidden"}');
DROP FUNCTION read;
