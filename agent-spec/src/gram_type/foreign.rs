//! Types of other crates, as serde writes them: a format where it is just that, a hint where it is
//! more or less.

use super::plain::formatted;

#[cfg(feature = "uuid")]
formatted! {
    "uuid": uuid::Uuid;
}

#[cfg(feature = "url")]
formatted! {
    "uri": url::Url;
}

#[cfg(feature = "chrono")]
formatted! {
    "date": chrono::NaiveDate;
    // Neither has an offset, which `time` and `date-time` of JSON Schema must have.
    "time-local": chrono::NaiveTime;
    "date-time-local": chrono::NaiveDateTime;
}

#[cfg(feature = "chrono")]
#[diagnostic::do_not_recommend]
impl<Z: chrono::TimeZone> crate::GramType for chrono::DateTime<Z> {
    const TYPE: &'static crate::Type = &crate::Type::kept(
        crate::Kind::Text,
        const { &crate::Constraints::of_format("date-time") },
    );
}

#[cfg(feature = "jiff")]
formatted! {
    "date-time": jiff::Timestamp;
    "date": jiff::civil::Date;
    "time-local": jiff::civil::Time;
    "date-time-local": jiff::civil::DateTime;
    "duration": jiff::Span, jiff::SignedDuration;
}

#[cfg(feature = "jiff")]
#[diagnostic::do_not_recommend]
impl crate::GramType for jiff::Zoned {
    // It ends with the name of its zone, `[Europe/Berlin]`, which no format has.
    const TYPE: &'static crate::Type = &crate::Type::new(crate::Kind::Text);
}
