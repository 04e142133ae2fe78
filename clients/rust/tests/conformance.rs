//! Read and write back what test/clients/conformance.sql lists, where there is that table.
use bson::Bson as Value;
use pg_bson::Bson;
use std::error::Error;
use tokio_postgres::{binary_copy::BinaryCopyInWriter, NoTls};

#[tokio::test]
async fn conformance() -> Result<(), Box<dyn Error>> {
    let (client, connection) = tokio_postgres::connect(&std::env::var("DATABASE_DSN")?, NoTls).await?;
    tokio::spawn(connection);
    if client.query_one("SELECT to_regclass('conformance')::text", &[]).await?.get::<_, Option<String>>(0).is_none() {
        return Ok(());
    }
    let name = "tokio-postgres";
    client.execute("DELETE FROM conformance_result WHERE client = $1", &[&name]).await?;
    let write = "INSERT INTO conformance_result (client, id, data) VALUES ($1, $2, $3)";
    for row in client.query("SELECT id FROM conformance WHERE id < 1000 ORDER BY id", &[]).await? {
        let id: i32 = row.get(0);
        let fetched = client.query_one("SELECT data FROM conformance WHERE id = $1", &[&id]).await?;
        let error = match fetched.try_get::<_, Option<Bson<Value>>>(0) {
            Ok(value) => client.execute(write, &[&name, &id, &value]).await.err(),
            Err(error) => Some(error),
        };
        if let Some(error) = error {
            client
                .execute(
                    "INSERT INTO conformance_result (client, id, error) VALUES ($1, $2, $3)",
                    &[&name, &id, &error.to_string()],
                )
                .await?;
        }
    }
    let list: Vec<Option<Bson<Value>>> =
        client.query_one("SELECT list FROM conformance WHERE id = 1000", &[]).await?.get(0);
    client.execute("INSERT INTO conformance_result (client, id, list) VALUES ($1, 1000, $2)", &[&name, &list]).await?;
    let row = client.query_one("SELECT data FROM conformance WHERE id = 1001", &[]).await?;
    let types: Vec<_> = client.prepare(write).await?.params().to_vec();
    let sink = client.copy_in("COPY conformance_result (client, id, data) FROM STDIN (FORMAT binary)").await?;
    let mut writer = Box::pin(BinaryCopyInWriter::new(sink, &types));
    writer.as_mut().write(&[&name, &1001i32, &row.get::<_, Bson<Value>>(0)]).await?;
    writer.as_mut().finish().await?;
    Ok(())
}
