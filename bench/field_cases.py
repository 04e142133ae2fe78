"""The benchmarks of the field: what others publish and compare by, as documents and statements.

NoBench: the queries of the paper; its documents are in nobench.py.
TPC-H: the schema and ten of the queries of the benchmark, with a document in the place of each row.
Real documents: packages of npm (documents.py).

Each statement is the same for all competitors but for the type of the column, {t}: nobody's own functions are used.
"""

import nobench

NOBENCH_ROWS = 100000
NOBENCH_INDEXES = ("((data ->> 'str1'))", "(((data ->> 'num')::int))", "((data -> 'dyn1'))",
                   "((data -> 'nested_obj' ->> 'str'))", 'USING gin (data)')

NOBENCH_QUERIES = {
    'Q1 two fields': "SELECT data ->> 'str1', data ->> 'num' FROM {table}",
    'Q2 two nested fields': "SELECT data -> 'nested_obj' ->> 'str', data -> 'nested_obj' ->> 'num' FROM {table}",
    'Q3 two sparse fields of a cluster': "SELECT data ->> 'sparse_110', data ->> 'sparse_119' FROM {table}",
    'Q4 two sparse fields of two clusters': "SELECT data ->> 'sparse_110', data ->> 'sparse_220' FROM {table}",
    'Q5 by a string': "SELECT * FROM {table} WHERE data ->> 'str1' = '" + nobench.string(777) + "'",
    'Q6 by a range of numbers': "SELECT * FROM {table} WHERE (data ->> 'num')::int BETWEEN 5000 AND 5020",
    'Q7 by a range of a dynamic field': "SELECT * FROM {table} WHERE data -> 'dyn1' BETWEEN '5000' AND '5020'",
    'Q8 by an element of an array': "SELECT * FROM {table} WHERE data @> '{{\"nested_arr\": [\"" + nobench.word(320) + "\"]}}'",
    'Q9 by a sparse field': "SELECT * FROM {table} WHERE data @> '{{\"sparse_300\": \"" + nobench.string(3) + "\"}}'",
    'Q10 groups': "SELECT data ->> 'thousandth', count(*) FROM {table} WHERE (data ->> 'num')::int BETWEEN 2000 AND 12000 GROUP BY 1",
    'Q11 join': "SELECT count(*) FROM {table} AS a JOIN {table} AS b ON a.data -> 'nested_obj' ->> 'str' = b.data ->> 'str1' "
                "WHERE (a.data ->> 'num')::int BETWEEN 2000 AND 4000",
}

