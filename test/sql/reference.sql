-- If this fails, doc/reference.md lacks an object of the extension, or names one that does not exist
CREATE TEMP TABLE reference_line (line text);
\copy reference_line FROM 'doc/reference.md' CSV QUOTE E'\x01' DELIMITER E'\x02'
CREATE TEMP TABLE reference_page AS SELECT string_agg(line, E'\n') AS page FROM reference_line;
CREATE TEMP VIEW member AS
  SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
  WHERE d.deptype = 'e' AND e.extname = 'bson';
-- for functions that the server or an operator calls, the name is enough
CREATE TEMP VIEW behind AS
  SELECT p.oid FROM pg_proc p WHERE EXISTS (SELECT FROM unnest(p.proargtypes) t WHERE t IN ('internal'::regtype, 'cstring'::regtype))
  UNION SELECT prosupport FROM pg_proc
  UNION SELECT oprcode FROM pg_operator
  UNION SELECT amproc FROM pg_amproc
  UNION SELECT castfunc FROM pg_cast
  UNION SELECT unnest(ARRAY[typoutput, typsend]::oid[]) FROM pg_type
  UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn]::oid[]) FROM pg_aggregate
  UNION SELECT oid FROM pg_proc WHERE proname ~ '^bson_walk';
-- the page's spelling of a call: name(type, type[, type])
CREATE TEMP VIEW signature AS
  SELECT p.oid, p.proname::text AS name, p.proname || '(' || coalesce(string_agg(
           CASE WHEN n = 1 THEN '' WHEN n > p.pronargs - p.pronargdefaults THEN '[, ' ELSE ', ' END
           || CASE WHEN p.provariadic <> 0 AND n = p.pronargs THEN 'VARIADIC ' ELSE '' END || format_type(t, NULL), '' ORDER BY n), '')
         || repeat(']', p.pronargdefaults) || ')' AS call
  FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid LEFT JOIN unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a(t, n) ON true
  GROUP BY p.oid, p.proname, p.pronargs, p.pronargdefaults, p.provariadic;
-- functions that are not on the page; "f(a[, b])" stands for f(a) and f(a, b), too
SELECT s.call AS missing_function FROM signature s, reference_page
  WHERE strpos(page, '`' || call || '`') = 0
    AND NOT (oid IN (SELECT oid FROM behind) AND strpos(page, '`' || name || '`') > 0)
    AND NOT EXISTS (SELECT FROM regexp_matches(page, '`(\w+)\(([^`]*)\[, ([^]`]*)\]\)`', 'g') AS m
                    WHERE s.call IN (m[1] || '(' || m[2] || ')', m[1] || '(' || m[2] || ', ' || m[3] || ')'))
    -- operators with operands of other types than bson: the page names some, and lists the types
    AND NOT (oid IN (SELECT oprcode FROM pg_operator UNION SELECT amproc FROM pg_amproc) AND call ~ '(_bson|bson_(eq|ne|lt|le|gt|ge|cmp|hash)_)' AND call !~ 'extended')
    AND call NOT IN ('bson_build_object()', 'bson_build_array()')
  ORDER BY 1;
-- functions on the page that do not exist
SELECT DISTINCT m[1] AS unknown_function FROM reference_page, regexp_matches(page, '`(\w*bson_\w+|bson_\w+)[(`]', 'g') AS m
  WHERE m[1] NOT IN (SELECT name FROM signature) AND m[1] NOT IN (SELECT typname FROM pg_type) AND m[1] !~ '_ops$'
  ORDER BY 1;
-- operators: a row of the table names the operator and the operand that is not a bson
SELECT o.oid::regoperator AS missing_operator FROM member JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid
  WHERE NOT EXISTS (SELECT FROM reference_line WHERE line LIKE '| `%'
                    AND strpos(split_part(replace(line, '\|', '¦'), '|', 2), '`' || replace(o.oprname, '|', '¦') || '`') > 0
                    AND strpos(split_part(replace(line, '\|', '¦'), '|', 3), '`' || format_type(CASE WHEN oprleft = 'bson'::regtype THEN oprright ELSE oprleft END, NULL) || '`') > 0)
  ORDER BY 1;
-- casts, and when they apply
SELECT c.castsource::regtype AS missing_cast_from, c.casttarget::regtype AS missing_cast_to, castcontext
  FROM member JOIN pg_cast c ON classid = 'pg_cast'::regclass AND objid = c.oid, reference_page
  WHERE strpos(page, format(E'\n| `%s` | `%s` | %s |', format_type(castsource, NULL), format_type(casttarget, NULL),
                            CASE castcontext WHEN 'i' THEN 'implicit' WHEN 'a' THEN 'in assignment' ELSE 'explicit' END)) = 0
  ORDER BY 1, 2;
-- operator classes, and their operators
SELECT amname AS method, opcname AS missing_class, amopopr::regoperator AS missing_operator
  FROM member JOIN pg_opclass c ON classid = 'pg_opclass'::regclass AND objid = c.oid JOIN pg_am a ON opcmethod = a.oid JOIN pg_amop ON amopfamily = opcfamily
  WHERE NOT EXISTS (SELECT FROM reference_line WHERE line LIKE format('| `%s` | `%s` | %s |%%', amname, opcname, CASE WHEN opcdefault THEN 'yes' ELSE 'no' END)
                    AND strpos(replace(line, '\|', '|'), '`' || (SELECT oprname FROM pg_operator o WHERE o.oid = amopopr) || '`') > 0)
  ORDER BY 1, 2, 3;
-- settings, and their defaults
SELECT '{}'::bson AS library_loaded;
SELECT name AS missing_setting, current_setting(name) AS value FROM pg_settings, reference_page
  WHERE name LIKE 'bson.%' AND strpos(page, format(E'\n| `%s` | `%s` |', name, current_setting(name))) = 0
  ORDER BY 1;
SELECT count(*) > 0 AS there_are_settings FROM pg_settings WHERE name LIKE 'bson.%';
