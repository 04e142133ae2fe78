//! sqlx, in binary format; what a statement without parameters fetches comes as text.  Its versions are different crates to the
//! compiler only.
macro_rules! support {
    ($module:ident, $sqlx:ident) => {
        mod $module {
            use crate::{from_bytes, from_text, to_bytes, Bson, Error};
            use ::$sqlx::encode::IsNull;
            use ::$sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueFormat, PgValueRef};
            use ::$sqlx::{Decode, Encode, Postgres, Type};
            use serde::{de::DeserializeOwned, Serialize};

            impl<T> Type<Postgres> for Bson<T> {
                fn type_info() -> PgTypeInfo {
                    PgTypeInfo::with_name("bson")
                }
            }

            impl<T> PgHasArrayType for Bson<T> {
                fn array_type_info() -> PgTypeInfo {
                    PgTypeInfo::array_of("bson")
                }
            }

            impl<'q, T: Serialize> Encode<'q, Postgres> for Bson<T> {
                fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, Error> {
                    buffer.extend_from_slice(&to_bytes(&self.0)?);
                    Ok(IsNull::No)
                }
            }

            impl<'r, T: DeserializeOwned> Decode<'r, Postgres> for Bson<T> {
                fn decode(value: PgValueRef<'r>) -> Result<Self, Error> {
                    Ok(Bson(match value.format() {
                        PgValueFormat::Binary => from_bytes(value.as_bytes()?)?,
                        PgValueFormat::Text => from_text(value.as_str()?)?,
                    }))
                }
            }
        }
    };
}
#[cfg(feature = "sqlx")]
support!(sqlx_0_8, sqlx);
#[cfg(feature = "sqlx-0_9")]
support!(sqlx_0_9, sqlx_0_9);
