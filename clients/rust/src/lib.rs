//! The `bson` type of PostgreSQL: whatever serde knows is a parameter and a result, as BSON bytes.
//!
//! ```no_run
//! # use pg_bson::Bson;
//! # use bson::{doc, Document};
//! let sent = Bson(doc! { "n": 15i64 });       // a document
//! let scalar = Bson(15i64);                   // any other value, too
//! ```
//!
//! The features `postgres` (tokio-postgres and postgres), `sqlx`, `sqlx-0_9` and `diesel` each let [`Bson`] be what that
//! library binds and fetches.  `Option<Bson<T>>` is for a column that may be NULL.

use bson::{Document, RawDocument};
use serde::{de, de::DeserializeOwned, Deserialize, Deserializer, Serialize};
use std::{fmt::Display, str::FromStr};

#[cfg(feature = "diesel")]
pub mod expression;
pub mod json;
mod plain;
#[cfg(feature = "postgres")]
mod postgres;
mod read;
#[cfg(any(feature = "sqlx", feature = "sqlx-0_9"))]
mod sqlx;

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// A value of a column of type `bson`: a [`Document`], a `bson::Bson`, or a type of one's own.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "diesel", derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow))]
#[cfg_attr(feature = "diesel", diesel(sql_type = expression::sql_types::Bson))]
pub struct Bson<T = Document>(pub T);

/// The server keeps a value that is no document as the document `{"": MinKey, "": value}`
const ENVELOPE: [u8; 2] = [0xff, 0];

const DOCUMENT: u8 = 3;

#[derive(Serialize, Deserialize)]
struct Field<T> {
    #[serde(rename = "")]
    value: T,
}

/// The binary form of the type.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Error> {
    let is_json = json::is_json::<T>();
    if let Some((kind, data)) = plain::value(value, is_json) {
        return Ok(if kind == DOCUMENT { data } else { with_length(&[&ENVELOPE, &[kind, 0], &data, &[0]]) });
    }
    to_bytes_by_crate(value, is_json)
}

fn to_bytes_by_crate<T: Serialize + ?Sized>(value: &T, is_json: bool) -> Result<Vec<u8>, Error> {
    // as a field, as only so bson writes what is no document
    let mut field = match is_json {
        false => bson::serialize_to_vec(&Field { value })?,
        true => bson::serialize_to_vec(&Field { value: json::to_bson(serde_json::to_value(value)?)? })?,
    };
    if field[4] == DOCUMENT {
        field.pop();
        field.drain(..6);
        return Ok(field);
    }
    Ok(with_length(&[&ENVELOPE, &field[4..]]))
}

/// A value from the binary form of the type.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let is_json = json::is_json::<T>();
    read::value(bytes, is_json).map_or_else(|| from_bytes_by_crate(bytes, is_json), Ok)
}

fn from_bytes_by_crate<T: DeserializeOwned>(bytes: &[u8], is_json: bool) -> Result<T, Error> {
    let enveloped = (bytes.len() > 8 && bytes[4..6] == ENVELOPE && bytes[7] == 0).then(|| with_length(&[&bytes[6..]]));
    if is_json {
        let mut document = Document::try_from(RawDocument::from_bytes(enveloped.as_deref().unwrap_or(bytes))?)?;
        let value =
            if enveloped.is_some() { document.remove("").ok_or("a value is missing")? } else { document.into() };
        return Ok(T::deserialize(json::from_bson(value))?);
    }
    if let Some(field) = enveloped {
        return Ok(bson::deserialize_from_slice::<Field<T>>(&field)?.value);
    }
    Ok(bson::deserialize_from_slice(bytes)?)
}

/// A text form of the type: the bytes in hexadecimal, which lose nothing.
pub fn to_text<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    let digits: String = to_bytes(value)?.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("\\x{digits}"))
}

/// A value from the text form of the type, which is Extended JSON or the bytes in hexadecimal.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    if let Some(digits) = text.strip_prefix("\\x") {
        let bytes: Option<Vec<u8>> =
            (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(digits.get(i..i + 2)?, 16).ok()).collect();
        return from_bytes(&bytes.ok_or("the text of a bson has a wrong hexadecimal digit")?);
    }
    let json: serde_json::Value = serde_json::from_str(text)?;
    from_bytes(&to_bytes(&json)?)
}

