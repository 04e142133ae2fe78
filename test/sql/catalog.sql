-- If this fails, the catalogue says something about a function, operator or
-- operator class that is not intended, or lacks a comment for the user.
SELECT classid, objid INTO TEMP member
  FROM pg_depend
 WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
   AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bson');

SELECT p.* INTO TEMP func
  FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid;

-- functions that are not IMMUTABLE, STRICT, PARALLEL SAFE; the script says why.  Only PostgreSQL 19 has to_bson(regdatabase).
SELECT oid::regprocedure AS function,
       provolatile AS volatile, proisstrict AS strict, proparallel AS parallel
  FROM func
 WHERE prokind <> 'a' AND (provolatile, proisstrict, proparallel) <> ('i', true, 's') AND oid::regprocedure::text <> 'to_bson(regdatabase)'
 ORDER BY oid::regprocedure::text COLLATE "C";

-- aggregates are PARALLEL SAFE
SELECT oid::regprocedure AS aggregate FROM func
 WHERE prokind = 'a' AND proparallel <> 's';

-- one function is SECURITY DEFINER (doc/threat-model.md), none is LEAKPROOF
SELECT oid::regprocedure AS function FROM func WHERE prosecdef OR proleakproof;

-- the symbol of each C function has our prefix, so that it cannot clash with other libraries
SELECT oid::regprocedure AS function, prosrc FROM func
 WHERE prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') AND prosrc NOT LIKE 'pgbson\_%';

-- each function and operator has a comment
SELECT oid::regprocedure AS "function without comment" FROM func
 WHERE obj_description(oid, 'pg_proc') IS NULL
 ORDER BY oid::regprocedure::text COLLATE "C";

SELECT oid::regoperator AS "operator without comment"
  FROM pg_operator JOIN member ON classid = 'pg_operator'::regclass AND objid = oid
 WHERE obj_description(oid, 'pg_operator') IS NULL
 ORDER BY oid::regoperator::text COLLATE "C";

-- conditions have estimators, so that the planner need not guess
SELECT oid::regoperator AS "operator without estimators"
  FROM pg_operator JOIN member ON classid = 'pg_operator'::regclass AND objid = oid
 WHERE oprresult = 'bool'::regtype AND (oprrest = 0 OR oprjoin = 0)
   AND oprname <> '-&>'     -- a value that happens to be boolean
 ORDER BY oid::regoperator::text COLLATE "C";

-- comparisons have a commutator and a negator; equality can be used for hash and merge joins
SELECT oid::regoperator AS operator, oprcom::regoperator AS commutator,
       oprnegate::regoperator AS negator, oprcanhash AS hashes, oprcanmerge AS merges
  FROM pg_operator JOIN member ON classid = 'pg_operator'::regclass AND objid = oid
 WHERE oprname IN ('=', '<>', '<', '<=', '>', '>=') AND oprleft = oprright
 ORDER BY oprname COLLATE "C", oprleft::regtype::text COLLATE "C";

-- so do comparisons with SQL's types, except that they have no merge joins
SELECT o.oprname AS operator, array_agg(DISTINCT c.oprname) AS commutator, array_agg(DISTINCT n.oprname) AS negator,
       bool_and(o.oprcanhash) AS hashes, bool_or(o.oprcanmerge) AS merges,
       array_agg(DISTINCT o.oprright::regtype::text ORDER BY o.oprright::regtype::text) FILTER (WHERE o.oprleft = 'bson'::regtype) AS "bson with",
       count(*) FILTER (WHERE o.oprright = 'bson'::regtype) AS "with bson"
  FROM (SELECT o.* FROM pg_operator o JOIN member ON classid = 'pg_operator'::regclass AND objid = o.oid) o
  JOIN pg_operator c ON c.oid = o.oprcom AND c.oprleft = o.oprright AND c.oprright = o.oprleft
  JOIN pg_operator n ON n.oid = o.oprnegate AND n.oprleft = o.oprleft AND n.oprright = o.oprright
 WHERE o.oprname IN ('=', '<>', '<', '<=', '>', '>=') AND o.oprleft <> o.oprright
 GROUP BY o.oprname ORDER BY o.oprname COLLATE "C";

-- every operator class is complete
SELECT amname, opcname
  FROM pg_opclass c JOIN member ON classid = 'pg_opclass'::regclass AND objid = c.oid
  JOIN pg_am a ON a.oid = opcmethod
 WHERE CASE WHEN opcname = 'bson_ops' AND amname IN ('btree', 'hash') THEN false ELSE NOT amvalidate(c.oid) END;

-- except that the families bson_ops compare bson with types that cannot be compared with each other
SELECT amname AS family, amoplefttype::regtype AS "left", amoprighttype::regtype AS "right", count(*) AS operators,
       (SELECT count(*) FROM pg_amproc p WHERE amprocfamily = amopfamily AND amproclefttype = amoplefttype AND amprocrighttype = amoprighttype) AS functions
  FROM pg_amop JOIN pg_opfamily f ON f.oid = amopfamily JOIN pg_am a ON a.oid = opfmethod
 WHERE opfname = 'bson_ops' AND amname IN ('btree', 'hash')
 GROUP BY amname, amopfamily, amoplefttype, amoprighttype ORDER BY amname, amoplefttype::regtype::text COLLATE "C", amoprighttype::regtype::text COLLATE "C";

-- no cast is implicit, except that of jsonb to bson
SELECT castsource::regtype AS source, casttarget::regtype AS target
  FROM pg_cast c JOIN member ON classid = 'pg_cast'::regclass AND objid = c.oid
 WHERE castcontext = 'i';
