"""Fourteen pipelines, as MongoDB's manual shows their kinds, over made documents of two shapes that its sample data made known:
movies with comments and users, and homes to rent with reviews, amenities and decimal prices.  And ten as applications have them,
over 200,000 orders of customers.

Each has the SQL by hand for the same answer, which is the same for both types but for {t}; {name} is a table.
"""

DATE = "json_build_object('$date', to_char(timestamp '{}' + ({}) * interval '1 hour', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'))"
OID = "json_build_object('$oid', lpad(to_hex({}), 24, '0'))"


def words(count, key):
    """SQL: text of md5 sums."""
    return f"(SELECT string_agg(md5({key} || '/' || w), ' ') FROM generate_series(1, {count}) AS w)"


def some(count, key, values, names):
    """SQL: a JSON array of "count" values, counted through by a number."""
    return f"(SELECT json_agg(({names})[({key} + k * k * 7) % {values} + 1]) FROM generate_series(1, {count}) AS k)"


GENRES = "ARRAY['Drama', 'Comedy', 'Action', 'Short', 'Horror', 'Romance', 'Western', 'Crime', 'Music', 'War', 'Family', 'History']"
AMENITIES = "ARRAY['Wifi', 'Kitchen', 'Heating', 'Washer', 'Pool', 'Gym', 'TV', 'Iron', 'Crib', 'Dryer', 'Essentials', 'Elevator', 'Hangers', 'Balcony', 'Parking', 'Bathtub', 'Shampoo']"

DOCUMENTS = {
    'movie': f"""SELECT i AS id, json_strip_nulls(json_build_object('_id', {OID.format('i')}, 'plot', {words(4, 'i')}, 'genres', {some('1 + i % 3', 'i', 12, GENRES)}, 'runtime', 40 + i * 31 % 140,
        'cast', (SELECT json_agg('Actor ' || (i * 17 + k * k * 31) % 3000) FROM generate_series(1, 4) AS k), 'title', 'Film ' || i, 'fullplot', {words(12, '-i')}, 'rated', (ARRAY['G', 'PG', 'R', NULL])[i % 4 + 1],
        'released', CASE WHEN i % 9 > 0 THEN {DATE.format('1971-02-03', 'i * 7919 % 400000')} END, 'year', 1920 + i * 7919 % 100, 'directors', json_build_array('Director ' || i % 700),
        'awards', json_build_object('wins', i % 13, 'nominations', i % 7, 'text', md5('a' || i)), 'imdb', json_build_object('rating', (i * 37 % 90 + 10) / 10.0, 'votes', i * 101 % 50000, 'id', i), 'type', CASE i % 20 WHEN 0 THEN 'series' ELSE 'movie' END,
        'tomatoes', json_build_object('viewer', json_build_object('rating', (i % 50) / 10.0, 'numReviews', i % 900), 'fresh', i % 60), 'lastupdated', md5('u' || i)))::text AS data FROM generate_series(1, {{rows}}) AS i""",
    'comment': f"""SELECT i AS id, json_build_object('_id', {OID.format('i + 1000000')}, 'name', 'User ' || i * 13 % 1500, 'email', 'user' || i * 13 % 1500 || '@example.org', 'movie_id', {OID.format('(i::bigint * i * 7 % {rows} + 1)::int')},
        'text', {words(3, 'i')}, 'date', {DATE.format('1990-01-01', 'i * 911 % 200000')})::text AS data FROM generate_series(1, 2 * {{rows}}) AS i""",
    'person': """SELECT i AS id, json_strip_nulls(json_build_object('_id', i, 'name', 'User ' || i, 'email', 'user' || i || '@example.org', 'invited_by', CASE WHEN i > 10 THEN i / 3 END))::text AS data FROM generate_series(1, {rows} / 10) AS i""",
    'home': f"""SELECT i AS id, json_build_object('_id', i::text, 'name', 'Home ' || i, 'summary', {words(6, 'i')}, 'property_type', (ARRAY['House', 'Apartment', 'Loft', 'Condominium'])[i % 4 + 1], 'room_type', (ARRAY['Entire home/apt', 'Private room'])[i % 2 + 1],
        'accommodates', i % 8 + 1, 'bedrooms', i % 5, 'beds', i % 6 + 1, 'price', json_build_object('$numberDecimal', (i * 7919 % 40000 + 2000) / 100 || '.00'), 'cleaning_fee', json_build_object('$numberDecimal', i % 90 || '.50'), 'amenities', {some('3 + i % 10', 'i', 17, AMENITIES)},
        'host', json_build_object('host_id', i % 900, 'host_name', 'Host ' || i % 900, 'host_is_superhost', i % 3 = 0), 'address', json_build_object('street', md5('s' || i), 'market', 'City ' || i % 23, 'country', 'Land ' || i % 7, 'location', json_build_object('type', 'Point', 'coordinates', json_build_array(i % 180, i % 90))),
        'review_scores', json_build_object('review_scores_rating', 60 + i % 41, 'review_scores_value', i % 11), 'last_review', {DATE.format('2018-01-01', 'i % 9000')},
        'reviews', (SELECT coalesce(json_agg(json_build_object('_id', i || '-' || k, 'date', {DATE.format('2010-01-01', '(i * 37 + k * 1009) % 80000')}, 'reviewer_id', (i * 3 + k) % 4000, 'comments', {words(2, 'i + k')})), '[]') FROM generate_series(1, i % 9) AS k))::text AS data FROM generate_series(1, {{rows}} / 4) AS i""",
}
ROWS = 20000