/// For a field that takes a number of any kind, an int, a long, a double or a decimal, as an `f64` or another type that
/// is read from digits, such as a decimal of a crate: `#[serde(deserialize_with = "pg_bson::number")]`.
pub fn number<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<T, D::Error> {
    parse_number(bson::Bson::deserialize(deserializer)?).map_err(de::Error::custom)
}

fn parse_number<T: FromStr<Err: Display>>(value: bson::Bson) -> Result<T, String> {
    let digits = match value {
        bson::Bson::Int32(value) => value.to_string(),
        bson::Bson::Int64(value) => value.to_string(),
        bson::Bson::Double(value) => value.to_string(),
        bson::Bson::Decimal128(value) => value.to_string(),
        other => return Err(format!("a number is expected, not {other}")),
    };
    digits.parse().map_err(|error: T::Err| error.to_string())
}

/// The same for an `Option<T>`, which is `None` for null, and for a NaN or an infinity that `T` has not:
/// `#[serde(default, deserialize_with = "pg_bson::optional_number")]`.
pub fn optional_number<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let value = bson::Bson::deserialize(deserializer)?;
    let finite = match &value {
        bson::Bson::Null => return Ok(None),
        bson::Bson::Double(value) => value.is_finite(),
        bson::Bson::Decimal128(value) => !value.to_string().contains('N') && !value.to_string().contains('I'),
        _ => true,
    };
    match parse_number(value) {
        Err(_) if !finite => Ok(None),
        result => result.map(Some).map_err(de::Error::custom),
    }
}

/// The value with numbers as JSON has them: a decimal is a double of 15 digits.
pub fn native_numbers(value: bson::Bson) -> bson::Bson {
    match value {
        bson::Bson::Decimal128(value) => bson::Bson::Double(value.to_string().parse().unwrap_or(f64::NAN)),
        bson::Bson::Array(values) => bson::Bson::Array(values.into_iter().map(native_numbers).collect()),
        bson::Bson::Document(document) => {
            bson::Bson::Document(document.into_iter().map(|(key, value)| (key, native_numbers(value))).collect())
        }
        value => value,
    }
}

