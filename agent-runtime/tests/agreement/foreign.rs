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
    weekday: Option<chrono::Weekday>,
    month: Option<chrono::Month>,
) -> Value {
    json!({"at": at, "day": day, "time": time, "local": local, "weekday": weekday, "month": month})
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
fn days_and_months_are_words_that_chrono_reads_and_writes() {
    use agent_runtime::GramType;
    use agent_runtime::spec::json::value_to_json;
    fn check<T: GramType>(read_and_write: fn(Value) -> Value, count: usize) {
        let words = T::TYPE.constraints().enumeration();
        assert_eq!(words.len(), count);
        for word in words {
            let word = value_to_json(word).expect("it is a text");
            assert_eq!(read_and_write(word.clone()), word);
        }
    }
    fn again<T: serde::de::DeserializeOwned + serde::Serialize>(word: Value) -> Value {
        json!(serde_json::from_value::<T>(word).expect("it is read"))
    }
    check::<chrono::Weekday>(again::<chrono::Weekday>, 7);
    check::<chrono::Month>(again::<chrono::Month>, 12);
}

#[test]
fn types_of_other_crates_agree() {
    agree::<names>(Gives::All);
    agree::<by_chrono>(Gives::All);
    agree::<by_jiff>(Gives::All);
    agree::<by_rust_decimal>(Gives::All);
}
