mod common;
use bson::{doc, Bson as Value};
use pg_bson::Bson;
use sqlx::{postgres::PgConnectOptions, ConnectOptions, Row};
use std::error::Error;

#[tokio::test]
async fn sqlx() -> Result<(), Box<dyn Error>> {
    let mut connection = PgConnectOptions::new().connect().await?; // PGHOST and so on
    sqlx::query("CREATE TEMP TABLE doc (id serial, data bson)").execute(&mut connection).await?;

    let sent = common::document();
    sqlx::query("INSERT INTO doc (data) VALUES ($1)").bind(Bson(&sent)).execute(&mut connection).await?;
    let found = sqlx::query_scalar("SELECT data FROM doc WHERE data @~ $1").bind(Bson(doc! { "int64": { "$gt": 14 } }));
    let Bson(fetched): Bson = found.fetch_one(&mut connection).await?;
    assert_eq!(fetched, sent);

    // a statement that is not prepared gives text
    let row = sqlx::raw_sql("SELECT data, data -> 'int64', NULL::bson FROM doc").fetch_one(&mut connection).await?;
    assert_eq!(row.get::<Bson, _>(0).0, sent);
    assert_eq!(row.get::<Bson<i64>, _>(1).0, 15);
    assert!(row.get::<Option<Bson>, _>(2).is_none());

    let row =
        sqlx::query("SELECT data -> 'nested' -> 'list', $1, $2 FROM doc WHERE data -> 'int64' > $3 AND data @> $4")
            .bind(vec![Bson(1), Bson(2)])
            .bind(None::<Bson>)
            .bind(Bson(14))
            .bind(Bson(doc! { "int64": 15 }))
            .fetch_one(&mut connection)
            .await?;
    assert_eq!(row.get::<Bson<Vec<Value>>, _>(0).0.len(), 3);
    assert_eq!(row.get::<Vec<Bson<i64>>, _>(1), [Bson(1), Bson(2)]);
    assert!(row.get::<Option<Bson>, _>(2).is_none());

    // without the crate's help: bytes
    sqlx::query("INSERT INTO doc (data) VALUES ($1::bytea)").bind(sent.to_vec()?).execute(&mut connection).await?;
    let bytes: Vec<u8> =
        sqlx::query_scalar("SELECT data::bytea FROM doc ORDER BY id DESC").fetch_one(&mut connection).await?;
    assert_eq!(bytes, sent.to_vec()?);
    Ok(())
}

/// Write a document of every type in each way, for test/clients/conformance
#[tokio::test]
async fn ways() -> Result<(), Box<dyn Error>> {
    let mut connection = PgConnectOptions::new().connect().await?;
    if sqlx::query_scalar::<_, Option<String>>("SELECT to_regclass('conformance_way')::text")
        .fetch_one(&mut connection)
        .await?
        .is_none()
    {
        return Ok(());
    }
    let (every, insert) =
        (common::every(), "INSERT INTO conformance_way (language, way, data) VALUES ('Rust, sqlx', $1, $2)");
    sqlx::query("DELETE FROM conformance_way WHERE language = 'Rust, sqlx'").execute(&mut connection).await?;
    sqlx::query(insert).bind("sqlx, a `Document`").bind(Bson(&every)).execute(&mut connection).await?;
    sqlx::query(insert)
        .bind("sqlx, a `bson::Bson`")
        .bind(Bson(Value::Document(every.clone())))
        .execute(&mut connection)
        .await?;
    sqlx::query(insert).bind("sqlx, an `Option`").bind(Some(Bson(&every))).execute(&mut connection).await?;
    sqlx::query(insert)
        .persistent(false)
        .bind("sqlx, not persistent")
        .bind(Bson(&every))
        .execute(&mut connection)
        .await?;
    let mut builder = sqlx::QueryBuilder::new("INSERT INTO conformance_way (language, way, data) ");
    builder.push_values([&every], |mut row, each| {
        row.push_bind("Rust, sqlx").push_bind("sqlx, `QueryBuilder`").push_bind(Bson(each));
    });
    builder.build().execute(&mut connection).await?;
    sqlx::query("INSERT INTO conformance_way (language, way, data) SELECT 'Rust, sqlx', $1, unnest($2)")
        .bind("sqlx, a `bson[]`")
        .bind(vec![Bson(&every)])
        .execute(&mut connection)
        .await?;
    sqlx::query("INSERT INTO conformance_way (language, way, data) VALUES ('Rust, sqlx', $1, $2::bytea)")
        .bind("sqlx, `to_vec`")
        .bind(every.to_vec()?)
        .execute(&mut connection)
        .await?;
    Ok(())
}
