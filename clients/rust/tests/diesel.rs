mod common;
use bson::{doc, Bson as Value};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use pg_bson::{expression::BsonExpressionMethods, Bson};
use std::error::Error;
use tokio_postgres::NoTls;

diesel::table! {
    use diesel::sql_types::*;
    use pg_bson::expression::sql_types::Bson;

    doc (id) {
        id -> Integer,
        data -> Bson,
        more -> Nullable<Bson>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use pg_bson::expression::sql_types::Bson;

    conformance_way (way) {
        way -> Text,
        data -> Nullable<Bson>,
        language -> Nullable<Text>,
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = doc)]
struct Doc {
    id: i32,
    data: Bson,
    more: Option<Bson<Value>>,
}

#[tokio::test]
async fn diesel() -> Result<(), Box<dyn Error>> {
    let (client, connection) = tokio_postgres::connect(&std::env::var("DATABASE_DSN")?, NoTls).await?;
    tokio::spawn(connection);
    let mut connection = AsyncPgConnection::try_from(client).await?;
    connection.batch_execute("CREATE TEMP TABLE doc (id int PRIMARY KEY, data bson NOT NULL, more bson)").await?;

    let sent = common::document();
    let rows = vec![
        Doc { id: 1, data: Bson(sent.clone()), more: None },
        Doc { id: 2, data: Bson(doc! { "n": 7 }), more: Some(Bson(Value::Int64(7))) },
    ];
    diesel::insert_into(doc::table).values(rows).execute(&mut connection).await?;
    let found = doc::table.filter(doc::data.bson_match(Bson(doc! { "int64": { "$gt": 14 } }))).select(Doc::as_select());
    let fetched: Doc = found.first(&mut connection).await?;
    assert_eq!(fetched.data.0, sent);
    assert!(fetched.more.is_none() && fetched.id == 1);

    let ids = doc::table
        .filter(
            doc::data.bson_contains(Bson(doc! { "n": 7 })).and(doc::data.bson_has_key("n")).and(doc::more.eq(Bson(7))),
        )
        .select(doc::id);
    assert_eq!(ids.load::<i32>(&mut connection).await?, [2]);
    let parts: (Option<String>, Option<Bson<Vec<Value>>>) = doc::table
        .find(1)
        .select((doc::data.bson_get_text("int64").nullable(), doc::data.bson_get("nested").bson_get("list").nullable()))
        .first(&mut connection)
        .await?;
    assert_eq!(parts.0.as_deref(), Some("15"));
    assert_eq!(parts.1.unwrap().0.len(), 3);
    let older = doc::table.filter(doc::data.bson_get("int64").gt(Bson(14))).select(doc::id);
    assert_eq!(older.load::<i32>(&mut connection).await?, [1]);
    diesel::update(doc::table.find(2)).set(doc::more.eq(None::<Bson>)).execute(&mut connection).await?;
    assert_eq!(doc::table.filter(doc::more.is_null()).count().get_result::<i64>(&mut connection).await?, 2);
    Ok(())
}

/// Write a document of every type in each way, for test/clients/conformance
#[tokio::test]
async fn ways() -> Result<(), Box<dyn Error>> {
    use conformance_way::{data, language, table, way};
    let (client, connection) = tokio_postgres::connect(&std::env::var("DATABASE_DSN")?, NoTls).await?;
    tokio::spawn(connection);
    if client.query_one("SELECT to_regclass('conformance_way')::text", &[]).await?.get::<_, Option<String>>(0).is_none()
    {
        return Ok(());
    }
    let mut connection = AsyncPgConnection::try_from(client).await?;
    let name = language.eq("Rust, Diesel");
    diesel::delete(table.filter(name)).execute(&mut connection).await?;
    let every = common::every();
    diesel::insert_into(table)
        .values((name, way.eq("Diesel, `insert_into`"), data.eq(Bson(&every))))
        .execute(&mut connection)
        .await?;
    diesel::insert_into(table)
        .values(vec![(name, way.eq("Diesel, `insert_into` of many"), data.eq(Bson(every.clone())))])
        .execute(&mut connection)
        .await?;
    diesel::insert_into(table)
        .values((name, way.eq("Diesel, a `bson::Bson`"), data.eq(Bson(Value::Document(every.clone())))))
        .execute(&mut connection)
        .await?;
    diesel::insert_into(table).values((name, way.eq("Diesel, `update`"))).execute(&mut connection).await?;
    diesel::update(table.filter(way.eq("Diesel, `update`")))
        .set(data.eq(Bson(&every)))
        .execute(&mut connection)
        .await?;
    let insert = diesel::sql_query(
        "INSERT INTO conformance_way (language, way, data) VALUES ('Rust, Diesel', 'Diesel, `sql_query`', $1)",
    );
    insert.bind::<pg_bson::expression::sql_types::Bson, _>(Bson(&every)).execute(&mut connection).await?;
    Ok(())
}
