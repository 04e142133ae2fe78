//! Bytes of what serde tells, written as the crate `bson` writes them, in a part of the time.  What is not known here is an
//! error, and is left to the crate, which says what is wrong, if anything is.
use crate::json;
use serde::{de, ser, Serialize, Serializer};
use std::fmt;

/// The type of a value, and its bytes.  With `json` the value is one of `serde_json`: a small integer is an int, and a `$`
/// before a key may begin Extended JSON, which is not known here.
pub(crate) fn value<T: Serialize + ?Sized>(value: &T, json: bool) -> Option<(u8, Vec<u8>)> {
    let mut writer = Writer { out: Vec::with_capacity(256), kind: None, at_key: false, top: 0, json };
    value.serialize(&mut writer).ok()?;
    Some((writer.top, writer.out))
}

/// What serde_json calls a `RawValue`
const RAW_JSON: &str = "$serde_json::private::RawValue";

struct Writer {
    out: Vec<u8>,
    /// Where the type of the next value is to be, but for that of the whole
    kind: Option<usize>,
    /// Is the next value a key?
    at_key: bool,
    top: u8,
    json: bool,
}

impl Writer {
    fn value(&mut self, kind: u8, bytes: &[u8]) -> Result<(), Other> {
        match self.kind {
            _ if self.at_key => return Err(Other),
            Some(at) => self.out[at] = kind,
            None => self.top = kind,
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn sized(&mut self, kind: u8, length: usize) -> Result<(), Other> {
        self.value(kind, &i32::try_from(length).map_err(|_| Other)?.to_le_bytes())
    }

    fn key(&mut self, key: &[u8]) -> Result<(), Other> {
        if key.contains(&0) {
            return Err(Other);
        }
        self.kind = Some(self.out.len());
        self.out.push(0);
        self.out.extend_from_slice(key);
        self.out.push(0);
        Ok(())
    }

    fn container(&mut self, kind: u8) -> Result<Container<'_>, Other> {
        let (begin, at) = (self.out.len(), self.kind);
        self.value(kind, &[0; 4])?;
        Ok(Container { writer: self, begin, kind: at, special: None, outer: None, count: 0 })
    }

    /// A document whose one field holds a variant of an enum
    fn variant(&mut self, kind: u8, name: &str) -> Result<Container<'_>, Other> {
        let outer = self.out.len();
        self.value(3, &[0; 4])?;
        self.key(name.as_bytes())?;
        Ok(Container { outer: Some(outer), ..self.container(kind)? })
    }

    fn close(&mut self, begin: usize) -> Result<(), Other> {
        self.out.push(0);
        let length = i32::try_from(self.out.len() - begin).map_err(|_| Other)?;
        self.out[begin..begin + 4].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }
}

#[derive(Debug)]
pub(crate) struct Other;

impl fmt::Display for Other {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("not known here")
    }
}

impl std::error::Error for Other {}

impl ser::Error for Other {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Other
    }
}

impl de::Error for Other {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Other
    }
}

/// Numbers of other sizes
macro_rules! numbers {
    ($($name:ident($from:ty) -> $as:ident($to:ty);)*) => { $(fn $name(self, value: $from) -> Result<(), Other> { self.$as(<$to>::from(value)) })* };
}

impl<'a> Serializer for &'a mut Writer {
    type Ok = ();
    type Error = Other;
    type SerializeSeq = Container<'a>;
    type SerializeMap = Container<'a>;
    type SerializeTuple = Container<'a>;
    type SerializeTupleStruct = Container<'a>;
    type SerializeTupleVariant = Container<'a>;
    type SerializeStruct = Container<'a>;
    type SerializeStructVariant = Container<'a>;

    fn is_human_readable(&self) -> bool {
        false
    }

    numbers! {
        serialize_i8(i8) -> serialize_i32(i32); serialize_i16(i16) -> serialize_i32(i32); serialize_u8(u8) -> serialize_i32(i32); serialize_u16(u16) -> serialize_i32(i32);
        serialize_u32(u32) -> serialize_i64(i64); serialize_f32(f32) -> serialize_f64(f64);
    }

    fn serialize_bool(self, value: bool) -> Result<(), Other> {
        self.value(8, &[value.into()])
    }

