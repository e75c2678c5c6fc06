//! Types of other crates, as serde writes them: a format where it is just that, a hint where it is
//! more or less. These crates also read what their format forbids, a UUID in braces or a date without
//! dashes, so what a model sends is checked before.

use super::GramType;
use crate::types::{Constraints, Kind, Type};

/// A text of a format that is checked before the implementation reads it.
const fn text_of(format: &'static Constraints) -> Type {
    Type::from_static(Kind::Text, false, format)
}

macro_rules! formatted {
    ($($format:literal: $($ty:ty),+;)+) => {$($(
        #[diagnostic::do_not_recommend]
        impl GramType for $ty {
            const TYPE: &'static Type = &text_of(const { &Constraints::of_format($format) });
        }
    )+)+};
}

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
impl<Z: chrono::TimeZone> GramType for chrono::DateTime<Z> {
    const TYPE: &'static Type = &text_of(const { &Constraints::of_format("date-time") });
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
impl GramType for jiff::Zoned {
    // It ends with the name of its zone, `[Europe/Berlin]`, which no format has.
    const TYPE: &'static Type = &Type::new(Kind::Text);
}
