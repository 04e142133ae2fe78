//! A `serde_json::Value` holds Extended JSON, as the server prints it: nothing is lost.  `Bson<serde_json::Value>` does so by
//! itself; a field of a struct is told by `#[serde(with = "pg_bson::json")]`, as otherwise the crate `bson` makes longs of all
//! integers and documents of ObjectIds, and cannot read decimals.
use bson::{Bson, DateTime, Decimal128};
use serde::{ser::Error as _, Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The last that ISO 8601 spells with four digits of the year
const LAST_DATE: DateTime = DateTime::from_millis(253402300799999);

pub fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    to_bson(value.clone()).map_err(S::Error::custom)?.serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Ok(from_bson(Bson::deserialize(deserializer)?))
}

/// Is it a type of `serde_json`, or a pointer to one, or the library's list, map or option of one?  Types have no other way to
/// be told apart where they are not `'static`.
pub(crate) fn is_json<T: ?Sized>() -> bool {
    let name = std::any::type_name::<T>();
    name.contains("serde_json::")
        && name.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).all(|part| {
            ["serde_json::", "alloc::", "std::", "core::option::"].iter().any(|library| part.starts_with(library))
                || ["", "_", "str", "mut"].contains(&part)
                || part.parse::<usize>().is_ok()
        })
}

/// An integer that only a `u64` holds is a decimal, as the server reads it
pub(crate) fn large(value: u64) -> Decimal128 {
    value.to_string().parse().expect("an integer of 20 digits")
}

fn large_as_decimals(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(large_as_decimals),
        Value::Object(fields) => fields.values_mut().for_each(large_as_decimals),
        Value::Number(number) if !number.is_i64() => {
            let digits = number.to_string();
            if !number.as_f64().is_some_and(|double| is_double(&digits, double)) {
                *value = serde_json::json!({ "$numberDecimal": digits });
            }
        }
        _ => (),
    }
}

/// Is it a double for the server?  A number has more digits than that where a program uses serde_json's `arbitrary_precision`.
pub(crate) fn is_double(digits: &str, double: f64) -> bool {
    digits.contains(['.', 'e', 'E']) && decimal(digits) == decimal(&format!("{double:e}"))
}

/// The digits that count, and the exponent of the last one
fn decimal(text: &str) -> Option<(String, i64)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, fraction].concat();
    let digits = all.trim_start_matches(['-', '0']).trim_end_matches('0');
    let zeros = all.len() - all.trim_end_matches('0').len();
    let exponent = exponent.parse::<i64>().ok()? - fraction.len() as i64 + zeros as i64;
    Some((digits.to_string(), if digits.is_empty() { 0 } else { exponent }))
}

pub(crate) fn to_bson(mut value: Value) -> Result<Bson, crate::Error> {
    large_as_decimals(&mut value);
    Ok(Bson::try_from(value)?)
}

pub(crate) fn from_bson(value: Bson) -> Value {
    match value {
        Bson::Int64(value) if i32::try_from(value).is_ok() => serde_json::json!({ "$numberLong": value.to_string() }),
        // the crate has no year beyond 9999 and would change the date
        Bson::DateTime(date) if date > LAST_DATE => Bson::DateTime(date).into_canonical_extjson(),
        Bson::Array(values) => values.into_iter().map(from_bson).collect(),
        Bson::Document(document) => {
            Value::Object(document.into_iter().map(|(key, value)| (key, from_bson(value))).collect())
        }
        value => value.into_relaxed_extjson(),
    }
}
