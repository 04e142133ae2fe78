//! A `serde_json::Value` holds Extended JSON, as the server prints it: nothing is lost.  `Bson<serde_json::Value>` does so by
//! itself; a field of a struct is told by `#[serde(with = "pg_bson::json")]`, as otherwise the crate `bson` makes longs of all
//! integers and documents of ObjectIds, and cannot read decimals.
use bson::{Bson, RawBsonRef};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, IntoDeserializer, Visitor};
use serde::{forward_to_deserialize_any, ser::Error as _, Deserialize, Deserializer, Serialize, Serializer};
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
        Bson::Document(document) => Value::Object(document.into_iter().map(|(key, value)| (key, from_bson(value))).collect()),
        value => value.into_relaxed_extjson(),
    }
}

/// A value as serde reads a `serde_json::Value` from it, without one of the crate bson between them
pub(crate) struct Raw<'a>(pub(crate) RawBsonRef<'a>);

impl<'de> IntoDeserializer<'de, serde_json::Error> for Raw<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Raw<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let damaged = <Self::Error as de::Error>::custom::<bson::error::Error>;
        match self.0 {
            RawBsonRef::String(text) => visitor.visit_str(text),
            RawBsonRef::Int32(value) => visitor.visit_i64(value.into()),
            RawBsonRef::Int64(value) if i32::try_from(value).is_err() => visitor.visit_i64(value),
            RawBsonRef::Double(value) if value.is_finite() => visitor.visit_f64(value),
            RawBsonRef::Boolean(value) => visitor.visit_bool(value),
            RawBsonRef::Null => visitor.visit_unit(),
            RawBsonRef::Document(document) => {
                let fields: Vec<_> = document.iter().collect::<Result<_, _>>().map_err(damaged)?;
                visitor.visit_map(MapDeserializer::new(fields.into_iter().map(|(key, value)| (key.as_str(), Raw(value)))))
            }
            RawBsonRef::Array(array) => {
                let values: Vec<_> = array.into_iter().collect::<Result<_, _>>().map_err(damaged)?;
                visitor.visit_seq(SeqDeserializer::new(values.into_iter().map(Raw)))
            }
            value => from_bson(Bson::try_from(value).map_err(damaged)?).deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}