DOCUMENTS |= {
    'buyer': """SELECT i AS id, json_build_object('_id', i, 'name', 'Buyer ' || i, 'tier', (ARRAY['gold', 'silver', 'bronze'])[i % 3 + 1], 'country', 'Land ' || i % 40, 'since', 2000 + i % 25)::text AS data FROM generate_series(1, {rows}) AS i""",
    'sale': f"""SELECT i AS id, json_build_object('_id', i, 'buyer', i::bigint * 7919 % ({{rows}} * 11 / 10) + 1, 'status', (ARRAY['new', 'paid', 'shipped', 'returned'])[i % 4 + 1], 'region', 'Region ' || i * 13 % 12, 'at', {DATE.format('2022-01-01', 'i::bigint * 7907 % 26280')},
        'qty', i % 9 + 1, 'price', (i * 37 % 9000 + 100) / 100.0, 'total', i * 31 % 5000, 'ship', json_build_object('city', 'City ' || i % 300, 'fee', i % 20), 'lines', (SELECT json_agg(json_build_object('sku', 'S' || (i * 7 + k * 13) % 500, 'n', (i + k) % 5 + 1)) FROM generate_series(1, 1 + i % 4) AS k))::text AS data FROM generate_series(1, 10 * {{rows}}) AS i""",
}

# As a developer has them: by _id, and what a home is looked for by
INDEXES = {'movie': ('UNIQUE INDEX ON {table} ((data -> \'_id\'))',), 'person': ('UNIQUE INDEX ON {table} ((data -> \'_id\'))', 'INDEX ON {table} ((data -> \'invited_by\'))', 'INDEX ON {table} USING gin (data)'),
           'buyer': ('UNIQUE INDEX ON {table} ((data -> \'_id\'))',), 'sale': (), 'comment': ('INDEX ON {table} USING gin (data)',), 'home': ('INDEX ON {table} USING gin (data)',)}

