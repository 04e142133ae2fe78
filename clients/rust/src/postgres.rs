//! tokio-postgres and postgres, in binary format.
use crate::{from_bytes, to_bytes, Bson, Error};
use bytes::BytesMut;
use postgres_types::{to_sql_checked, FromSql, IsNull, ToSql, Type};
use serde::{de::DeserializeOwned, Serialize};
use std::fmt::Debug;

impl<T: Serialize + Debug> ToSql for Bson<T> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Error> {
        out.extend_from_slice(&to_bytes(&self.0)?);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        ty.name() == "bson"
    }

    to_sql_checked!();
}

impl<'a, T: DeserializeOwned> FromSql<'a> for Bson<T> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Error> {
        Ok(Bson(from_bytes(raw)?))
    }

    fn accepts(ty: &Type) -> bool {
        ty.name() == "bson"
    }
}
