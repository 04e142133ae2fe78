// Orders in a bson column, by pg, in the database that PGHOST, PGDATABASE and so on name: node orders.mjs
import { Decimal128, ObjectId } from 'bson';
import pg from 'pg';
import { register, toBytes } from 'pg-bson';

const order = (name, city, day, total, ...items) => ({
  _id: new ObjectId(),
  customer: { name, city },
  placed: new Date(`2024-03-0${day}T12:13:14Z`),
  total: Decimal128.fromString(total),
  items: items.map(([sku, quantity]) => ({ sku, quantity })),
});
const ada = order('Ada', 'Oslo', 3, '24.50', ['A-1', 2]);
const orders = [ada, order('Grace', 'Bergen', 4, '12.00', ['B-7', 1]), order('Linus', 'Oslo', 5, '99.90', ['A-1', 1], ['C-2', 5])];

const client = new pg.Client();
await client.connect();
await client.query('CREATE EXTENSION IF NOT EXISTS bson');
await register(client);
await client.query('CREATE TEMP TABLE orders (id serial PRIMARY KEY, data bson NOT NULL)');
await client.query('CREATE INDEX ON orders USING gin (data)');
for (const each of orders) await client.query('INSERT INTO orders (data) VALUES ($1)', [each]);

// a query of MongoDB, and containment
const found = await client.query('SELECT data FROM orders WHERE data @~ $1 ORDER BY id', [{ 'customer.city': 'Oslo', total: { $gt: 20 } }]);
for (const { data } of found.rows) console.log(`${data.customer.name}: ${data.total}`);
const { rows: [{ count }] } = await client.query('SELECT count(*) FROM orders WHERE data @> $1', [{ items: [{ sku: 'A-1' }] }]);
console.log(`orders with A-1: ${count}`);

// one field is changed by the server, and values are read as SQL's
await client.query("UPDATE orders SET data['shipped'] = $1 WHERE data -> '_id' = $2", [toBytes(new Date()), toBytes(ada._id)]);
const totals = await client.query("SELECT data #>> '{customer,city}' AS city, sum(bson_get_numeric(data, 'total')) AS total FROM orders GROUP BY 1 ORDER BY 1");
for (const { city, total } of totals.rows) console.log(`${city}: ${total}`);
const { rows: [{ types }] } = await client.query("SELECT string_agg(concat_ws(' ', key, bson_typeof(value)), ', ') AS types FROM orders, bson_each(data) WHERE id = 1");
console.log(types);
await client.end();
