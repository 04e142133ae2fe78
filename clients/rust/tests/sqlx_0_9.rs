//! The tests of sqlx 0.8
extern crate sqlx_0_9 as sqlx;
include!("sqlx.rs");
