//! What the tests share: a document with the types that JSON lacks.
use bson::{doc, oid::ObjectId, spec::BinarySubtype, Binary, DateTime, Decimal128, Document};

pub fn document() -> Document {
    doc! {
        "_id": ObjectId::parse_str("5f2b1c3d4e5f60718293a4b5").unwrap(),
        "int64": 15i64,
        "large": 4968387550i64,
        "int32": 15i32,
        "double": 15.0,
        "date": DateTime::from_millis(1646309594789),
        "decimal": "1.10".parse::<Decimal128>().unwrap(),
        "binary": Binary { subtype: BinarySubtype::Generic, bytes: vec![0, 1, 255] },
        "none": null,
        "nested": { "list": [1i32, "zwei", { "drei": 3i64 }] },
    }
}
