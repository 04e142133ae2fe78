//! How long it takes to encode and to decode a document, beside JSON by serde_json, without a server: SPEED=1 test/bin/clients rust.
use bson::Document;
use pg_bson::{from_bytes, to_bytes};
use serde::{de::DeserializeOwned, Deserialize, Serialize};
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
    let item = |i: i32| Item {
        sku: format!("A-{i}"),
        name: format!("Item {i} of the order"),
        quantity: i,
        price: f64::from(i) + 19.9,
        gift: i % 2 == 0,
    };
    let customer = Customer {
        name: "Ada Lovelace".into(),
        email: "ada@example.com".into(),
        zip: "0150".into(),
        city: "Oslo".into(),
    };
    Order {
        id: 7,
        customer,
        total: 99.75,
        note: None,
        tags: vec!["new".into(), "express".into()],
        items: (0..items).map(item).collect(),
    }
}

/// Nanoseconds for which this thread has had a processor, of which the kernel keeps account where it looks for another one to run
fn processor() -> u64 {
    std::thread::yield_now();
    std::fs::read_to_string("/proc/thread-self/schedstat").unwrap().split(' ').next().unwrap().parse().unwrap()
}

fn time(once: &mut impl FnMut()) -> f64 {
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

/// "alone" is the crate bson
fn compare(name: &str, mut bson: impl FnMut(), mut json: impl FnMut(), mut alone: impl FnMut()) {
    let mut best = [f64::MAX; 3];
    for _ in 0..12 {
        best = [best[0].min(time(&mut bson)), best[1].min(time(&mut json)), best[2].min(time(&mut alone))];
    }
    println!(
        "speed | {name} | {:.2} | {:.2} | {:.2} | {:.2} |",
        best[0],
        best[1],
        best[0] / best[1],
        best[2] / best[1]
    );
}

fn encoding<T: Serialize, J: Serialize>(name: &str, value: &T, json: &J, alone: &impl Serialize) {
    compare(
        name,
        || drop(black_box(to_bytes(value).unwrap())),
        || drop(black_box(serde_json::to_vec(json).unwrap())),
        || drop(black_box(bson::serialize_to_vec(alone).unwrap())),
    );
}

fn decoding<T: DeserializeOwned, J: DeserializeOwned, A: DeserializeOwned>(name: &str, bytes: &[u8], text: &[u8]) {
    compare(
        name,
        || drop(black_box(from_bytes::<T>(bytes).unwrap())),
        || drop(black_box(serde_json::from_slice::<J>(text).unwrap())),
        || drop(black_box(bson::deserialize_from_slice::<A>(bytes).unwrap())),
    );
}

#[test]
fn speed() {
    type Json = serde_json::Value;
    for items in [0, 7, 160] {
        let order = order(items);
        let text = serde_json::to_vec(&order).unwrap();
        let json: Json = serde_json::from_slice(&text).unwrap();
        let bytes = to_bytes(&order).unwrap();
        let document: Document = from_bytes(&bytes).unwrap();
        let size = format!("{} bytes", text.len());
        encoding(&format!("encoding, a struct, {size}"), &order, &order, &order);
        encoding(&format!("encoding, a `Document`, {size}"), &document, &json, &document);
        encoding(&format!("encoding, a `serde_json::Value`, {size}"), &json, &json, &json);
        decoding::<Order, Order, Order>(&format!("decoding, a struct, {size}"), &bytes, &text);
        decoding::<Document, Json, Document>(&format!("decoding, a `Document`, {size}"), &bytes, &text);
        decoding::<Json, Json, Json>(&format!("decoding, a `serde_json::Value`, {size}"), &bytes, &text);
    }
}
