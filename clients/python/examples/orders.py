"""Orders in a bson column, by psycopg 3, in the database that PGHOST, PGDATABASE and so on name: python orders.py."""
import datetime

import bson
import pg_bson
import psycopg


def order(name, city, day, total, *items):
    return {
        '_id': bson.ObjectId(),
        'customer': {'name': name, 'city': city},
        'placed': datetime.datetime(2024, 3, day, 12, 13, 14, tzinfo=datetime.timezone.utc),
        'total': bson.Decimal128(total),
        'items': [{'sku': sku, 'quantity': quantity} for sku, quantity in items],
    }


ada = order('Ada', 'Oslo', 3, '24.50', ('A-1', 2))
orders = [ada, order('Grace', 'Bergen', 4, '12.00', ('B-7', 1)), order('Linus', 'Oslo', 5, '99.90', ('A-1', 1), ('C-2', 5))]

with psycopg.connect() as connection:
    connection.execute('CREATE EXTENSION IF NOT EXISTS bson')
    pg_bson.register(connection)
    cursor = connection.cursor(binary=True)
    cursor.execute('CREATE TEMP TABLE orders (id serial PRIMARY KEY, data bson NOT NULL)')
    cursor.execute('CREATE INDEX ON orders USING gin (data)')
    cursor.executemany('INSERT INTO orders (data) VALUES (%s)', [[each] for each in orders])

    # a query of MongoDB, and containment
    for document, in cursor.execute('SELECT data FROM orders WHERE data @~ %s ORDER BY id', [{'customer.city': 'Oslo', 'total': {'$gt': 20}}]):
        print(f"{document['customer']['name']}: {document['total']}")
    count, = cursor.execute('SELECT count(*) FROM orders WHERE data @> %s', [{'items': [{'sku': 'A-1'}]}]).fetchone()
    print(f'orders with A-1: {count}')

    # one field is changed by the server, and values are read as SQL's
    cursor.execute("UPDATE orders SET data['shipped'] = %s WHERE data -> '_id' = %s", [pg_bson.Bson(datetime.datetime.now(datetime.timezone.utc)), pg_bson.Bson(ada['_id'])])
    for city, total in cursor.execute("SELECT data #>> '{customer,city}', sum(bson_get_numeric(data, 'total')) FROM orders GROUP BY 1 ORDER BY 1"):
        print(f'{city}: {total}')
    types, = cursor.execute("SELECT string_agg(concat_ws(' ', key, bson_typeof(value)), ', ') FROM orders, bson_each(data) WHERE id = 1").fetchone()
    print(types)
