//! The types of other crates that features bring.

use super::{Gives, agree};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::tool;

/// Of `uuid` and `url`
#[tool(inline)]
fn names(id: uuid::Uuid, page: url::Url, others: Option<Vec<uuid::Uuid>>) -> Value {
    json!({"id": id, "page": page, "others": others})
}

/// Of `chrono`
#[tool(inline)]
fn by_chrono(
    at: chrono::DateTime<chrono::FixedOffset>,
    day: chrono::NaiveDate,
    time: Option<chrono::NaiveTime>,
    local: Option<chrono::NaiveDateTime>,
) -> Value {
    json!({"at": at, "day": day, "time": time, "local": local})
}

/// Of `jiff`
#[tool(inline)]
fn by_jiff(
    at: jiff::Timestamp,
    day: jiff::civil::Date,
    time: Option<jiff::civil::Time>,
    local: Option<jiff::civil::DateTime>,
    length: Option<jiff::SignedDuration>,
) -> Value {
    json!({"at": at, "day": day, "time": time, "local": local, "length": length})
}

/// Of `rust_decimal`
#[tool(inline)]
fn by_rust_decimal(
    price: rust_decimal::Decimal,
    more: Option<Vec<rust_decimal::Decimal>>,
) -> Value {
    json!({"price": price, "more": more})
}

#[test]
fn types_of_other_crates_agree() {
    agree::<names>(Gives::All);
    agree::<by_chrono>(Gives::All);
    agree::<by_jiff>(Gives::All);
    agree::<by_rust_decimal>(Gives::All);
}