# rows of each table at this scale, and its documents
LINES = 30000
TPCH = {
    'region': "SELECT i AS id, json_build_object('r_regionkey', i, 'r_name', (ARRAY['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'])[i + 1], 'r_comment', md5('r' || i)) FROM generate_series(0, 4) AS i",
    'nation': "SELECT i AS id, json_build_object('n_nationkey', i, 'n_name', 'NATION ' || i, 'n_regionkey', i % 5, 'n_comment', md5('n' || i)) FROM generate_series(0, 24) AS i",
    'supplier': "SELECT i AS id, json_build_object('s_suppkey', i, 's_name', 'Supplier#' || i, 's_address', md5('sa' || i), 's_nationkey', i * 7 % 25, 's_phone', '13-' || i, 's_acctbal', (i * 37 % 999999) / 100.0, 's_comment', md5('sc' || i)) FROM generate_series(1, 100) AS i",
    'customer': "SELECT i AS id, json_build_object('c_custkey', i, 'c_name', 'Customer#' || i, 'c_address', md5('ca' || i), 'c_nationkey', i * 3 % 25, 'c_phone', '25-' || i, 'c_acctbal', (i * 7919 % 999999) / 100.0, 'c_mktsegment', (ARRAY['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'])[i % 5 + 1], 'c_comment', md5('cc' || i) || md5('cd' || i)) FROM generate_series(1, 1500) AS i",
    'part': "SELECT i AS id, json_build_object('p_partkey', i, 'p_name', md5('pn' || i), 'p_mfgr', 'Manufacturer#' || i % 5, 'p_brand', 'Brand#' || i % 25, 'p_type', (ARRAY['PROMO', 'STANDARD', 'SMALL', 'LARGE'])[i % 4 + 1] || ' BRUSHED ' || i % 10, 'p_size', i % 50 + 1, 'p_container', (ARRAY['SM BOX', 'MED BAG', 'LG CASE'])[i % 3 + 1], 'p_retailprice', 900 + i % 1000 / 10.0, 'p_comment', md5('pc' || i)) FROM generate_series(1, 1000) AS i",
    'orders': f"SELECT i AS id, json_build_object('o_orderkey', i, 'o_custkey', i * 31 % 1500 + 1, 'o_orderstatus', (ARRAY['F', 'O', 'P'])[i % 3 + 1], 'o_totalprice', (i * 104729 % 40000000) / 100.0, 'o_orderdate', date '1992-01-01' + i * 17 % 2400, 'o_orderpriority', (ARRAY['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'])[i % 5 + 1], 'o_clerk', 'Clerk#' || i % 1000, 'o_shippriority', 0, 'o_comment', md5('oc' || i)) FROM generate_series(1, {LINES // 4}) AS i",
    'lineitem': f"SELECT i AS id, json_build_object('l_orderkey', (i - 1) / 4 + 1, 'l_partkey', i * 13 % 1000 + 1, 'l_suppkey', i * 11 % 100 + 1, 'l_linenumber', i % 4 + 1, 'l_quantity', i * 7 % 50 + 1, 'l_extendedprice', (i * 7907 % 9000000 + 90000) / 100.0, 'l_discount', i % 11 / 100.0, 'l_tax', i % 9 / 100.0, 'l_returnflag', (ARRAY['A', 'N', 'R'])[i % 3 + 1], 'l_linestatus', (ARRAY['F', 'O'])[i % 2 + 1], 'l_shipdate', date '1992-01-01' + ((i - 1) / 4 + 1) * 17 % 2400 + i % 120, 'l_commitdate', date '1992-01-01' + ((i - 1) / 4 + 1) * 17 % 2400 + i % 90, 'l_receiptdate', date '1992-01-01' + ((i - 1) / 4 + 1) * 17 % 2400 + i % 120 + i % 30, 'l_shipinstruct', (ARRAY['DELIVER IN PERSON', 'COLLECT COD', 'NONE'])[i % 3 + 1], 'l_shipmode', (ARRAY['AIR', 'MAIL', 'SHIP', 'TRUCK', 'RAIL', 'FOB', 'REG AIR'])[i % 7 + 1], 'l_comment', substr(md5('lc' || i), 1, 20)) FROM generate_series(1, {LINES}) AS i",
}
REVENUE = "(l.data ->> 'l_extendedprice')::numeric * (1 - (l.data ->> 'l_discount')::numeric)"
TPCH_QUERIES = {
    'Q1': f"""SELECT l.data ->> 'l_returnflag', l.data ->> 'l_linestatus', sum((l.data ->> 'l_quantity')::numeric), sum((l.data ->> 'l_extendedprice')::numeric),
        sum({REVENUE}), sum({REVENUE} * (1 + (l.data ->> 'l_tax')::numeric)), avg((l.data ->> 'l_quantity')::numeric), avg((l.data ->> 'l_extendedprice')::numeric), avg((l.data ->> 'l_discount')::numeric), count(*)
        FROM {{lineitem}} l WHERE (l.data ->> 'l_shipdate')::date <= date '1998-09-02' GROUP BY 1, 2 ORDER BY 1, 2""",
    'Q3': f"""SELECT l.data ->> 'l_orderkey', sum({REVENUE}) AS revenue, o.data ->> 'o_orderdate', o.data ->> 'o_shippriority' FROM {{customer}} c, {{orders}} o, {{lineitem}} l
        WHERE c.data ->> 'c_mktsegment' = 'BUILDING' AND (c.data ->> 'c_custkey')::int = (o.data ->> 'o_custkey')::int AND (l.data ->> 'l_orderkey')::int = (o.data ->> 'o_orderkey')::int
        AND (o.data ->> 'o_orderdate')::date < date '1995-03-15' AND (l.data ->> 'l_shipdate')::date > date '1995-03-15' GROUP BY 1, 3, 4 ORDER BY revenue DESC, 3 LIMIT 10""",
    'Q4': """SELECT o.data ->> 'o_orderpriority', count(*) FROM {orders} o WHERE (o.data ->> 'o_orderdate')::date >= date '1993-07-01' AND (o.data ->> 'o_orderdate')::date < date '1993-10-01'
        AND EXISTS (SELECT FROM {lineitem} l WHERE (l.data ->> 'l_orderkey')::int = (o.data ->> 'o_orderkey')::int AND (l.data ->> 'l_commitdate')::date < (l.data ->> 'l_receiptdate')::date) GROUP BY 1 ORDER BY 1""",
    'Q5': f"""SELECT n.data ->> 'n_name', sum({REVENUE}) AS revenue FROM {{customer}} c, {{orders}} o, {{lineitem}} l, {{supplier}} s, {{nation}} n, {{region}} r
        WHERE (c.data ->> 'c_custkey')::int = (o.data ->> 'o_custkey')::int AND (l.data ->> 'l_orderkey')::int = (o.data ->> 'o_orderkey')::int AND (l.data ->> 'l_suppkey')::int = (s.data ->> 's_suppkey')::int
        AND (c.data ->> 'c_nationkey')::int = (s.data ->> 's_nationkey')::int AND (s.data ->> 's_nationkey')::int = (n.data ->> 'n_nationkey')::int AND (n.data ->> 'n_regionkey')::int = (r.data ->> 'r_regionkey')::int
        AND r.data ->> 'r_name' = 'ASIA' AND (o.data ->> 'o_orderdate')::date >= date '1994-01-01' AND (o.data ->> 'o_orderdate')::date < date '1995-01-01' GROUP BY 1 ORDER BY revenue DESC""",
    'Q6': """SELECT sum((l.data ->> 'l_extendedprice')::numeric * (l.data ->> 'l_discount')::numeric) FROM {lineitem} l WHERE (l.data ->> 'l_shipdate')::date >= date '1994-01-01'
        AND (l.data ->> 'l_shipdate')::date < date '1995-01-01' AND (l.data ->> 'l_discount')::numeric BETWEEN 0.05 AND 0.07 AND (l.data ->> 'l_quantity')::numeric < 24""",
    'Q10': f"""SELECT c.data ->> 'c_custkey', c.data ->> 'c_name', sum({REVENUE}) AS revenue, c.data ->> 'c_acctbal', n.data ->> 'n_name' FROM {{customer}} c, {{orders}} o, {{lineitem}} l, {{nation}} n
        WHERE (c.data ->> 'c_custkey')::int = (o.data ->> 'o_custkey')::int AND (l.data ->> 'l_orderkey')::int = (o.data ->> 'o_orderkey')::int AND (o.data ->> 'o_orderdate')::date >= date '1993-10-01'
        AND (o.data ->> 'o_orderdate')::date < date '1994-01-01' AND l.data ->> 'l_returnflag' = 'R' AND (c.data ->> 'c_nationkey')::int = (n.data ->> 'n_nationkey')::int GROUP BY 1, 2, 4, 5 ORDER BY revenue DESC LIMIT 20""",
    'Q12': """SELECT l.data ->> 'l_shipmode', sum(CASE WHEN o.data ->> 'o_orderpriority' IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END), sum(CASE WHEN o.data ->> 'o_orderpriority' NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END)
        FROM {orders} o, {lineitem} l WHERE (o.data ->> 'o_orderkey')::int = (l.data ->> 'l_orderkey')::int AND l.data ->> 'l_shipmode' IN ('MAIL', 'SHIP') AND (l.data ->> 'l_commitdate')::date < (l.data ->> 'l_receiptdate')::date
        AND (l.data ->> 'l_shipdate')::date < (l.data ->> 'l_commitdate')::date AND (l.data ->> 'l_receiptdate')::date >= date '1994-01-01' AND (l.data ->> 'l_receiptdate')::date < date '1995-01-01' GROUP BY 1 ORDER BY 1""",
    'Q14': f"""SELECT 100.00 * sum(CASE WHEN p.data ->> 'p_type' LIKE 'PROMO%' THEN {REVENUE} ELSE 0 END) / sum({REVENUE}) FROM {{lineitem}} l, {{part}} p
        WHERE (l.data ->> 'l_partkey')::int = (p.data ->> 'p_partkey')::int AND (l.data ->> 'l_shipdate')::date >= date '1995-09-01' AND (l.data ->> 'l_shipdate')::date < date '1995-10-01'""",
    'Q18': """SELECT c.data ->> 'c_name', o.data ->> 'o_orderkey', sum((l.data ->> 'l_quantity')::numeric) FROM {customer} c, {orders} o, {lineitem} l
        WHERE (o.data ->> 'o_orderkey')::int IN (SELECT (data ->> 'l_orderkey')::int FROM {lineitem} GROUP BY 1 HAVING sum((data ->> 'l_quantity')::numeric) > 130)
        AND (c.data ->> 'c_custkey')::int = (o.data ->> 'o_custkey')::int AND (o.data ->> 'o_orderkey')::int = (l.data ->> 'l_orderkey')::int GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 100""",
    'Q19': f"""SELECT sum({REVENUE}) FROM {{lineitem}} l, {{part}} p WHERE (p.data ->> 'p_partkey')::int = (l.data ->> 'l_partkey')::int AND l.data ->> 'l_shipmode' IN ('AIR', 'REG AIR')
        AND ((p.data ->> 'p_brand' = 'Brand#12' AND (l.data ->> 'l_quantity')::numeric BETWEEN 1 AND 11) OR (p.data ->> 'p_brand' = 'Brand#23' AND (l.data ->> 'l_quantity')::numeric BETWEEN 10 AND 20))""",
}

