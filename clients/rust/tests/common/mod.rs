//! What the tests share: a document with the types that JSON lacks, and the one of test/clients/conformance.sql with each type.
#![allow(dead_code)]
use bson::{
    cstr, doc, oid::ObjectId, spec::BinarySubtype, Binary, Bson as Value, DateTime, Decimal128, Document, Regex,
    Timestamp,
};

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

pub fn every() -> Document {
    let (id, date, decimal): (_, _, Decimal128) = (
        ObjectId::parse_str("5f2b1c3d4e5f60718293a4b5").unwrap(),
        DateTime::from_millis(1646309594789),
        "1.10".parse().unwrap(),
    );
    doc! {
        "string": "it's \\ \" é", "string of digits": "15", "string of JSON": "{\"a\": 1}", "int": 15i32, "long within 32 bits": 15i64, "long": 9007199254740993i64,
        "double": 1.5, "whole double": 15.0, "decimal": decimal, "bool": true, "null": null, "objectId": id, "date": date,
        "binData": Binary { subtype: BinarySubtype::Generic, bytes: vec![0, 1, 255] }, "UUID": Binary { subtype: BinarySubtype::Uuid, bytes: (0..16).map(|i| i * 0x11).collect() },
        "regex": Regex { pattern: cstr!("^a").into(), options: cstr!("i").into() }, "timestamp": Timestamp { time: 1, increment: 7 }, "code": Value::JavaScriptCode("x()".into()), "minKey": Value::MinKey,
        "document": { "_id": 1, "a": { "date": date } }, "array": [1, [3i64, { "a": decimal }]], "document of another class": { "b": 1i64 }, "_id": id,
    }
}