# {what: (the table, the pipeline, SQL by hand)}
PIPELINES = {
    'the best of a kind: $match, $sort, $limit, $project': ('movie', '''[{"$match": {"genres": "Drama", "year": {"$gte": 1990}}}, {"$sort": {"imdb.rating": -1, "title": 1}}, {"$limit": 10},
        {"$project": {"_id": 0, "title": 1, "year": 1, "rating": "$imdb.rating"}}]''',
        """SELECT {t}_build_object('title', data -> 'title', 'year', data -> 'year', 'rating', data -> 'imdb' -> 'rating') FROM {movie} WHERE data -> 'genres' @> '["Drama"]' AND (data -> 'year')::int >= 1990
        ORDER BY (data -> 'imdb' -> 'rating')::float8 DESC, data ->> 'title' COLLATE "C" LIMIT 10"""),
    'a total for each year: $match, $group, $sort': ('movie', '''[{"$match": {"type": "movie", "year": {"$gte": 1950}}}, {"$group": {"_id": "$year", "n": {"$sum": 1}, "wins": {"$sum": "$awards.wins"}, "longest": {"$max": "$runtime"}, "mean": {"$avg": "$runtime"}}}, {"$sort": {"_id": 1}}]''',
        """SELECT {t}_build_object('_id', year, 'n', count(*), 'wins', sum((data -> 'awards' -> 'wins')::int), 'longest', max(runtime), 'mean', avg(runtime)::float8)
        FROM (SELECT data, (data -> 'year')::int AS year, (data -> 'runtime')::int AS runtime FROM {movie} WHERE data ->> 'type' = 'movie' AND (data -> 'year')::int >= 1950) AS m GROUP BY year ORDER BY year"""),
    'who plays most: $unwind, $group, $sort, $limit': ('movie', '''[{"$unwind": "$cast"}, {"$group": {"_id": "$cast", "n": {"$sum": 1}, "votes": {"$sum": "$imdb.votes"}}}, {"$sort": {"n": -1, "votes": -1, "_id": 1}}, {"$limit": 20}]''',
        """SELECT {t}_build_object('_id', actor, 'n', count(*), 'votes', sum((data -> 'imdb' -> 'votes')::int)) FROM {movie}, {t}_array_elements_text(data -> 'cast') AS actor
        GROUP BY actor ORDER BY count(*) DESC, sum((data -> 'imdb' -> 'votes')::int) DESC, actor COLLATE "C" LIMIT 20"""),
    'the most frequent genres: $unwind, $sortByCount': ('movie', '[{"$unwind": "$genres"}, {"$sortByCount": "$genres"}]',
        "SELECT {t}_build_object('_id', genre, 'count', count(*)) FROM {movie}, {t}_array_elements_text(data -> 'genres') AS genre GROUP BY genre ORDER BY count(*) DESC"),
    'the films of comments, by _id: $lookup, $unwind, $group': ('comment', '''[{"$lookup": {"from": "{movie}", "localField": "movie_id", "foreignField": "_id", "as": "movie"}}, {"$unwind": "$movie"}, {"$group": {"_id": "$movie.type", "n": {"$sum": 1}, "last": {"$max": "$movie.year"}}}, {"$sort": {"_id": 1}}]''',
        """SELECT {t}_build_object('_id', m.data -> 'type', 'n', count(*), 'last', max((m.data -> 'year')::int)) FROM {comment} AS c JOIN {movie} AS m ON c.data -> 'movie_id' = m.data -> '_id' GROUP BY m.data -> 'type' ORDER BY m.data -> 'type'"""),
    'a few films with their comments: $match, $lookup, $project': ('movie', '''[{"$match": {"imdb.id": {"$gte": 100, "$lt": 140}}}, {"$lookup": {"from": "{comment}", "localField": "_id", "foreignField": "movie_id", "as": "comments"}}, {"$project": {"title": 1, "n": {"$size": "$comments"}, "_id": 0}}]''',
        """SELECT {t}_build_object('title', m.data -> 'title', 'n', (SELECT count(*) FROM {comment} AS c WHERE c.data @> {t}_build_object('movie_id', m.data -> '_id'))) FROM {movie} AS m WHERE (m.data -> 'imdb' -> 'id')::int BETWEEN 100 AND 139"""),
    'by rating: $bucket': ('movie', '''[{"$bucket": {"groupBy": "$imdb.rating", "boundaries": [2, 4, 6, 8], "default": "other", "output": {"n": {"$sum": 1}, "votes": {"$sum": "$imdb.votes"}}}}]''',
        """SELECT {t}_build_object('_id', CASE WHEN b BETWEEN 1 AND 3 THEN to_{t}(b * 2) ELSE to_{t}('other'::text) END, 'n', n, 'votes', votes)
        FROM (SELECT nullif(width_bucket((data -> 'imdb' -> 'rating')::float8, ARRAY[2, 4, 6, 8]::float8[]) % 4, 0) AS b, count(*) AS n, sum((data -> 'imdb' -> 'votes')::int) AS votes FROM {movie} GROUP BY 1) AS g ORDER BY b"""),
    'three views of one list: $facet': ('movie', '''[{"$match": {"genres": "Horror"}}, {"$facet": {"rated": [{"$group": {"_id": "$rated", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}], "long": [{"$match": {"runtime": {"$gt": 175}}}, {"$count": "n"}], "first": [{"$sort": {"title": 1}}, {"$limit": 5}, {"$project": {"_id": 0, "title": 1}}]}}]''',
        """WITH m AS MATERIALIZED (SELECT data FROM {movie} WHERE data -> 'genres' @> '["Horror"]')
        SELECT {t}_build_object('rated', (SELECT {t}_agg({t}_build_object('_id', r, 'n', n) ORDER BY r COLLATE "C" NULLS FIRST) FROM (SELECT data ->> 'rated' AS r, count(*) AS n FROM m GROUP BY 1) AS g),
        'long', (SELECT {t}_build_array({t}_build_object('n', count(*))) FROM m WHERE (data -> 'runtime')::int > 175),
        'first', (SELECT {t}_agg({t}_build_object('title', t) ORDER BY t COLLATE "C") FROM (SELECT data ->> 'title' AS t FROM m ORDER BY data ->> 'title' COLLATE "C" LIMIT 5) AS f))"""),
    'the three best of each year: $setWindowFields, $match': ('movie', '''[{"$match": {"year": {"$gte": 1970}}}, {"$setWindowFields": {"partitionBy": "$year", "sortBy": {"imdb.votes": -1}, "output": {"place": {"$rank": {}}}}}, {"$match": {"place": {"$lte": 3}}}, {"$project": {"_id": 0, "title": 1, "year": 1, "place": 1}}]''',
        """SELECT {t}_build_object('title', data -> 'title', 'year', data -> 'year', 'place', place) FROM (SELECT data, rank() OVER (PARTITION BY (data -> 'year')::int ORDER BY (data -> 'imdb' -> 'votes')::int DESC) AS place FROM {movie} WHERE (data -> 'year')::int >= 1970) AS m WHERE place <= 3"""),
    'whom they invited, in rounds: $graphLookup': ('person', '''[{"$match": {"_id": {"$lte": 20}}}, {"$graphLookup": {"from": "{person}", "startWith": "$_id", "connectFromField": "_id", "connectToField": "invited_by", "as": "invited"}}, {"$project": {"n": {"$size": "$invited"}}}]''',
        """SELECT {t}_build_object('_id', p.data -> '_id', 'n', (WITH RECURSIVE r AS (SELECT q.data FROM {person} AS q WHERE q.data -> 'invited_by' = p.data -> '_id' UNION SELECT q.data FROM r JOIN {person} AS q ON q.data -> 'invited_by' = r.data -> '_id') SELECT count(*) FROM r)) FROM {person} AS p WHERE (p.data -> '_id')::int <= 20"""),
    'prices of homes that have all: $match, $group of decimals': ('home', '''[{"$match": {"amenities": {"$all": ["Wifi", "Pool"]}, "bedrooms": {"$gte": 1}}}, {"$group": {"_id": "$address.market", "n": {"$sum": 1}, "least": {"$min": "$price"}, "all": {"$sum": {"$add": ["$price", "$cleaning_fee"]}}}}, {"$sort": {"_id": 1}}]''',
        """SELECT {t}_build_object('_id', market, 'n', count(*), 'least', min(price), 'all', sum(price + fee)) FROM (SELECT data -> 'address' ->> 'market' AS market, (data -> 'price')::numeric AS price, (data -> 'cleaning_fee')::numeric AS fee
        FROM {home} WHERE data @> '{{"amenities": ["Wifi", "Pool"]}}' AND (data -> 'bedrooms')::int >= 1) AS h GROUP BY market ORDER BY market COLLATE "C" """),
    'reviews for each month: $unwind, $group by parts of a date': ('home', '''[{"$unwind": "$reviews"}, {"$group": {"_id": {"y": {"$year": "$reviews.date"}, "m": {"$month": "$reviews.date"}}, "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]''',
        """SELECT {t}_build_object('_id', {t}_build_object('y', y, 'm', m), 'n', n) FROM (SELECT extract(year FROM at)::int AS y, extract(month FROM at)::int AS m, count(*) AS n
        FROM (SELECT (review ->> 'date')::timestamptz AT TIME ZONE 'UTC' AS at FROM {home}, {t}_array_elements(data -> 'reviews') AS review) AS r GROUP BY 1, 2) AS g ORDER BY y, m"""),
    'comments for each month in a zone: $group by parts of a date': ('comment', '''[{"$group": {"_id": {"y": {"$year": {"date": "$date", "timezone": "Europe/Berlin"}}, "m": {"$month": {"date": "$date", "timezone": "Europe/Berlin"}}}, "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]''',
        """SELECT {t}_build_object('_id', {t}_build_object('y', y, 'm', m), 'n', n) FROM (SELECT extract(year FROM at)::int AS y, extract(month FROM at)::int AS m, count(*) AS n
        FROM (SELECT (data ->> 'date')::timestamptz AT TIME ZONE 'Europe/Berlin' AS at FROM {comment}) AS c GROUP BY 1, 2) AS g ORDER BY y, m"""),
    'how many amenities a city offers: $unwind, $group by a field': ('home', '''[{"$unwind": "$amenities"}, {"$group": {"_id": "$address.market", "n": {"$sum": 1}, "beds": {"$sum": "$beds"}, "best": {"$max": "$review_scores.review_scores_rating"}}}, {"$sort": {"_id": 1}}]''',
        """SELECT {t}_build_object('_id', data -> 'address' -> 'market', 'n', count(*), 'beds', sum((data -> 'beds')::int), 'best', max((data -> 'review_scores' -> 'review_scores_rating')::int))
        FROM {home}, {t}_array_elements(data -> 'amenities') AS amenity GROUP BY data -> 'address' -> 'market' ORDER BY data -> 'address' -> 'market'"""),
}

