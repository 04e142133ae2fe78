mod common;
use bson::{doc, Bson as Value, Document};
use pg_bson::Bson;
use serde::{Deserialize, Serialize};
use std::error::Error;
use tokio_postgres::NoTls;

#[derive(Debug, Serialize, Deserialize, PartialEq)]
struct Person {
    name: String,
    born: Option<bson::DateTime>,
}

#[derive(Debug, Deserialize)]
struct Order {
    #[serde(deserialize_with = "pg_bson::number")]
    price: f64,
}

#[tokio::test]
async fn postgres() -> Result<(), Box<dyn Error>> {
    let (client, connection) = tokio_postgres::connect(&std::env::var("DATABASE_DSN")?, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute("CREATE TEMP TABLE doc (id serial, data bson)").await?;

    let sent = common::document();
    client.execute("INSERT INTO doc (data) VALUES ($1)", &[&Bson(&sent)]).await?;
    let row = client
        .query_one(
            "SELECT data, bson_typeof(data -> 'int64') FROM doc WHERE data @~ $1",
            &[&Bson(doc! { "int64": { "$gt": 14 } })],
        )
        .await?;
    let Bson(fetched): Bson<Document> = row.get(0);
    assert_eq!(fetched, sent);
    assert_eq!(row.get::<_, String>(1), "long");

    let row = client.query_one("SELECT data -> 'int64', data -> 'nested' -> 'list', data -> 'nope', data FROM doc WHERE data @> $1 AND data -> 'int64' > $2", &[&Bson(doc! { "int64": 15 }), &Bson(14)]).await?;
    assert_eq!(row.get::<_, Bson<Value>>(0).0, Value::Int64(15));
    assert_eq!(row.get::<_, Bson<Vec<Value>>>(1).0.len(), 3);
    assert!(row.get::<_, Option<Bson<Value>>>(2).is_none());
    assert!(row.try_get::<_, Bson<Vec<Value>>>(3).is_err());

    // a type of one's own, an array of them, a BSON null and SQL's
    let ada = Person { name: "Ada".into(), born: None };
    let row = client
        .query_one(
            "SELECT $1::bson, $2::bson[], $3::bson, $4::bson",
            &[&Bson(&ada), &vec![Bson(&ada), Bson(&ada)], &Bson(Value::Null), &None::<Bson>],
        )
        .await?;
    assert_eq!(row.get::<_, Bson<Person>>(0).0, ada);
    assert_eq!(row.get::<_, Vec<Bson<Person>>>(1)[1].0, ada);
    assert_eq!(row.get::<_, Bson<Value>>(2).0, Value::Null);
    assert!(row.get::<_, Option<Bson>>(3).is_none());

    // one type for what JSON and what SQL wrote
    let row = client
        .query_one(
            "SELECT bson_build_object('price', 12.50::numeric), '{\"price\": 12.5}'::bson, '{\"price\": 15}'::bson",
            &[],
        )
        .await?;
    let prices: Vec<f64> = (0..3).map(|i| row.get::<_, Bson<Order>>(i).0.price).collect();
    assert_eq!(prices, [12.5, 12.5, 15.0]);

    // a program written for jsonb: the driver checks types, so it is told by casts
    assert!(client.query_one("SELECT data FROM doc", &[]).await?.try_get::<_, serde_json::Value>(0).is_err());
    let mut data: serde_json::Value = client.query_one("SELECT data::jsonb FROM doc", &[]).await?.get(0);
    data["int32"] = 16.into();
    assert!(client.execute("UPDATE doc SET data = $1", &[&data]).await.is_err());
    client.execute("UPDATE doc SET data = $1::jsonb", &[&data]).await?;
    let Bson(written): Bson<Document> = client.query_one("SELECT data FROM doc", &[]).await?.get(0);
    let as_sent = |key: &str| written.get(key) == sent.get(key);
    assert!(
        written.get_i32("int32")? == 16 && as_sent("_id") && as_sent("date") && as_sent("double") && as_sent("binary")
    );
    assert!(written.get_i32("int64").is_ok() && written.get_f64("decimal").is_ok()); // as the numbers of JSON

    // what comes from elsewhere
    let row = client.query_one("SELECT '[1, \"zwei\", null]'::bson, '{\"\": 1}'::bson", &[]).await?;
    assert_eq!(row.get::<_, Bson<Value>>(0).0, bson::bson!([1, "zwei", null]));
    assert_eq!(row.get::<_, Bson>(1).0, doc! { "": 1 });
    Ok(())
}