/// The parts behind the length word of a document
fn with_length(parts: &[&[u8]]) -> Vec<u8> {
    let length = 4 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut document = (length as i32).to_le_bytes().to_vec();
    parts.iter().for_each(|part| document.extend_from_slice(part));
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::{doc, oid::ObjectId, Bson as Value, DateTime, Decimal128};

    #[derive(Debug, PartialEq, Deserialize)]
    struct Order {
        #[serde(deserialize_with = "number")]
        price: f64,
    }

    #[test]
    fn prices() {
        let decimal = "12.50".parse::<Decimal128>().unwrap();
        for (value, price) in [
            (Value::Decimal128(decimal), 12.5),
            (Value::Double(12.5), 12.5),
            (Value::Int32(15), 15.0),
            (Value::Int64(15), 15.0),
            (Value::Double(1e21), 1e21),
        ] {
            let bytes = to_bytes(&doc! { "price": value }).unwrap();
            assert_eq!(from_bytes::<Order>(&bytes).unwrap(), Order { price });
        }
        assert!(from_bytes::<Order>(&to_bytes(&doc! { "price": "12.50" }).unwrap()).is_err());
        #[derive(Debug, PartialEq, Deserialize)]
        struct Whole {
            #[serde(default, deserialize_with = "optional_number")]
            price: Option<i64>,
        }
        for (value, price) in [
            (doc! { "price": "NaN".parse::<Decimal128>().unwrap() }, None),
            (doc! { "price": f64::NEG_INFINITY }, None),
            (doc! { "price": null }, None),
            (doc! {}, None),
            (doc! { "price": 5 }, Some(5)),
        ] {
            assert_eq!(from_bytes::<Whole>(&to_bytes(&value).unwrap()).unwrap(), Whole { price });
        }
        assert!(from_bytes::<Whole>(&to_bytes(&doc! { "price": "x" }).unwrap()).is_err());
        for nan in ["NaN", "Infinity", "-Infinity"] {
            assert!(!from_bytes::<Order>(&to_bytes(&doc! { "price": nan.parse::<Decimal128>().unwrap() }).unwrap())
                .unwrap()
                .price
                .is_finite());
        }
        let native = native_numbers(bson::bson!({ "sql": decimal, "json": 12.5, "list": [decimal, 15, 15i64] }));
        assert_eq!(native, bson::bson!({ "sql": 12.5, "json": 12.5, "list": [12.5, 15, 15i64] }));
    }

    #[derive(Debug, Serialize, Deserialize)]
    enum Shape {
        Unit,
        Newtype(i8),
        Tuple(u8, f32),
        Struct { a: u32, b: Option<String> },
    }
    #[derive(Debug, Serialize, Deserialize)]
    struct Newtype(Option<Box<Shape>>);
    #[derive(Debug, Serialize, Deserialize)]
    struct Nothing;
    #[derive(Debug, Serialize, Deserialize)]
    struct Shapes {
        list: Vec<Shape>,
        newtype: [Newtype; 2],
        unit: (Nothing, ()),
        tuple: (i16, u16, u64, i64, bool, String),
        map: std::collections::BTreeMap<String, Vec<(i32, Option<f64>)>>,
        #[serde(flatten)]
        more: Document,
        #[serde(skip_serializing_if = "Option::is_none")]
        none: Option<i32>,
        id: ObjectId,
        at: (DateTime, DateTime),
        exact: Decimal128,
        binary: bson::Binary,
    }

    /// What is written without the crate bson is what it writes, and what is wrong for it is wrong.
    #[test]
    fn same_as_the_crate() {
        fn same(value: &impl Serialize, plain: bool) {
            let (own, theirs) = (to_bytes(value), to_bytes_by_crate(value, false));
            assert_eq!(own.is_err(), theirs.is_err());
            assert_eq!(own.ok(), theirs.ok());
            assert_eq!(plain::value(value, false).is_some(), plain);
        }
        let list = vec![
            Shape::Unit,
            Shape::Newtype(-1),
            Shape::Tuple(255, 0.1),
            Shape::Struct { a: u32::MAX, b: Some("é\0".into()) },
            Shape::Struct { a: 0, b: None },
        ];
        let generic = bson::Binary { subtype: bson::spec::BinarySubtype::Generic, bytes: vec![0, 1, 255] };
        let (id, exact) = (ObjectId::new(), "-1.10E-5".parse().unwrap());
        let shapes = Shapes {
            list,
            newtype: [Newtype(None), Newtype(Some(Box::new(Shape::Unit)))],
            unit: (Nothing, ()),
            tuple: (-1, 1, 1 << 40, -1 << 40, true, "text".into()),
            map: [
                ("a".to_string(), vec![(1, None), (2, Some(f64::NAN))]),
                (String::new(), (0..120).map(|i| (i, None)).collect()),
            ]
            .into(),
            more: doc! { "x": { "y": [[], {}] } },
            none: None,
            id,
            at: (DateTime::MIN, DateTime::MAX),
            exact,
            binary: generic.clone(),
        };
        same(&shapes, true);
        damage(&to_bytes(&shapes).unwrap(), &mut 1, read_as_the_crate::<Shapes>);
        for value in [
            Value::from(5),
            Value::from(5i64),
            Value::Null,
            "text".into(),
            Value::Array(vec![]),
            doc! {}.into(),
            doc! { "": 1 }.into(),
            id.into(),
            exact.into(),
            generic.into(),
            DateTime::from_millis(-1).into(),
            true.into(),
            1.5.into(),
        ] {
            same(&value, true);
            same(&doc! { "a": [&value, { "b": value.clone() }] }, true);
        }
        // what is left to it
        for value in [
            Value::MinKey,
            Value::MaxKey,
            Value::Undefined,
            Value::Symbol("s".into()),
            Value::JavaScriptCode("x".into()),
            Value::Timestamp(bson::Timestamp { time: 1, increment: 7 }),
        ] {
            same(&doc! { "a": value }, false);
        }
        same(&bson::Uuid::new(), false);
        same(&bson::raw::RawDocumentBuf::from_bytes(to_bytes(&doc! { "a": 1 }).unwrap()).unwrap(), false);
        same(&u64::MAX, false);
        same(&std::collections::BTreeMap::from([('a', 1)]), false);
        same(&std::collections::BTreeMap::from([(1, 1)]), false);
        same(&doc! { "a\0b": 1 }, false);
        let every = doc! { "i": 5, "l": 5i64, "large": i64::MAX, "d": [1.5, 15.0, -0.0, f64::NAN, f64::NEG_INFINITY], "s": "\0é", "o": id, "at": DateTime::MAX, "n": null, "m": Value::MinKey, "x": exact, "list": [[], {}, true], "u": Value::Undefined };
        let read = from_bytes::<serde_json::Value>(&to_bytes(&every).unwrap()).unwrap();
        assert_eq!(read, json::from_bson(every.into()));
        for value in [Value::from(5i64), Value::Array(vec![1.into()]), id.into(), Value::Null] {
            assert_eq!(from_bytes::<serde_json::Value>(&to_bytes(&value).unwrap()).unwrap(), json::from_bson(value));
        }
        assert!(from_bytes::<serde_json::Value>(b"\x09\0\0\0\x10a\0\0").is_err());
    }

    fn random(seed: &mut u64, below: usize) -> usize {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as usize % below
    }

    /// The bytes as they are, and cut or changed in a place
    fn damage(bytes: &[u8], seed: &mut u64, check: impl Fn(&[u8])) {
        check(bytes);
        for _ in 0..20 {
            let mut damaged = bytes[..bytes.len() - random(seed, 8) / 7 * random(seed, bytes.len())].to_vec();
            let at = random(seed, damaged.len());
            damaged[at] = [0, 1, 2, 3, 4, 8, 16, 127, 255, random(seed, 256) as u8][random(seed, 10)];
            check(&damaged);
        }
    }

    fn read_as_the_crate<T: DeserializeOwned + std::fmt::Debug>(bytes: &[u8]) {
        let said = |result: Result<T, Error>| format!("{:?}", result.map_err(|error| error.to_string()));
        assert_eq!(said(from_bytes(bytes)), said(from_bytes_by_crate(bytes, json::is_json::<T>())), "{bytes:?}");
    }

    fn any_value(seed: &mut u64, depth: usize) -> Value {
        let text = ["", "a", "é\0", "a longer text, of 31 characters", "$a", "😀"][random(seed, 6)].to_string();
        match random(seed, if depth > 4 { 16 } else { 22 }) {
            0 => Value::Int32(random(seed, 9) as i32 - 4),
            1 => Value::Int64([5, -1, i64::MAX, i64::MIN][random(seed, 4)]),
            2 => Value::Double([0.0, -0.0, 1.5, f64::NAN, f64::INFINITY][random(seed, 5)]),
            3 => (random(seed, 2) == 0).into(),
            4 => ObjectId::new().into(),
            5 => DateTime::from_millis([0, -1, 1646309594789, i64::MAX, i64::MIN][random(seed, 5)]).into(),
            6 => ["-1.10E-5", "NaN", "9999999999999999999999999999999999"][random(seed, 3)]
                .parse::<Decimal128>()
                .unwrap()
                .into(),
            7 => bson::Binary { subtype: [0, 2, 4, 128][random(seed, 4)].into(), bytes: text.into_bytes() }.into(),
            8 => Value::Timestamp(bson::Timestamp { time: 1, increment: 7 }),
            9 => [
                Value::MinKey,
                Value::MaxKey,
                Value::Undefined,
                Value::Symbol(text.clone()),
                Value::JavaScriptCode(text),
            ][random(seed, 5)]
            .clone(),
            10 => Value::RegularExpression(bson::Regex {
                pattern: bson::raw::cstr!("a.*").into(),
                options: bson::raw::cstr!("i").into(),
            }),
            11 => Value::Null,
            12..=15 => text.into(),
            kind if kind % 2 == 0 => Value::Array((0..random(seed, 12)).map(|_| any_value(seed, depth + 1)).collect()),
            _ => Value::Document(
                (0..random(seed, 9))
                    .map(|i| {
                        (["a", "b", "key", "é", "", "$oid", "c", "d", "e"][i].to_string(), any_value(seed, depth + 1))
                    })
                    .collect(),
            ),
        }
    }

    /// What is read without the crate bson is what it reads, also of damaged bytes.
    #[test]
    fn reads_as_the_crate() {
        #[derive(Debug, Deserialize)]
        #[allow(dead_code)]
        struct Order {
            a: Option<i64>,
            b: Option<String>,
            key: Option<std::collections::BTreeMap<String, serde_json::Value>>,
            c: Option<Vec<f64>>,
            d: Option<ObjectId>,
            e: Option<DateTime>,
        }
        fn or_none<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
            Ok(T::deserialize(deserializer).ok())
        }
        #[derive(Debug, Deserialize)]
        #[allow(dead_code)]
        struct Lenient {
            #[serde(default, deserialize_with = "or_none")]
            a: Option<bson::Uuid>,
            #[serde(default, deserialize_with = "or_none")]
            b: Option<bson::Timestamp>,
        }
        let lenient = doc! { "a": bson::Uuid::new(), "b": bson::Timestamp { time: 1, increment: 7 } };
        read_as_the_crate::<Lenient>(&to_bytes(&lenient).unwrap());
        assert!(matches!(from_bytes(&to_bytes(&lenient).unwrap()).unwrap(), Lenient { a: Some(_), b: Some(_) }));
        let mut seed = 1;
        for _ in 0..500 {
            let bytes = to_bytes(&any_value(&mut seed, 0)).unwrap();
            damage(&bytes, &mut seed, |bytes| {
                read_as_the_crate::<Value>(bytes);
                read_as_the_crate::<Document>(bytes);
                read_as_the_crate::<serde_json::Value>(bytes);
                read_as_the_crate::<Order>(bytes);
                read_as_the_crate::<Lenient>(bytes);
                read_as_the_crate::<std::collections::BTreeMap<String, serde_json::Value>>(bytes);
                read_as_the_crate::<Vec<Shape>>(bytes);
                read_as_the_crate::<bson::RawDocumentBuf>(bytes);
                read_as_the_crate::<de::IgnoredAny>(bytes);
            });
        }
    }

    #[test]
    fn forms() {
        let document = doc! {
            "_id": ObjectId::parse_str("5f2b1c3d4e5f60718293a4b5").unwrap(), "int64": 15i64, "large": 4968387550i64, "double": 15.0,
            "date": DateTime::from_millis(1646309594789), "decimal": "1.10".parse::<Decimal128>().unwrap(), "none": null, "b": { "a": [] },
        };
        let values = [
            Value::Document(document.clone()),
            Value::Int64(15),
            Value::Null,
            Value::Array(vec![1.into(), "zwei".into()]),
            Value::Document(doc! {}),
            Value::Document(doc! { "": 1 }),
        ];
        for value in values {
            assert_eq!(from_bytes::<Value>(&to_bytes(&value).unwrap()).unwrap(), value);
            assert_eq!(from_text::<Value>(&to_text(&value).unwrap()).unwrap(), value);
        }
        assert_eq!(to_bytes(&document).unwrap(), document.to_vec().unwrap());
        // as the server writes them
        assert_eq!(
            from_text::<Document>(r#"{"z": {"$numberLong": "15"}, "a": 4968387550, "d": 0.1}"#).unwrap(),
            doc! { "z": 15i64, "a": 4968387550i64, "d": 0.1 }
        );
        assert_eq!(from_text::<Vec<i32>>("[1, 2]").unwrap(), [1, 2]);
        // and as serde_json has them, which loses nothing
        let texts = [
            r#"{"z":{"$numberLong":"15"},"a":4968387550,"d":15.0,"e":1,"f":{"$numberDecimal":"1.10"},"g":{"$oid":"5f2b1c3d4e5f60718293a4b5"},"h":{"$date":"2022-03-03T12:13:14.789Z"},"n":{"$numberDouble":"NaN"},"k":[true,null,"x",{"$numberDecimal":"NaN"}]}"#,
            r#"{"":{"é":[],"b":{}},"a":[2147483647,2147483648,-2147483648,-2147483649,9223372036854775807,-0.0,1.5,"\"\\ \u0000",true,null,[[{"x":1}],1,1,1,1,1,1,1,1,1,1]]}"#,
            "5",
            "[1,2.5]",
            "null",
            r#""x""#,
            r#"{"b":{"$binary":{"base64":"AAH/","subType":"00"}},"t":{"$timestamp":{"t":1,"i":7}},"m":{"$minKey":1}}"#,
        ];
        for text in texts {
            let value: serde_json::Value = from_text(text).unwrap();
            assert_eq!(value.to_string(), text);
            assert_eq!(to_bytes(&value).unwrap(), to_bytes(&from_text::<Value>(text).unwrap()).unwrap());
            assert_eq!(to_bytes(&value).unwrap(), to_bytes(&Value::try_from(value.clone()).unwrap()).unwrap());
            assert_eq!(to_bytes(&&value).unwrap(), to_bytes(&value).unwrap());
        }
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Mixed {
            id: i64,
            #[serde(with = "json")]
            data: serde_json::Value,
        }
        let mixed = Mixed { id: 7, data: serde_json::json!({ "n": 1, "d": { "$numberDecimal": "1.10" } }) };
        assert_eq!(
            from_bytes::<Document>(&to_bytes(&mixed).unwrap()).unwrap(),
            doc! { "id": 7i64, "data": { "n": 1, "d": "1.10".parse::<Decimal128>().unwrap() } }
        );
        assert_eq!(from_bytes::<Mixed>(&to_bytes(&mixed).unwrap()).unwrap(), mixed);
        assert!(
            from_bytes::<serde_json::Map<String, serde_json::Value>>(&to_bytes(&doc! { "a": 1 }).unwrap()).unwrap()
                ["a"]
                == 1
        );
        // the library's containers of it, and JSON text, also in a struct
        let json = || serde_json::json!({ "n": 1, "id": { "$oid": "5f2b1c3d4e5f60718293a4b5" } });
        let known = doc! { "n": 1, "id": ObjectId::parse_str("5f2b1c3d4e5f60718293a4b5").unwrap() };
        let raw: Box<serde_json::value::RawValue> = serde_json::from_value(json()).unwrap();
        #[derive(Serialize)]
        struct Row<'a> {
            id: i64,
            data: &'a serde_json::value::RawValue,
        }
        for (bytes, as_bson) in [
            (to_bytes(&vec![json()]), Value::Array(vec![known.clone().into()])),
            (to_bytes(&[json()]), Value::Array(vec![known.clone().into()])),
            (to_bytes(&Some(json())), known.clone().into()),
            (to_bytes(&None::<serde_json::Value>), Value::Null),
            (to_bytes(&Box::new(json())), known.clone().into()),
            (to_bytes(&std::borrow::Cow::<serde_json::Value>::Owned(json())), known.clone().into()),
            (to_bytes(&std::collections::HashMap::from([("a", json())])), doc! { "a": known.clone() }.into()),
            (to_bytes(&raw), known.clone().into()),
            (to_bytes(&Row { id: 1, data: &raw }), doc! { "id": 1i64, "data": known.clone() }.into()),
        ] {
            assert_eq!(from_bytes::<Value>(&bytes.unwrap()).unwrap(), as_bson);
        }
        let list = to_bytes(&Value::Array(vec![known.into(), 5i64.into()])).unwrap();
        let read = vec![json(), serde_json::json!({ "$numberLong": "5" })];
        assert_eq!(from_bytes::<Vec<serde_json::Value>>(&list).unwrap(), read);
        assert_eq!(from_bytes::<Option<Box<serde_json::Value>>>(&list).unwrap(), Some(Box::new(read.into())));
        // what the crate would change: an integer of 64 bits without a sign, a date beyond the year 9999
        for (digits, double, is) in [
            ("1.5", 1.5, true),
            ("0.1000", 0.1, true),
            ("-0.0", -0.0, true),
            ("15e-1", 1.5, true),
            ("1E+300", 1e300, true),
            ("100.0", 100.0, true),
            ("0.12345678901234567890", 0.12345678901234568, false),
            ("123456789012345678901234567890", 1.2345678901234568e29, false),
            ("100000000000000000000", 1e20, false),
            ("1e-400", 0.0, false),
        ] {
            assert_eq!(json::is_double(digits, double), is, "{digits}");
        }
        let large = "18446744073709551615".parse::<Decimal128>().unwrap();
        for json in [serde_json::json!({ "a": u64::MAX }), serde_json::json!({ "a": u64::MAX, "$b": 1 })] {
            assert_eq!(from_bytes::<Document>(&to_bytes(&json).unwrap()).unwrap().get("a"), Some(&large.into()));
        }
        for millis in [253402300799999, 253402300800000, i64::MAX, -62167219200001, i64::MIN] {
            let bytes = to_bytes(&doc! { "a": DateTime::from_millis(millis) }).unwrap();
            let json: serde_json::Value = from_bytes(&bytes).unwrap();
            assert_eq!(to_bytes(&json).unwrap(), bytes);
            assert_eq!(from_text::<serde_json::Value>(&json.to_string()).unwrap(), json);
        }
        for wrong in ["\\x0", "\\xzz", "\\x\u{e9}", "\\x05", "{"] {
            assert!(from_text::<Document>(wrong).is_err());
        }
    }
}
