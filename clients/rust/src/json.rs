//! A `serde_json::Value` holds Extended JSON, as the server prints it: nothing is lost.  `Bson<serde_json::Value>` does so by
//! itself; a field of a struct is told by `#[serde(with = "pg_bson::json")]`, as otherwise the crate `bson` makes longs of all
//! integers and documents of ObjectIds, and cannot read decimals.
use bson::Bson;
use serde::{ser, ser::Error as _, ser::Impossible, Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

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

/// The document of one field without a name that holds a value of `serde_json`, in a tenth of the time that a `Bson`
/// takes; none for what is left to the crate `bson`: objects with a `$` before a key, which may be Extended JSON.
pub(crate) fn plain_field<T: Serialize + ?Sized>(value: &T) -> Option<Vec<u8>> {
    let mut writer = Plain { out: vec![0, 0, 0, 0, 0, 0], kind: 4 };
    value.serialize(&mut writer).ok()?;
    writer.out.push(0);
    let length = i32::try_from(writer.out.len()).ok()?;
    writer.out[..4].copy_from_slice(&length.to_le_bytes());
    Some(writer.out)
}

/// What is written, and where the type of the next value is to be
struct Plain {
    out: Vec<u8>,
    kind: usize,
}

impl Plain {
    fn value(&mut self, kind: u8, bytes: &[u8]) -> Result<(), Other> {
        self.out[self.kind] = kind;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn container(&mut self, kind: u8) -> Result<Container<'_>, Other> {
        let begin = self.out.len();
        self.value(kind, &[0; 4])?;
        Ok(Container { writer: self, begin, count: 0 })
    }
}

#[derive(Debug)]
struct Other;

impl fmt::Display for Other {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("not written here")
    }
}

impl std::error::Error for Other {}

impl ser::Error for Other {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Other
    }
}

/// A `Value` has none of these
macro_rules! others {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => { $(fn $name(self, $(_: $argument),*) -> Result<$result, Other> { Err(Other) })* };
}

impl<'a> Serializer for &'a mut Plain {
    type Ok = ();
    type Error = Other;
    type SerializeSeq = Container<'a>;
    type SerializeMap = Container<'a>;
    type SerializeTuple = Impossible<(), Other>;
    type SerializeTupleStruct = Impossible<(), Other>;
    type SerializeTupleVariant = Impossible<(), Other>;
    type SerializeStruct = Impossible<(), Other>;
    type SerializeStructVariant = Impossible<(), Other>;

    fn serialize_bool(self, value: bool) -> Result<(), Other> {
        self.value(8, &[value.into()])
    }

    fn serialize_i64(self, value: i64) -> Result<(), Other> {
        match i32::try_from(value) {
            Ok(value) => self.value(16, &value.to_le_bytes()),
            Err(_) => self.value(18, &value.to_le_bytes()),
        }
    }

    fn serialize_u64(self, value: u64) -> Result<(), Other> {
        self.serialize_i64(value.try_into().map_err(|_| Other)?)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Other> {
        self.value(1, &value.to_le_bytes())
    }

    fn serialize_str(self, value: &str) -> Result<(), Other> {
        let length = i32::try_from(value.len() + 1).map_err(|_| Other)?;
        self.value(2, &length.to_le_bytes())?;
        self.out.extend_from_slice(value.as_bytes());
        self.out.push(0);
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Other> {
        self.value(10, &[])
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Container<'a>, Other> {
        self.container(4)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Container<'a>, Other> {
        self.container(3)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), Other> {
        Err(Other)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<(), Other> {
        Err(Other)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Result<(), Other> {
        Err(Other)
    }

    others! {
        serialize_i8(i8) -> (); serialize_i16(i16) -> (); serialize_i32(i32) -> (); serialize_u8(u8) -> (); serialize_u16(u16) -> (); serialize_u32(u32) -> ();
        serialize_f32(f32) -> (); serialize_char(char) -> (); serialize_bytes(&[u8]) -> (); serialize_none() -> (); serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> (); serialize_tuple(usize) -> Impossible<(), Other>; serialize_tuple_struct(&'static str, usize) -> Impossible<(), Other>;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Impossible<(), Other>; serialize_struct(&'static str, usize) -> Impossible<(), Other>;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Impossible<(), Other>;
    }
}

struct Container<'a> {
    writer: &'a mut Plain,
    begin: usize,
    count: usize,
}

impl Container<'_> {
    fn finish(self) -> Result<(), Other> {
        let out = &mut self.writer.out;
        out.push(0);
        let length = i32::try_from(out.len() - self.begin).map_err(|_| Other)?;
        out[self.begin..self.begin + 4].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }
}

impl ser::SerializeSeq for Container<'_> {
    type Ok = ();
    type Error = Other;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Other> {
        self.writer.kind = self.writer.out.len();
        self.writer.out.push(0);
        self.writer.out.extend_from_slice(self.count.to_string().as_bytes());
        self.writer.out.push(0);
        self.count += 1;
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Other> {
        self.finish()
    }
}

impl ser::SerializeMap for Container<'_> {
    type Ok = ();
    type Error = Other;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Other> {
        // a string is written as a value; its length is not part of a key
        let begin = self.writer.out.len();
        self.writer.kind = begin;
        self.writer.out.push(0);
        key.serialize(&mut *self.writer)?;
        let out = &mut self.writer.out;
        if out[begin] != 2 || out[begin + 5] == b'$' || out[begin + 5..out.len() - 1].contains(&0) {
            return Err(Other);
        }
        out.drain(begin + 1..begin + 5);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Other> {
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Other> {
        self.finish()
    }
}