# the same, as applications have them
PIPELINES |= {
    'sales by the tier of the buyer: $lookup by _id, $first, $group': ('sale', '''[{"$lookup": {"from": "{buyer}", "localField": "buyer", "foreignField": "_id", "as": "buyer"}}, {"$set": {"buyer": {"$first": "$buyer"}}}, {"$group": {"_id": "$buyer.tier", "n": {"$sum": 1}, "total": {"$sum": "$total"}}}]''',
        """SELECT {t}_build_object('_id', tier, 'n', count(*), 'total', sum(total)) FROM (SELECT b.data -> 'tier' AS tier, (s.data -> 'total')::int AS total FROM {sale} AS s LEFT JOIN {buyer} AS b ON b.data -> '_id' = s.data -> 'buyer') AS j GROUP BY tier"""),
    'by status and region, of what is computed: $set, $group by two fields': ('sale', '''[{"$set": {"cost": {"$add": ["$total", "$ship.fee"]}}}, {"$group": {"_id": {"status": "$status", "region": "$region"}, "n": {"$sum": 1}, "cost": {"$sum": "$cost"}}}]''',
        """SELECT {t}_build_object('_id', {t}_build_object('status', status, 'region', region), 'n', n, 'cost', cost) FROM (SELECT data -> 'status' AS status, data -> 'region' AS region, count(*) AS n, sum((data -> 'total')::int + (data -> 'ship' -> 'fee')::int) AS cost FROM {sale} GROUP BY 1, 2) AS g"""),
    'what each buyer bought, in order: $sort, $group': ('sale', '''[{"$sort": {"_id": 1}}, {"$group": {"_id": "$buyer", "ids": {"$push": "$_id"}, "regions": {"$addToSet": "$region"}, "first": {"$first": "$total"}}}, {"$project": {"ids": 1, "first": 1, "n": {"$size": "$regions"}}}]''',
        """SELECT {t}_build_object('_id', buyer, 'ids', ids, 'first', ids_first, 'n', n) FROM (SELECT data -> 'buyer' AS buyer, {t}_agg(data -> '_id' ORDER BY (data -> '_id')::int) AS ids, count(DISTINCT data -> 'region') AS n, (array_agg(data -> 'total' ORDER BY (data -> '_id')::int))[1] AS ids_first FROM {sale} GROUP BY 1) AS g"""),
    'by the place of a line: $unwind with an index, $group': ('sale', '''[{"$unwind": {"path": "$lines", "includeArrayIndex": "place"}}, {"$group": {"_id": "$place", "n": {"$sum": 1}, "items": {"$sum": "$lines.n"}}}]''',
        """SELECT {t}_build_object('_id', place - 1, 'n', count(*), 'items', sum((line -> 'n')::int)) FROM {sale}, {t}_array_elements(data -> 'lines') WITH ORDINALITY AS l(line, place) GROUP BY place"""),
    'how many are large: $project, $match, $count': ('sale', '''[{"$project": {"cost": {"$multiply": ["$qty", "$price"]}}}, {"$match": {"cost": {"$gt": 300}}}, {"$count": "n"}]''',
        """SELECT {t}_build_object('n', count(*)) FROM {sale} WHERE (data -> 'qty')::float8 * (data -> 'price')::float8 > 300"""),
    'by size, what was returned: $group by $switch, $sum of $cond': ('sale', '''[{"$group": {"_id": {"$switch": {"branches": [{"case": {"$lt": ["$total", 1000]}, "then": "small"}, {"case": {"$lt": ["$total", 3000]}, "then": "medium"}], "default": "large"}}, "back": {"$sum": {"$cond": [{"$eq": ["$status", "returned"]}, "$total", 0]}}}}]''',
        """SELECT {t}_build_object('_id', size, 'back', back) FROM (SELECT CASE WHEN (data -> 'total')::int < 1000 THEN 'small' WHEN (data -> 'total')::int < 3000 THEN 'medium' ELSE 'large' END AS size, sum(CASE WHEN data ->> 'status' = 'returned' THEN (data -> 'total')::int ELSE 0 END) AS back FROM {sale} GROUP BY 1) AS g"""),
    'where it goes: $replaceRoot, $mergeObjects': ('sale', '''[{"$replaceRoot": {"newRoot": {"$mergeObjects": [{"_id": "$_id", "status": "$status"}, "$ship"]}}}]''',
        """SELECT {t}_build_object('_id', data -> '_id', 'status', data -> 'status') || (data -> 'ship') FROM {sale}"""),
    'how many in each step of a thousand: $group by arithmetic': ('sale', '''[{"$group": {"_id": {"$subtract": ["$total", {"$mod": ["$total", 1000]}]}, "n": {"$sum": 1}}}]''',
        """SELECT {t}_build_object('_id', step, 'n', n) FROM (SELECT (data -> 'total')::int - (data -> 'total')::int % 1000 AS step, count(*) AS n FROM {sale} GROUP BY 1) AS g"""),
    'sales by country: $lookup by _id, $unwind, $group': ('sale', '''[{"$lookup": {"from": "{buyer}", "localField": "buyer", "foreignField": "_id", "as": "buyer"}}, {"$unwind": "$buyer"}, {"$group": {"_id": "$buyer.country", "n": {"$sum": 1}, "total": {"$sum": "$total"}}}]''',
        """SELECT {t}_build_object('_id', country, 'n', count(*), 'total', sum(total)) FROM (SELECT b.data -> 'country' AS country, (s.data -> 'total')::int AS total FROM {sale} AS s JOIN {buyer} AS b ON b.data -> '_id' = s.data -> 'buyer') AS j GROUP BY country"""),
    'a running total of each buyer: $setWindowFields': ('sale', '''[{"$setWindowFields": {"partitionBy": "$buyer", "sortBy": {"_id": 1}, "output": {"sum": {"$sum": "$total", "window": {"documents": ["unbounded", "current"]}}}}}, {"$project": {"sum": 1}}]''',
        """SELECT {t}_build_object('_id', id, 'sum', sum) FROM (SELECT data -> '_id' AS id, sum((data -> 'total')::int) OVER (PARTITION BY (data -> 'buyer')::int ORDER BY (data -> '_id')::int ROWS UNBOUNDED PRECEDING) AS sum FROM {sale}) AS w"""),
}

# As one stores these in jsonb: strings and numbers
PLAIN = r"""CREATE FUNCTION plain(text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT regexp_replace(regexp_replace($1, '\{"\$(?:oid|date)" ?: ?("[^"]*")\}', '\1', 'g'), '\{"\$numberDecimal" ?: ?"([^"]*)"\}', '\1', 'g') $$;"""
