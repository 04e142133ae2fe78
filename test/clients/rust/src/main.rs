// Documents of the bson crate in a bson column, as BSON bytes in binary format.
use bson::{doc, oid::ObjectId, spec::BinarySubtype, Binary, DateTime, Decimal128, Document};
use bytes::{BufMut, BytesMut};
use postgres_types::{to_sql_checked, FromSql, IsNull, ToSql, Type};
use std::error::Error;
use tokio_postgres::NoTls;

// Copy from here: a document that PostgreSQL knows as bson
#[derive(Debug)]
struct Bson(Document);

impl ToSql for Bson {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.0.to_writer(out.writer())?;
        Ok(IsNull::No)
    }
    fn accepts(ty: &Type) -> bool {
        ty.name() == "bson"
    }
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Bson {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Bson(Document::from_reader(raw)?))
    }
    fn accepts(ty: &Type) -> bool {
        ty.name() == "bson"
    }
}
// to here

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (client, connection) = tokio_postgres::connect(&std::env::var("DATABASE_DSN")?, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute("CREATE TEMP TABLE doc (id serial, data bson)").await?;

    let sent = doc! {
        "_id": ObjectId::parse_str("5f2b1c3d4e5f60718293a4b5")?,
        "int64": 15i64,
        "int32": 15i32,
        "double": 15.0,
        "date": DateTime::from_millis(1646309594789),
        "decimal": "1.10".parse::<Decimal128>()?,
        "binary": Binary { subtype: BinarySubtype::Generic, bytes: vec![0, 1, 255] },
        "nested": { "list": [1i32, "zwei", { "drei": 3i64 }] },
    };
    client.execute("INSERT INTO doc (data) VALUES ($1)", &[&Bson(sent.clone())]).await?;

    let row = client.query_one("SELECT data, bson_typeof(data -> 'int64') FROM doc", &[]).await?;
    let Bson(fetched) = row.get(0);
    assert_eq!(fetched, sent);
    assert_eq!(row.get::<_, String>(1), "long");
    println!("ok rust");
    Ok(())
}