# Statements that suit each set of real documents; {p} is the prefix of functions
REAL_QUERIES = {
    'webhooks': ["SELECT data ->> 'action' FROM {table}", "SELECT data -> 'sender' ->> 'login', data -> 'repository' ->> 'full_name' FROM {table}",
                 "SELECT data #>> '{{repository,owner,id}}' FROM {table}", "SELECT data ->> 'action', count(*) FROM {table} GROUP BY 1",
                 "SELECT count(*) FROM {table} WHERE data @> '{{\"sender\": {{\"type\": \"User\"}}}}'", "SELECT count(*) FROM {table} WHERE data ? 'installation'",
                 "SELECT count(*) FROM {table} WHERE data @@ '$.repository.size > 100'", "SELECT data::text FROM {table}",
                 "SELECT {p}_set(data, '{{seen}}', 'true') FROM {table}"],
    'geojson': ["SELECT data -> 'properties' FROM {table}", "SELECT data -> 'geometry' ->> 'type' FROM {table}", "SELECT {p}_array_length(data -> 'geometry' -> 'coordinates') FROM {table}",
                "SELECT data #> '{{geometry,coordinates,0,0}}' FROM {table}", "SELECT data #> '{{geometry,coordinates,0,-1}}' FROM {table}",
                "SELECT count(*) FROM {table} WHERE data @> '{{\"geometry\": {{\"type\": \"Polygon\"}}}}'", "SELECT data::text FROM {table}"],
    'caniuse': ["SELECT data ->> 'title' FROM {table}", "SELECT data #>> '{{stats,firefox,100}}' FROM {table}", "SELECT data -> 'stats' -> 'safari' FROM {table}",
                "SELECT count(*) FROM {table} WHERE data -> 'stats' -> 'chrome' ->> '90' LIKE 'y%'", "SELECT data ->> 'usage_perc_y' FROM {table} ORDER BY (data ->> 'usage_perc_y')::numeric DESC LIMIT 10",
                "SELECT count(*) FROM {table}, {p}_each_text(data -> 'stats' -> 'firefox') WHERE value LIKE 'y%'", "SELECT count(*) FROM {table} WHERE data -> 'categories' ? 'CSS'",
                "SELECT data::text FROM {table}"],
    'compat': ["SELECT data ->> 'name' FROM {table}", "SELECT data #>> '{{data,__compat,support,firefox,0,version_added}}' FROM {table}", "SELECT data -> 'data' -> '__compat' ->> 'mdn_url' FROM {table}",
               "SELECT count(*) FROM {table} WHERE data @> '{{\"data\": {{\"__compat\": {{\"status\": {{\"experimental\": true}}}}}}}}'", "SELECT data ->> 'kind', count(*) FROM {table} GROUP BY 1",
               "SELECT count(*) FROM {table}, {p}_object_keys(data -> 'data')", "SELECT count(*) FROM {table} WHERE data @? '$.data.*.__compat.status ? (@.deprecated == true)'",
               "SELECT data::text FROM {table}"],
}
STORAGES = ('pglz', 'lz4')

