//! The `bson` type of PostgreSQL: whatever serde knows is a parameter and a result, as BSON bytes.
//!
//! ```no_run
//! # use pg_bson::Bson;
//! # use bson::{doc, Document};
//! let sent = Bson(doc! { "n": 15i64 });       // a document
//! let scalar = Bson(15i64);                   // any other value, too
//! ```
//!
//! The features `postgres` (tokio-postgres and postgres), `sqlx` and `diesel` each let [`Bson`] be what that
//! library binds and fetches.  `Option<Bson<T>>` is for a column that may be NULL.

use bson::Document;
use serde::{de, de::DeserializeOwned, Deserialize, Deserializer, Serialize};
use std::{fmt::Display, str::FromStr};

#[cfg(feature = "diesel")]
pub mod expression;
pub mod json;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlx")]
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
    // as a field, as only so bson writes what is no document
    let mut field = match json::is_json::<T>() {
        false => bson::serialize_to_vec(&Field { value })?,
        true => match json::plain_field(value) {
            Some(field) => field,
            None => bson::serialize_to_vec(&Field { value: json::to_bson(serde_json::to_value(value)?)? })?,
        },
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
    if json::is_json::<T>() {
        return Ok(T::deserialize(json::from_bson(from_bytes(bytes)?))?);
    }
    if bytes.len() > 8 && bytes[4..6] == ENVELOPE && bytes[7] == 0 {
        let field: Field<T> = bson::deserialize_from_slice(&with_length(&[&bytes[6..]]))?;
        return Ok(field.value);
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
pub fn optional_number<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<Option<T>, D::Error> {
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
        bson::Bson::Document(document) => bson::Bson::Document(document.into_iter().map(|(key, value)| (key, native_numbers(value))).collect()),
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
        for (value, price) in [(Value::Decimal128(decimal), 12.5), (Value::Double(12.5), 12.5), (Value::Int32(15), 15.0), (Value::Int64(15), 15.0), (Value::Double(1e21), 1e21)] {
            let bytes = to_bytes(&doc! { "price": value }).unwrap();
            assert_eq!(from_bytes::<Order>(&bytes).unwrap(), Order { price });
        }
        assert!(from_bytes::<Order>(&to_bytes(&doc! { "price": "12.50" }).unwrap()).is_err());
        #[derive(Debug, PartialEq, Deserialize)]
        struct Whole {
            #[serde(default, deserialize_with = "optional_number")]
            price: Option<i64>,
        }
        for (value, price) in [(doc! { "price": "NaN".parse::<Decimal128>().unwrap() }, None), (doc! { "price": f64::NEG_INFINITY }, None), (doc! { "price": null }, None), (doc! {}, None), (doc! { "price": 5 }, Some(5))] {
            assert_eq!(from_bytes::<Whole>(&to_bytes(&value).unwrap()).unwrap(), Whole { price });
        }
        assert!(from_bytes::<Whole>(&to_bytes(&doc! { "price": "x" }).unwrap()).is_err());
        for nan in ["NaN", "Infinity", "-Infinity"] {
            assert!(!from_bytes::<Order>(&to_bytes(&doc! { "price": nan.parse::<Decimal128>().unwrap() }).unwrap()).unwrap().price.is_finite());
        }
        let native = native_numbers(bson::bson!({ "sql": decimal, "json": 12.5, "list": [decimal, 15, 15i64] }));
        assert_eq!(native, bson::bson!({ "sql": 12.5, "json": 12.5, "list": [12.5, 15, 15i64] }));
    }

    #[test]
    fn forms() {
        let document = doc! {
            "_id": ObjectId::parse_str("5f2b1c3d4e5f60718293a4b5").unwrap(), "int64": 15i64, "large": 4968387550i64, "double": 15.0,
            "date": DateTime::from_millis(1646309594789), "decimal": "1.10".parse::<Decimal128>().unwrap(), "none": null, "b": { "a": [] },
        };
        let values = [Value::Document(document.clone()), Value::Int64(15), Value::Null, Value::Array(vec![1.into(), "zwei".into()]), Value::Document(doc! {}), Value::Document(doc! { "": 1 })];
        for value in values {
            assert_eq!(from_bytes::<Value>(&to_bytes(&value).unwrap()).unwrap(), value);
            assert_eq!(from_text::<Value>(&to_text(&value).unwrap()).unwrap(), value);
        }
        assert_eq!(to_bytes(&document).unwrap(), document.to_vec().unwrap());
        // as the server writes them
        assert_eq!(from_text::<Document>(r#"{"z": {"$numberLong": "15"}, "a": 4968387550, "d": 0.1}"#).unwrap(), doc! { "z": 15i64, "a": 4968387550i64, "d": 0.1 });
        assert_eq!(from_text::<Vec<i32>>("[1, 2]").unwrap(), [1, 2]);
        // and as serde_json has them, which loses nothing
        let texts = [
            r#"{"z":{"$numberLong":"15"},"a":4968387550,"d":15.0,"e":1,"f":{"$numberDecimal":"1.10"},"g":{"$oid":"5f2b1c3d4e5f60718293a4b5"},"h":{"$date":"2022-03-03T12:13:14.789Z"},"n":{"$numberDouble":"NaN"},"k":[true,null,"x",{"$numberDecimal":"NaN"}]}"#,
            r#"{"":{"é":[],"b":{}},"a":[2147483647,2147483648,-2147483648,-2147483649,9223372036854775807,-0.0,1.5,"\"\\ \u0000",true,null,[[{"x":1}],1,1,1,1,1,1,1,1,1,1]]}"#,
            "5", "[1,2.5]", "null", r#""x""#, r#"{"b":{"$binary":{"base64":"AAH/","subType":"00"}},"t":{"$timestamp":{"t":1,"i":7}},"m":{"$minKey":1}}"#,
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
        assert_eq!(from_bytes::<Document>(&to_bytes(&mixed).unwrap()).unwrap(), doc! { "id": 7i64, "data": { "n": 1, "d": "1.10".parse::<Decimal128>().unwrap() } });
        assert_eq!(from_bytes::<Mixed>(&to_bytes(&mixed).unwrap()).unwrap(), mixed);
        assert!(from_bytes::<serde_json::Map<String, serde_json::Value>>(&to_bytes(&doc! { "a": 1 }).unwrap()).unwrap()["a"] == 1);
        for wrong in ["\\x0", "\\xzz", "\\x\u{e9}", "\\x05", "{"] {
            assert!(from_text::<Document>(wrong).is_err());
        }
    }
}
