//! Write a document of every type in each way that doc/drivers.md has, for test/clients/conformance.
mod common;
use bson::{oid::ObjectId, raw::RawDocumentBuf, Bson as Value, Document};
use common::every;
use pg_bson::{to_bytes, to_text, Bson};
use serde::Serialize;
use std::{collections::BTreeMap, error::Error};
use tokio_postgres::{binary_copy::BinaryCopyInWriter, types::ToSql, NoTls};

/// Some fields of the document by serde's names
#[derive(Debug, Serialize)]
struct Every {
    #[serde(flatten)]
    fields: Document,
    #[serde(rename = "document of another class")]
    other: BTreeMap<String, i64>,
    _id: ObjectId,
}

#[tokio::test]
async fn ways() -> Result<(), Box<dyn Error + Send + Sync>> {
    let (client, connection) = tokio_postgres::connect(&std::env::var("DATABASE_DSN")?, NoTls).await?;
    tokio::spawn(connection);
    if client.query_one("SELECT to_regclass('conformance_way')::text", &[]).await?.get::<_, Option<String>>(0).is_none()
    {
        return Ok(());
    }
    client
        .execute("DELETE FROM conformance_way WHERE language = 'Rust' OR language IS NULL AND way <> ''", &[])
        .await?;
    let mut fields = every();
    fields.remove("document of another class");
    fields.remove("_id");
    let structure = Every { fields, other: BTreeMap::from([("b".into(), 1)]), _id: every().get_object_id("_id")? };
    let bytes = to_bytes(&every())?;
    let raw = RawDocumentBuf::from_bytes(bytes.clone())?;
    let insert = "INSERT INTO conformance_way (way, data) VALUES ($1, $2)";
    let ways: [(&str, &(dyn ToSql + Sync)); 5] = [
        ("a `Document`", &Bson(every())),
        ("a reference", &Bson(&every())),
        ("a `bson::Bson`", &Bson(Value::Document(every()))),
        ("a struct", &Bson(&structure)),
        ("a `RawDocumentBuf`", &Bson(&raw)),
    ];
    for (name, value) in ways {
        client.execute(insert, &[&format!("tokio-postgres, {name}"), value]).await?;
    }
    client
        .execute(
            "INSERT INTO conformance_way (way, data) SELECT $1, unnest($2::bson[])",
            &[&"tokio-postgres, a `bson[]`", &vec![Bson(every())]],
        )
        .await?;
    client
        .execute(
            "INSERT INTO conformance_way (way, data) VALUES ($1, $2::bytea)",
            &[&"tokio-postgres, `to_bytes`", &bytes],
        )
        .await?;
    client
        .execute(
            "INSERT INTO conformance_way (way, data) VALUES ($1, $2::text::bson)",
            &[&"tokio-postgres, `to_text`", &to_text(&every())?],
        )
        .await?;
    let types: Vec<_> = client.prepare(insert).await?.params().to_vec();
    let sink = client.copy_in("COPY conformance_way (way, data) FROM STDIN (FORMAT binary)").await?;
    let mut writer = Box::pin(BinaryCopyInWriter::new(sink, &types));
    writer.as_mut().write(&[&"tokio-postgres, `COPY`", &Bson(every())]).await?;
    writer.as_mut().finish().await?;
    client.execute("UPDATE conformance_way SET language = 'Rust' WHERE language IS NULL AND way <> ''", &[]).await?;
    Ok(())
}
