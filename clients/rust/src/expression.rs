//! Diesel, with `PgConnection` or diesel-async: the SQL type, and methods for the operators.
use crate::{from_bytes, to_bytes, Bson};
use diesel::deserialize::{self, FromSql};
use diesel::expression::{AsExpression, Expression};
use diesel::infix_operator;
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Nullable, SqlType, Text};
use serde::{de::DeserializeOwned, Serialize};
use std::fmt::Debug;
use std::io::Write;

pub mod sql_types {
    /// The type of a column, for `table!`
    #[derive(Debug, Clone, Copy, Default, diesel::query_builder::QueryId, diesel::sql_types::SqlType)]
    #[diesel(postgres_type(name = "bson"))]
    pub struct Bson;
}

impl<T: Serialize + Debug> ToSql<sql_types::Bson, Pg> for Bson<T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&to_bytes(&self.0)?)?;
        Ok(IsNull::No)
    }
}

impl<T: DeserializeOwned> FromSql<sql_types::Bson, Pg> for Bson<T> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Bson(from_bytes(value.as_bytes())?))
    }
}

/// What the methods of [`BsonExpressionMethods`] give
pub mod operators {
    use super::*;

    infix_operator!(BsonContains, " @> ", backend: Pg);
    infix_operator!(BsonMatch, " @~ ", backend: Pg);
    infix_operator!(BsonHasKey, " ? ", backend: Pg);
    infix_operator!(BsonGet, " -> ", sql_types::Bson, backend: Pg);
    infix_operator!(BsonGetText, " ->> ", Text, backend: Pg);
}
use operators::*;

/// `bson`, or a column of it that may be NULL
pub trait BsonOrNullable {}
impl BsonOrNullable for sql_types::Bson {}
impl BsonOrNullable for Nullable<sql_types::Bson> {}

/// The operators of the type.
pub trait BsonExpressionMethods: Expression + Sized {
    /// `@>`
    fn bson_contains<T: AsExpression<sql_types::Bson>>(self, part: T) -> BsonContains<Self, T::Expression>
    where
        Self::SqlType: SqlType,
    {
        BsonContains::new(self, part.as_expression())
    }

    /// `@~`, a query of MongoDB
    fn bson_match<T: AsExpression<sql_types::Bson>>(self, query: T) -> BsonMatch<Self, T::Expression>
    where
        Self::SqlType: SqlType,
    {
        BsonMatch::new(self, query.as_expression())
    }

    /// `?`
    fn bson_has_key<T: AsExpression<Text>>(self, key: T) -> BsonHasKey<Self, T::Expression>
    where
        Self::SqlType: SqlType,
    {
        BsonHasKey::new(self, key.as_expression())
    }

    /// `->`
    fn bson_get<T: AsExpression<Text>>(self, key: T) -> BsonGet<Self, T::Expression>
    where
        Self::SqlType: SqlType,
    {
        BsonGet::new(self, key.as_expression())
    }

    /// `->>`
    fn bson_get_text<T: AsExpression<Text>>(self, key: T) -> BsonGetText<Self, T::Expression>
    where
        Self::SqlType: SqlType,
    {
        BsonGetText::new(self, key.as_expression())
    }
}

impl<E> BsonExpressionMethods for E
where
    E: Expression,
    E::SqlType: BsonOrNullable,
{
}
