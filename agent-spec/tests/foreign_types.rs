//! Types of other crates: the gram type says what serde writes and reads.

use agent_spec::GramType;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// Texts of a type: each is read, what is written then satisfies the schema with its format, and is
/// read again. The others are refused by serde and, unless the format is a hint, by the schema.
fn check<T: GramType + Serialize + DeserializeOwned>(format: &str, good: &[&str], bad: &[&str]) {
    let schema = T::TYPE.schema().to_value();
    let wanted = match format {
        "" => json!({"type": "string"}),
        format => json!({"type": "string", "format": format}),
    };
    assert_eq!(schema, wanted);
    let options = jsonschema::options().should_validate_formats(true);
    let schema = options.build(&schema).expect("it is a schema");
    for text in good {
        let value: T = serde_json::from_value(json!(text)).expect(text);
        let written = serde_json::to_value(&value).expect("it can be written");
        assert!(schema.is_valid(&written), "{written}");
        assert_eq!(
            T::TYPE
                .validate(&written)
                .map_err(|error| error.to_string()),
            Ok(())
        );
        assert!(serde_json::from_value::<T>(written).is_ok());
    }
    for text in bad {
        assert!(serde_json::from_value::<T>(json!(text)).is_err(), "{text}");
        if matches!(format, "uuid" | "date" | "date-time" | "uri") {
            assert!(T::TYPE.validate(&json!(text)).is_err(), "{text}");
        }
    }
}

#[test]
fn uuids() {
    let uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    check::<uuid::Uuid>("uuid", &[uuid], &["67e55044", ""]);
}

#[test]
fn decimals() {
    check::<rust_decimal::Decimal>(
        "decimal",
        &["0", "-12.50", "79228162514264337593543950335"],
        &["", "12,5", "a", "1.2.3"],
    );
}

#[test]
fn urls() {
    check::<url::Url>(
        "uri",
        &[
            "https://example.org",
            "mailto:ada@example.org",
            "https://example.org/ä?q=1#x",
        ],
        &["example.org", "", "//example.org"],
    );
}

#[test]
fn dates_and_times_of_chrono() {
    let times = ["2024-02-29T12:30:00Z", "2024-02-29T12:30:00.25+02:00"];
    let no_times = ["2024-02-30T12:30:00Z", "2024-02-29", "12:30"];
    check::<chrono::DateTime<chrono::Utc>>("date-time", &times, &no_times);
    check::<chrono::DateTime<chrono::FixedOffset>>("date-time", &times, &no_times);
    check::<chrono::NaiveDate>("date", &["2024-02-29"], &["2024-02-30", "29.2.2024"]);
    check::<chrono::NaiveTime>("time-local", &["12:30:00", "23:59:59.5"], &["noon"]);
    check::<chrono::NaiveDateTime>("date-time-local", &["2024-02-29T12:30:00"], &["2024-02-29"]);
}

#[test]
fn dates_and_times_of_jiff() {
    let times = ["2024-02-29T12:30:00Z", "2024-02-29T12:30:00.25+02:00"];
    check::<jiff::Timestamp>("date-time", &times, &["2024-02-30T12:30:00Z", "12:30"]);
    check::<jiff::civil::Date>("date", &["2024-02-29"], &["2024-02-30", "29.2.2024"]);
    check::<jiff::civil::Time>("time-local", &["12:30:00", "23:59:59.5"], &["noon"]);
    check::<jiff::civil::DateTime>("date-time-local", &["2024-02-29T12:30:00"], &["noon"]);
    check::<jiff::Span>("duration", &["PT1H30M", "P1Y2M"], &["soon"]);
    check::<jiff::SignedDuration>("duration", &["PT1H30M", "PT5S"], &["soon"]);
    check::<jiff::Zoned>(
        "",
        &["2024-02-29T12:30:00+02:00[+02:00]"],
        &["2024-02-29T12:30:00Z"],
    );
}
