//! Orders in a bson column, by tokio-postgres, in the database that DATABASE_DSN (`host=… user=… dbname=…`) names.
use bson::{doc, oid::ObjectId, DateTime, Decimal128, Document};
use pg_bson::Bson;
use serde::{Deserialize, Serialize};
use std::error::Error;
use tokio_postgres::NoTls;

#[derive(Debug, Serialize, Deserialize)]
struct Order {
    #[serde(rename = "_id")]
    id: ObjectId,
    customer: Customer,
    placed: DateTime,
    total: Decimal128,
    items: Vec<Item>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Customer {
    name: String,
    city: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Item {
    sku: String,
    quantity: i32,
}

fn order(name: &str, city: &str, day: u32, total: &str, items: &[(&str, i32)]) -> Result<Order, Box<dyn Error>> {
    let items = items.iter().map(|&(sku, quantity)| Item { sku: sku.into(), quantity }).collect();
    let customer = Customer { name: name.into(), city: city.into() };
    Ok(Order {
        id: ObjectId::new(),
        customer,
        placed: DateTime::parse_rfc3339_str(format!("2024-03-0{day}T12:13:14Z"))?,
        total: total.parse()?,
        items,
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (client, connection) = tokio_postgres::connect(&std::env::var("DATABASE_DSN")?, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute("CREATE EXTENSION IF NOT EXISTS bson; CREATE TEMP TABLE orders (id serial PRIMARY KEY, data bson NOT NULL); CREATE INDEX ON orders USING gin (data)").await?;
    let ada = order("Ada", "Oslo", 3, "24.50", &[("A-1", 2)])?;
    for each in [
        &ada,
        &order("Grace", "Bergen", 4, "12.00", &[("B-7", 1)])?,
        &order("Linus", "Oslo", 5, "99.90", &[("A-1", 1), ("C-2", 5)])?,
    ] {
        client.execute("INSERT INTO orders (data) VALUES ($1)", &[&Bson(each)]).await?;
    }

    // a query of MongoDB, and containment
    for row in client
        .query(
            "SELECT data FROM orders WHERE data @~ $1 ORDER BY id",
            &[&Bson(doc! { "customer.city": "Oslo", "total": { "$gt": 20 } })],
        )
        .await?
    {
        let Bson(found): Bson<Order> = row.get(0);
        println!("{}: {}", found.customer.name, found.total);
    }
    let row = client
        .query_one("SELECT count(*) FROM orders WHERE data @> $1", &[&Bson(doc! { "items": [{ "sku": "A-1" }] })])
        .await?;
    println!("orders with A-1: {}", row.get::<_, i64>(0));

    // one field is changed by the server, and values are read as SQL's
    client
        .execute(
            "UPDATE orders SET data['shipped'] = $1 WHERE data -> '_id' = $2",
            &[&Bson(DateTime::now()), &Bson(ada.id)],
        )
        .await?;
    for row in client.query("SELECT data #>> '{customer,city}', sum(bson_get_numeric(data, 'total'))::text FROM orders GROUP BY 1 ORDER BY 1", &[]).await? {
        println!("{}: {}", row.get::<_, String>(0), row.get::<_, String>(1));
    }
    let row = client.query_one("SELECT data, string_agg(concat_ws(' ', key, bson_typeof(value)), ', ') FROM orders, bson_each(data) WHERE id = 1 GROUP BY data", &[]).await?;
    let Bson(stored): Bson<Document> = row.get(0);
    assert_eq!(stored.get_object_id("_id")?, ada.id);
    println!("{}", row.get::<_, String>(1));
    Ok(())
}