    fn serialize_i32(self, value: i32) -> Result<(), Other> {
        self.value(16, &value.to_le_bytes())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Other> {
        match i32::try_from(value) {
            Ok(value) if self.json => self.serialize_i32(value),
            _ => self.value(18, &value.to_le_bytes()),
        }
    }

    fn serialize_u64(self, value: u64) -> Result<(), Other> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) if self.json => self.value(19, &json::large(value).bytes()),
            Err(_) => Err(Other),
        }
    }

    fn serialize_f64(self, value: f64) -> Result<(), Other> {
        self.value(1, &value.to_le_bytes())
    }

    fn serialize_char(self, _: char) -> Result<(), Other> {
        Err(Other)
    }

    fn serialize_str(self, value: &str) -> Result<(), Other> {
        if self.at_key {
            self.at_key = false;
            return if self.json && value.starts_with('$') { Err(Other) } else { self.key(value.as_bytes()) };
        }
        self.sized(2, value.len() + 1)?;
        self.out.extend_from_slice(value.as_bytes());
        self.out.push(0);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Other> {
        self.sized(5, value.len())?;
        self.out.push(0);
        self.out.extend_from_slice(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Other> {
        self.value(10, &[])
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Other> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Other> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Other> {
        self.serialize_none()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Other> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), Other> {
        // those of the crate bson, such as a Uuid
        if name.starts_with('$') {
            return Err(Other);
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Other> {
        let mut container = self.container(3)?;
        ser::SerializeStruct::serialize_field(&mut container, variant, value)?;
        container.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Container<'a>, Other> {
        self.container(4)
    }

    fn serialize_tuple(self, _: usize) -> Result<Container<'a>, Other> {
        self.container(4)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Container<'a>, Other> {
        self.container(4)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Container<'a>, Other> {
        self.variant(4, variant)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Container<'a>, Other> {
        self.container(3)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Container<'a>, Other> {
        let special = name.starts_with('$').then_some(name);
        Ok(Container { special, ..self.container(3)? })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Container<'a>, Other> {
        self.variant(3, variant)
    }
}

/// A document or an array that is begun
struct Container<'a> {
    writer: &'a mut Writer,
    begin: usize,
    kind: Option<usize>,
    /// What the crate bson calls the struct that it makes of a value of another type
    special: Option<&'static str>,
    /// Where the document begins of which this is the one field
    outer: Option<usize>,
    count: usize,
}

impl Container<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Other> {
        let mut digits = [0; 20];
        let (mut first, mut rest) = (digits.len(), self.count);
        loop {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.count += 1;
        self.writer.key(&digits[first..])?;
        value.serialize(&mut *self.writer)
    }

    fn finish(self) -> Result<(), Other> {
        self.writer.close(self.begin)?;
        if let Some(name) = self.special {
            let written = self.writer.out.split_off(self.begin);
            self.writer.kind = self.kind;
            return self.writer.special(name, &written);
        }
        self.outer.map_or(Ok(()), |outer| self.writer.close(outer))
    }
}

impl Writer {
    /// An ObjectId, a date or a decimal, which are `{"$oid": "digits"}`, `{"$date": {"$numberLong": "digits"}}` and `{"$numberDecimalBytes": bytes}`;
    /// or JSON text, which is a document, too
    fn special(&mut self, name: &str, written: &[u8]) -> Result<(), Other> {
        let text = |key: &[u8], document: &[u8]| -> Option<String> {
            let content = document.get(4..)?.strip_prefix(b"\x02")?.strip_prefix(key)?.get(5..)?;
            String::from_utf8(content.get(..content.len().checked_sub(2)?)?.to_vec()).ok()
        };
        match name {
            "$oid" => {
                let id = bson::oid::ObjectId::parse_str(text(b"$oid", written).ok_or(Other)?).map_err(|_| Other)?;
                self.value(7, &id.bytes())
            }
            "$date" => {
                let inner = written.get(4..).and_then(|rest| rest.strip_prefix(b"\x03$date\0")).ok_or(Other)?;
                let millis: i64 = text(b"$numberLong", &inner[..inner.len() - 1])
                    .and_then(|digits| digits.parse().ok())
                    .ok_or(Other)?;
                self.value(9, &millis.to_le_bytes())
            }
            "$numberDecimal" => {
                let bytes = written
                    .get(4..)
                    .and_then(|rest| rest.strip_prefix(b"\x05$numberDecimalBytes\0\x10\0\0\0\0"))
                    .filter(|rest| rest.len() == 17)
                    .ok_or(Other)?;
                self.value(19, &bytes[..16])
            }
            RAW_JSON => {
                let json = text(RAW_JSON.as_bytes(), written).and_then(|text| serde_json::from_str(&text).ok());
                json::to_bson(json.ok_or(Other)?).map_err(|_| Other)?.serialize(self)
            }
            _ => Err(Other),
        }
    }
}

macro_rules! sequence {
    ($($trait:ident $name:ident),*) => { $(impl ser::$trait for Container<'_> {
        type Ok = ();
        type Error = Other;

        fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Other> {
            self.element(value)
        }

        fn end(self) -> Result<(), Other> {
            self.finish()
        }
    })* };
}
sequence!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field, SerializeTupleVariant serialize_field);

macro_rules! structure {
    ($($trait:ident),*) => { $(impl ser::$trait for Container<'_> {
        type Ok = ();
        type Error = Other;

        fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Other> {
            self.writer.key(key.as_bytes())?;
            value.serialize(&mut *self.writer)
        }

        fn end(self) -> Result<(), Other> {
            self.finish()
        }
    })* };
}
structure!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Container<'_> {
    type Ok = ();
    type Error = Other;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Other> {
        self.writer.at_key = true;
        key.serialize(&mut *self.writer)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Other> {
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Other> {
        self.finish()
    }
}
