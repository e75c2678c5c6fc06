//! The gram types of Rust's primitive types, of types of the standard library and of types of other
//! crates.

use crate::constraints::{Bound, Constraint, Constraints};
use crate::duration::TEXT_FORM;
use crate::gram_type::GramType;
use crate::host::Host;
use crate::keyword::Keyword;
use crate::media::MediaKind;
use crate::types::{Kind, Shape, Type};
use agent_gram::value::Nest;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

macro_rules! plain {
    ($($kind:ident: $($ty:ty),+;)+) => {$($(
        #[diagnostic::do_not_recommend]
        impl GramType for $ty {
            const TYPE: &'static Type = &Type::new(Kind::$kind);
        }
    )+)+};
}

plain! {
    Any: serde_json::Value;
    Text: String, str, PathBuf, Path, IpAddr, SocketAddr, SocketAddrV4, SocketAddrV6;
    Bool: bool;
    Double: f32, f64;
}

/// An object without known properties. A map from names to values is another type: a map of `Any`.
#[diagnostic::do_not_recommend]
impl GramType for serde_json::Map<String, serde_json::Value> {
    const TYPE: &'static Type = &Type::new(Kind::Object(Shape::Open));
}

/// A text of a format that the implementation enforces itself.
macro_rules! formatted {
    ($($format:literal: $($ty:ty),+;)+) => {$($(
        #[diagnostic::do_not_recommend]
        impl GramType for $ty {
            const TYPE: &'static Type =
                &Type::kept(Kind::Text, const { &Constraints::of_format($format) });
        }
    )+)+};
}

formatted! {
    "ipv4": Ipv4Addr;
    "ipv6": Ipv6Addr;
}

#[diagnostic::do_not_recommend]
impl GramType for Duration {
    const TYPE: &'static Type =
        &Type::kept(Kind::Text, const { &Constraints::of_format("duration") })
            .with_host(Host::Text(TEXT_FORM));
}

#[diagnostic::do_not_recommend]
impl GramType for char {
    const TYPE: &'static Type = &Type::kept(Kind::Text, ONE_CHARACTER);
}

const ONE_CHARACTER: &Constraints = &Constraints::from_static(&[
    (Keyword::MinLength, Constraint::Count(1)),
    (Keyword::MaxLength, Constraint::Count(1)),
]);

/// The constraint of an unsigned integer that is not 0.
const FROM_ONE: &Constraints =
    &Constraints::from_static(&[(Keyword::Minimum, Constraint::Number(&Bound::Int(1)))]);

macro_rules! integers {
    ($($ty:ty),+) => {$(
        #[diagnostic::do_not_recommend]
        impl GramType for $ty {
            const TYPE: &'static Type = &Type::int_in(&(<$ty>::MIN as i128, <$ty>::MAX as i128));
        }
    )+};
}

integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, usize);

#[diagnostic::do_not_recommend]
impl GramType for u128 {
    // Gram's own integers end at 2^127 - 1, so a default cannot be larger.
    const TYPE: &'static Type = &Type::int_in(&(0, i128::MAX));
}

macro_rules! unsigned_non_zero {
    ($($ty:ty: $highest:expr),+) => {$(
        #[diagnostic::do_not_recommend]
        impl GramType for NonZero<$ty> {
            const TYPE: &'static Type =
                &Type::kept(Kind::Int, FROM_ONE).with_host(Host::Range(&(1, $highest)));
        }
    )+};
}

unsigned_non_zero!(
    u8: u8::MAX as i128, u16: u16::MAX as i128, u32: u32::MAX as i128, u64: u64::MAX as i128,
    usize: usize::MAX as i128, u128: i128::MAX
);

macro_rules! signed_non_zero {
    ($($ty:ty),+) => {$(
        #[diagnostic::do_not_recommend]
        impl GramType for NonZero<$ty> {
            // Gram cannot express that a number is not 0.
            const TYPE: &'static Type = <$ty as GramType>::TYPE;
        }
    )+};
}

signed_non_zero!(i8, i16, i32, i64, i128, isize);

/// Implements `GramType` for wrappers that serde writes as the value inside. For `Arc` and `Rc` serde
/// needs its feature `rc`.
macro_rules! same {
    ($($ty:ty),+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: GramType + ?Sized> GramType for $ty {
            const TYPE: &'static Type = T::TYPE;
        }
    )+};
}

same!(&T, Box<T>, Arc<T>, Rc<T>);

#[diagnostic::do_not_recommend]
impl<T: GramType + ToOwned + ?Sized> GramType for Cow<'_, T> {
    const TYPE: &'static Type = T::TYPE;
}

#[diagnostic::do_not_recommend]
impl<T: GramType> GramType for Option<T> {
    const TYPE: &'static Type = &Type::optional_of(T::TYPE);
}

macro_rules! lists {
    ($($ty:ty),+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: GramType> GramType for $ty {
            const TYPE: &'static Type = &list_of(T::TYPE);
        }
    )+};
}