# ANALYZE reads so many rows of a table; few tables in use are as small as these documents' own
MANY_ROWS = '''CREATE UNLOGGED TABLE IF NOT EXISTS {table}_many AS
    SELECT data FROM {table}, generate_series(1, 30000 / (SELECT count(*) FROM {table}) + 1) LIMIT 30000;'''

# Small documents of given numbers of keys: in one order, shuffled, and each key optional
SMALL_KEYS = (5, 10, 20, 40)
SMALL_ROWS = 20000
SMALL = '''SELECT i AS id, (SELECT json_object_agg('key_' || k, CASE k % 4 WHEN 0 THEN to_json(i * k) WHEN 1 THEN to_json(substr(md5(i || '/' || k), 1, 10)) WHEN 2 THEN to_json(k % 3 = i % 3) ELSE to_json(i / 7.0::float4) END
        ORDER BY {order}) FROM generate_series(1, {keys}) AS k WHERE {kept})::text AS data FROM generate_series(1, {rows}) AS i'''
SMALL_KINDS = {'ordered': ('k', 'true'), 'shuffled': ("md5(k || '.' || i % 97)", 'true'), 'optional': ('k', "k = 1 OR get_byte(decode(md5(k || ':' || i), 'hex'), 0) < 180")}
SMALL_QUERIES = ("SELECT data ->> 'key_1' FROM {table}", "SELECT data ->> 'key_{last}' FROM {table}", "SELECT data ->> 'key_2', data ->> 'key_{middle}', data ->> 'key_{last}' FROM {table}",
                 "SELECT count(*) FROM {table} WHERE data ->> 'key_{middle}' = 'x' OR data ->> 'key_{last}' = 'y'", "SELECT data ->> 'missing' FROM {table}",
                 "SELECT data ->> 'key_2', count(*) FROM {table} GROUP BY 1")
