//! A `serde_json::Value` holds Extended JSON, as the server prints it: nothing is lost.  `Bson<serde_json::Value>` does so by
//! itself; a field of a struct is told by `#[serde(with = "pg_bson::json")]`, as otherwise the crate `bson` makes longs of all
//! integers and documents of ObjectIds, and cannot read decimals.
use bson::Bson;
use serde::{ser::Error as _, Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

pub fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    to_bson(value.clone()).map_err(S::Error::custom)?.serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Ok(from_bson(Bson::deserialize(deserializer)?))
}

/// Types have no other way to be told apart where they are not `'static`
pub(crate) fn is_json<T: ?Sized>() -> bool {
    let name = std::any::type_name::<T>().trim_start_matches('&');
    name == std::any::type_name::<Value>() || name == std::any::type_name::<Map<String, Value>>()
}

pub(crate) fn to_bson(value: Value) -> Result<Bson, crate::Error> {
    Ok(Bson::try_from(value)?)
}

pub(crate) fn from_bson(value: Bson) -> Value {
    match value {
        Bson::Int64(value) if i32::try_from(value).is_ok() => serde_json::json!({ "$numberLong": value.to_string() }),
        Bson::Array(values) => values.into_iter().map(from_bson).collect(),
        Bson::Document(document) => {
            Value::Object(document.into_iter().map(|(key, value)| (key, from_bson(value))).collect())
        }
        value => value.into_relaxed_extjson(),
    }
}