lists!(
    Vec<T>,
    [T],
    BTreeSet<T>,
    BinaryHeap<T>,
    LinkedList<T>,
    VecDeque<T>
);

#[diagnostic::do_not_recommend]
impl<T: GramType, S> GramType for HashSet<T, S> {
    const TYPE: &'static Type = &list_of(T::TYPE);
}

#[diagnostic::do_not_recommend]
impl<T: GramType, const N: usize> GramType for [T; N] {
    const TYPE: &'static Type = &Type::kept(
        Kind::Array(Nest::from_static(T::TYPE)),
        const { &exactly(N as u64) },
    );
}

const fn exactly(count: u64) -> Constraints {
    Constraints::from_static(&[
        (Keyword::MinItems, Constraint::Count(count)),
        (Keyword::MaxItems, Constraint::Count(count)),
    ])
}

/// The type of a list. A list of parts of messages has a type of its own.
const fn list_of(element: &'static Type) -> Type {
    match element.kind() {
        Kind::Media(MediaKind::Part) if !element.is_optional() => {
            Type::new(Kind::Media(MediaKind::Parts))
        }
        _ => Type::new(Kind::Array(Nest::from_static(element))),
    }
}

const fn map_of(value: &'static Type) -> Type {
    Type::new(Kind::Object(Shape::Map(Nest::from_static(value))))
}

/// Panics with a message when JSON has no key for a value of a type.
#[track_caller]
const fn check_key(key: &Type) {
    if key.is_refused() {
        return;
    }
    if key.is_optional() || !matches!(key.kind(), Kind::Text | Kind::Int | Kind::Bool) {
        panic!(
            "the keys of a JSON object are texts: the key of this map must be a `String`, an integer, a \
             `bool`, a `char`, an enum without data, or a newtype of these; use a list of pairs for other \
             keys, `Vec<(K, V)>`"
        );
    }
    if key.is_checked() {
        panic!(
            "gram does not narrow the keys of a map, so what narrows this key type would be lost; use a \
             `String` and check the keys in the function, or use a list of pairs, `Vec<(K, V)>`"
        );
    }
}

#[diagnostic::do_not_recommend]
impl<K: GramType, T: GramType, S> GramType for HashMap<K, T, S> {
    const TYPE: &'static Type = {
        check_key(K::TYPE);
        &map_of(T::TYPE)
    };
}

#[diagnostic::do_not_recommend]
impl<K: GramType, T: GramType> GramType for BTreeMap<K, T> {
    const TYPE: &'static Type = {
        check_key(K::TYPE);
        &map_of(T::TYPE)
    };
}

macro_rules! tuples {
    ($($($ty:ident)+;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($ty: GramType),+> GramType for ($($ty,)+) {
            const TYPE: &'static Type =
                &super::tuple(const { &[$(Type::borrowed($ty::TYPE)),+] });
        }
    )+};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}

/// Types of other crates, as serde writes them: with a format where serde writes exactly that format,
/// with a hint otherwise. These crates also read texts that their format forbids, such as a UUID in
/// braces or a date without dashes. So the text that a model sends is checked before the crate reads
/// it.
#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "rust_decimal",
    feature = "url",
    feature = "uuid"
))]
mod foreign {
    use super::GramType;
    use crate::constraints::Constraints;
    #[cfg(feature = "chrono")]
    use crate::gram_type::texts;
    use crate::types::{Kind, Type};

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

    // A text by default. Its crate's feature `serde-float` makes it a number for the whole program.
    #[cfg(feature = "rust_decimal")]
    formatted! {
        "decimal": rust_decimal::Decimal;
    }

    #[cfg(feature = "chrono")]
    formatted! {
        "date": chrono::NaiveDate;
        // Neither has an offset, which `time` and `date-time` of JSON Schema must have.
        "time-local": chrono::NaiveTime;
        "date-time-local": chrono::NaiveDateTime;
    }

    /// A text that is one of a few words. The crate also reads the word in another case, and its
    /// longer or shorter form.
    #[cfg(feature = "chrono")]
    macro_rules! words {
        ($($ty:ty: $($word:literal)+;)+) => {$(
            #[diagnostic::do_not_recommend]
            impl GramType for $ty {
                const TYPE: &'static Type = &text_of(const {
                    &Constraints::one_of(const { &texts([$($word),+]) })
                });
            }
        )+};
    }

    #[cfg(feature = "chrono")]
    words! {
        chrono::Weekday: "Mon" "Tue" "Wed" "Thu" "Fri" "Sat" "Sun";
        chrono::Month: "January" "February" "March" "April" "May" "June" "July" "August" "September"
            "October" "November" "December";
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
        // The text ends with the name of the zone, `[Europe/Berlin]`, which no format of JSON Schema
        // has.
        const TYPE: &'static Type = &Type::new(Kind::Text);
    }
}
