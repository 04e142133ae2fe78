cp /tmp/moving-c/test/t/031_dump_apply.pl test/t/
run() { git diff --stat src | tail -1; STEPS=tap PROVE_TESTS="test/t/031_dump_apply.pl" timeout 300 make check > /tmp/moving-mut.log 2>&1; echo "$1: $(grep -c '^not ok' /tmp/moving-mut.log) failed; $(tail -1 /tmp/moving-mut.log); $(grep -m2 'Failed test' /tmp/moving-mut.log | tr '\n' ' ' | cut -c1-200)"; git checkout -q src; }
run none
sed -i 's/FOR part IN SELECT pg_temp.bson_copy_pieces(how -> .diff.::text) LOOP/FOR part IN SELECT pg_temp.bson_copy_pieces(how -> '"'diff'"'::text) LIMIT 0 LOOP/' src/tools/bson_copy/apply.py; run "entries that no longer fit are left out whole"
sed -i 's/ELSIF part.key ~ .\^s\..::text THEN/ELSIF false THEN/' src/tools/bson_copy/apply.py; run "pieces are not divided"
