//! How long it takes to encode and to decode a document, beside JSON by serde_json, without a server: SPEED=1 test/bin/clients rust.
use bson::Document;
use pg_bson::{from_bytes, to_bytes};
use serde::{Deserialize, Serialize};
use std::hint::black_box;

#[derive(Serialize, Deserialize, Clone)]
struct Customer {
    name: String,
    email: String,
    zip: String,
    city: String,
}

#[derive(Serialize, Deserialize, Clone)]
struct Item {
    sku: String,
    name: String,
    quantity: i32,
    price: f64,
    gift: bool,
}

#[derive(Serialize, Deserialize, Clone)]
struct Order {
    id: i32,
    customer: Customer,
    total: f64,
    note: Option<String>,
    tags: Vec<String>,
    items: Vec<Item>,
}

fn order(items: i32) -> Order {
    let item = |i: i32| Item { sku: format!("A-{i}"), name: format!("Item {i} of the order"), quantity: i, price: f64::from(i) + 19.9, gift: i % 2 == 0 };
    let customer = Customer { name: "Ada Lovelace".into(), email: "ada@example.com".into(), zip: "0150".into(), city: "Oslo".into() };
    Order { id: 7, customer, total: 99.75, note: None, tags: vec!["new".into(), "express".into()], items: (0..items).map(item).collect() }
}

/// Nanoseconds for which this thread has had a processor
fn processor() -> u64 {
    std::fs::read_to_string("/proc/thread-self/schedstat").unwrap().split(' ').next().unwrap().parse().unwrap()
}

fn time(once: &mut dyn FnMut()) -> f64 {
    let mut count = 8;
    loop {
        let begin = processor();
        (0..count).for_each(|_| once());
        let spent = processor() - begin;
        if spent >= 8_000_000 {
            return spent as f64 / f64::from(count) / 1000.0;
        }
        count *= 2;
    }
}

fn compare(name: &str, bson: &mut dyn FnMut(), json: &mut dyn FnMut()) {
    let mut best = [f64::MAX; 2];
    for _ in 0..12 {
        best = [best[0].min(time(bson)), best[1].min(time(json))];
    }
    println!("speed | {name} | {:.2} | {:.2} | {:.2} | |", best[0], best[1], best[0] / best[1]);
}

#[test]
fn speed() {
    for items in [0, 7, 160] {
        let order = order(items);
        let text = serde_json::to_vec(&order).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let bytes = to_bytes(&order).unwrap();
        let document: Document = from_bytes(&bytes).unwrap();
        let size = format!("{} bytes", text.len());
        let mut json_value = || { black_box(serde_json::to_vec(&json).unwrap()); };
        compare(&format!("encoding, a struct, {size}"), &mut || { black_box(to_bytes(&order).unwrap()); }, &mut || { black_box(serde_json::to_vec(&order).unwrap()); });
        compare(&format!("encoding, a struct, the crate bson alone, {size}"), &mut || { black_box(bson::serialize_to_vec(&order).unwrap()); }, &mut || { black_box(serde_json::to_vec(&order).unwrap()); });
        compare(&format!("encoding, a `Document`, {size}"), &mut || { black_box(to_bytes(&document).unwrap()); }, &mut json_value);
        compare(&format!("encoding, a `Document`, the crate bson alone, {size}"), &mut || { black_box(bson::serialize_to_vec(&document).unwrap()); }, &mut json_value);
        compare(&format!("encoding, a `serde_json::Value`, {size}"), &mut || { black_box(to_bytes(&json).unwrap()); }, &mut json_value);
        let mut json_struct = || { black_box(serde_json::from_slice::<Order>(&text).unwrap()); };
        compare(&format!("decoding, a struct, {size}"), &mut || { black_box(from_bytes::<Order>(&bytes).unwrap()); }, &mut json_struct);
        compare(&format!("decoding, a struct, the crate bson alone, {size}"), &mut || { black_box(bson::deserialize_from_slice::<Order>(&bytes).unwrap()); }, &mut json_struct);
        let mut json_value = || { black_box(serde_json::from_slice::<serde_json::Value>(&text).unwrap()); };
        compare(&format!("decoding, a `Document`, {size}"), &mut || { black_box(from_bytes::<Document>(&bytes).unwrap()); }, &mut json_value);
        compare(&format!("decoding, a `Document`, the crate bson alone, {size}"), &mut || { black_box(bson::deserialize_from_slice::<Document>(&bytes).unwrap()); }, &mut json_value);
        compare(&format!("decoding, a `serde_json::Value`, {size}"), &mut || { black_box(from_bytes::<serde_json::Value>(&bytes).unwrap()); }, &mut json_value);
    }
}
