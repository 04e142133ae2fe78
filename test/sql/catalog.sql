-- If this fails, the catalogue says something about a function, operator or
-- operator class that we do not mean, or says nothing to the user.
SELECT classid, objid INTO TEMP member
  FROM pg_depend
 WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
   AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bson');

SELECT p.* INTO TEMP func
  FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid;

-- functions that are not IMMUTABLE, STRICT, PARALLEL SAFE; the script says why
SELECT oid::regprocedure AS function,
       provolatile AS volatile, proisstrict AS strict, proparallel AS parallel
  FROM func
 WHERE prokind <> 'a' AND (provolatile, proisstrict, proparallel) <> ('i', true, 's')
 ORDER BY oid::regprocedure::text COLLATE "C";

-- aggregates are PARALLEL SAFE
SELECT oid::regprocedure AS aggregate FROM func
 WHERE prokind = 'a' AND proparallel <> 's';

-- nothing runs with its owner's rights, and nothing claims to leak nothing
SELECT oid::regprocedure AS function FROM func WHERE prosecdef OR proleakproof;

-- a C function's symbol has our prefix, so that it meets no other library's
SELECT oid::regprocedure AS function, prosrc FROM func
 WHERE prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') AND prosrc NOT LIKE 'pgbson\_%';

-- what users call has a comment; input and output functions and the support
-- functions of indexes, aggregates and the planner need none
SELECT oid::regprocedure AS "function without comment" FROM func
 WHERE obj_description(oid, 'pg_proc') IS NULL
   AND NOT prorettype = ANY ('{internal,cstring}'::regtype[])
   AND NOT proargtypes::oid[] && '{internal,cstring}'::regtype[]::oid[]
   AND oid NOT IN (SELECT typsend FROM pg_type)
   AND oid NOT IN (SELECT amproc FROM pg_amproc)
   AND oid NOT IN (SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn,
                                       aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn])
                     FROM pg_aggregate)
 ORDER BY oid::regprocedure::text COLLATE "C";

SELECT oid::regoperator AS "operator without comment"
  FROM pg_operator JOIN member ON classid = 'pg_operator'::regclass AND objid = oid
 WHERE obj_description(oid, 'pg_operator') IS NULL
 ORDER BY oid::regoperator::text COLLATE "C";

-- a condition has estimators, so that the planner need not guess
SELECT oid::regoperator AS "operator without estimators"
  FROM pg_operator JOIN member ON classid = 'pg_operator'::regclass AND objid = oid
 WHERE oprresult = 'bool'::regtype AND (oprrest = 0 OR oprjoin = 0)
   AND oprname <> '-&>'     -- a value that happens to be boolean
 ORDER BY oid::regoperator::text COLLATE "C";

-- comparisons know their commutator and negator; equality joins by hash and merge
SELECT oid::regoperator AS operator, oprcom::regoperator AS commutator,
       oprnegate::regoperator AS negator, oprcanhash AS hashes, oprcanmerge AS merges
  FROM pg_operator JOIN member ON classid = 'pg_operator'::regclass AND objid = oid
 WHERE oprname IN ('=', '<>', '<', '<=', '>', '>=')
 ORDER BY oprname COLLATE "C";

-- every operator class is whole
SELECT amname, opcname
  FROM pg_opclass c JOIN member ON classid = 'pg_opclass'::regclass AND objid = c.oid
  JOIN pg_am a ON a.oid = opcmethod
 WHERE NOT amvalidate(c.oid);

-- no cast happens by itself
SELECT castsource::regtype AS source, casttarget::regtype AS target
  FROM pg_cast c JOIN member ON classid = 'pg_cast'::regclass AND objid = c.oid
 WHERE castcontext = 'i';
