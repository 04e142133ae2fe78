//! What serde reads from bytes, as the crate `bson` reads it, in a part of the time.  What is not known here, damaged bytes,
//! too, is left to the crate, which says what is wrong, if anything is.
use crate::{json, plain::Other, DOCUMENT, ENVELOPE};
use bson::{oid::ObjectId, Binary, Bson, DateTime, Decimal128};
use serde::de::value::{BorrowedStrDeserializer, MapDeserializer};
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::{cell::Cell, iter::once};

/// With `json` a `serde_json::Value` is read, which holds Extended JSON.
pub(crate) fn value<T: DeserializeOwned>(bytes: &[u8], json: bool) -> Option<T> {
    let left = Cell::new(false);
    let whole = Value { kind: DOCUMENT, data: bytes, json, left: &left };
    whole.without_envelope().and_then(T::deserialize).ok().filter(|_| !left.get())
}

/// A value: its type and its bytes
#[derive(Clone, Copy)]
struct Value<'a> {
    kind: u8,
    data: &'a [u8],
    json: bool,
    /// Is the whole left to the crate?  A program may pass over an error.
    left: &'a Cell<bool>,
}

fn number<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.first_chunk().copied()
}

fn length(bytes: &[u8]) -> Option<usize> {
    i32::from_le_bytes(number(bytes)?).try_into().ok()
}

impl<'a> Value<'a> {
    fn known<T>(self, found: Option<T>) -> Result<T, Other> {
        self.left.set(self.left.get() || found.is_none());
        found.ok_or(Other)
    }

    fn without_envelope(self) -> Result<Value<'a>, Other> {
        if self.data.get(4..6) != Some(&ENVELOPE) || self.data.get(7) != Some(&0) {
            return Ok(self);
        }
        let mut fields = self.fields()?;
        fields.rest = &fields.rest[ENVELOPE.len()..];
        fields.advance()?;
        self.known(fields.rest.is_empty().then_some(fields.value))
    }

    fn fields(self) -> Result<Fields<'a>, Other> {
        self.known(match self.data {
            [_, _, _, _, rest @ .., 0] if length(self.data) == Some(self.data.len()) => {
                Some(Fields { rest, value: self })
            }
            _ => None,
        })
    }

    fn text(self) -> Result<&'a str, Other> {
        self.known(match self.data {
            [_, _, _, _, text @ .., 0] => std::str::from_utf8(text).ok(),
            _ => None,
        })
    }

    /// Of a type that JSON has not
    fn extended(self) -> Option<Bson> {
        Some(match self.kind {
            1 => Bson::Double(f64::from_le_bytes(number(self.data)?)),
            5 if self.data[4] != 2 => {
                Bson::Binary(Binary { subtype: self.data[4].into(), bytes: self.data[5..].to_vec() })
            }
            7 => Bson::ObjectId(ObjectId::from_bytes(number(self.data)?)),
            9 => Bson::DateTime(DateTime::from_millis(i64::from_le_bytes(number(self.data)?))),
            18 => Bson::Int64(i64::from_le_bytes(number(self.data)?)),
            19 => Bson::Decimal128(Decimal128::from_bytes(number(self.data)?)),
            _ => return None,
        })
    }
}

/// The fields of a document, or the elements of an array: the last one that was read, and those behind it
struct Fields<'a> {
    value: Value<'a>,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The key of the next one
    fn advance(&mut self) -> Result<Option<&'a [u8]>, Other> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.take();
        self.value.known(key).map(Some)
    }

    fn take(&mut self) -> Option<&'a [u8]> {
        let (&kind, rest) = self.rest.split_first()?;
        let (key, rest) = rest.split_at(rest.iter().position(|byte| *byte == 0)?);
        let rest = &rest[1..];
        let size = match kind {
            10 => 0,
            8 => 1,
            16 => 4,
            1 | 9 | 18 => 8,
            7 => 12,
            19 => 16,
            2 => 4 + length(rest)?,
            3 | 4 => length(rest)?,
            5 => 5 + length(rest)?,
            _ => return None,
        };
        (self.value.data, self.rest) = rest.split_at_checked(size)?;
        self.value.kind = kind;
        Some(key)
    }
}

impl<'de> de::MapAccess<'de> for Fields<'de> {
    type Error = Other;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Other> {
        let Some(key) = self.advance()? else { return Ok(None) };
        let key = self.value.known(std::str::from_utf8(key).ok())?;
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Other> {
        seed.deserialize(self.value)
    }
}

impl<'de> de::SeqAccess<'de> for Fields<'de> {
    type Error = Other;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Other> {
        let Some(key) = self.advance()? else { return Ok(None) };
        self.value.known(key.is_ascii().then_some(()))?;
        seed.deserialize(self.value).map(Some)
    }
}

impl<'de> de::EnumAccess<'de> for Fields<'de> {
    type Error = Other;
    type Variant = Value<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(mut self, seed: V) -> Result<(V::Value, Value<'de>), Other> {
        let variant = de::MapAccess::next_key_seed(&mut self, seed)?;
        Ok((variant.ok_or(Other)?, self.value))
    }
}

impl<'de> de::VariantAccess<'de> for Value<'de> {
    type Error = Other;

    fn unit_variant(self) -> Result<(), Other> {
        Err(Other)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Other> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Other> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Other> {
        self.deserialize_any(visitor)
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Other;

    fn is_human_readable(&self) -> bool {
        self.json
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Other> {
        match self.kind {
            2 => return visitor.visit_borrowed_str(self.text()?),
            3 => return visitor.visit_map(self.fields()?),
            4 => return visitor.visit_seq(self.fields()?),
            5 if !self.json && self.data[4] == 0 => return visitor.visit_borrowed_bytes(&self.data[5..]),
            8 if self.data[0] < 2 => return visitor.visit_bool(self.data[0] == 1),
            10 => return visitor.visit_unit(),
            16 => return visitor.visit_i32(i32::from_le_bytes(self.known(number(self.data))?)),
            _ => {}
        }
        match self.known(self.extended())? {
            Bson::Double(value) if !self.json || value.is_finite() => visitor.visit_f64(value),
            Bson::Int64(value) if !self.json || i32::try_from(value).is_err() => visitor.visit_i64(value),
            value if self.json => json::from_bson(value).deserialize_any(visitor).map_err(|_| Other),
            // as the crate shows them
            Bson::ObjectId(id) => visitor.visit_map(MapDeserializer::new(once(("$oid", id.to_hex())))),
            Bson::DateTime(date) => {
                let millis = MapDeserializer::new(once(("$numberLong", date.timestamp_millis().to_string())));
                visitor.visit_map(MapDeserializer::new(once(("$date", millis))))
            }
            Bson::Decimal128(_) => visitor.visit_map(MapDeserializer::new(once(("$numberDecimalBytes", self.data)))),
            _ => self.known(None),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Other> {
        if self.kind == 10 {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Other> {
        match self.kind {
            2 => visitor.visit_enum(IntoDeserializer::<Other>::into_deserializer(self.text()?)),
            3 => visitor.visit_enum(self.fields()?),
            _ => Err(Other),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Other> {
        if self.kind == 7 {
            visitor.visit_borrowed_bytes(self.data)
        } else {
            self.deserialize_any(visitor)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Other> {
        // those of the crate bson, such as a Uuid or a RawDocumentBuf
        self.known((!name.starts_with('$')).then_some(()))?;
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
