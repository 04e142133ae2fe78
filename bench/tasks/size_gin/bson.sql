SELECT pg_relation_size('docs_gin');
