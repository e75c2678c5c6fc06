//! The gram types of Rust types.

mod alike;
mod flatten;
mod impls;
mod record;
mod union;

pub use flatten::{
    check_flattened, check_flattened_closed, check_flattened_in_variant, check_flattened_names,
};
pub use record::{
    Parts, RecordPart, check_beside_tag, check_in_content, choice, content_type, extended, merged,
    record, texts,
};
pub use union::{Alternatives, any_of, check_alternative, tuple, variants};

use crate::types::{Kind, Type};

/// A Rust type that has a type in gram.
///
/// The gram type describes the JSON that serde reads and writes for the Rust type:
///
/// | Rust | gram |
/// | --- | --- |
/// | `String`, `str`, `PathBuf`, `Path` | `Text` |
/// | `char` | `Text` of one character |
/// | integers of any width | `Int`; an integer beyond the Rust type is refused with a message that names the range |
/// | `NonZero<_>` | `Int`, from 1 for unsigned ones; for signed ones serde refuses 0 |
/// | `f32`, `f64` | `Double` |
/// | `bool` | `Bool` |
/// | `Option<T>` | the type of `T`, optional |
/// | `Vec<T>`, `[T]`, `VecDeque`, `LinkedList`, `BinaryHeap`, `HashSet`, `BTreeSet` | `Array` of `T` |
/// | `[T; N]` | `Array` of exactly `N` (up to 32, which is what serde reads) |
/// | `(A, B)` and tuples of up to 12 types | `Array` of exactly these elements |
/// | `HashMap<K, T>`, `BTreeMap<K, T>` | `Object` with values of `T`; `K` is written as text: `String`, an integer, `bool`, `char`, an enum without data, or a newtype of these |
/// | `&T`, `Box<T>`, `Arc<T>`, `Rc<T>`, `Cow<T>` | the type of `T` |
/// | [`std::time::Duration`] | `Text` with the format `duration`: `"PT1M30S"`, and `"90s"` |
/// | `Ipv4Addr`, `Ipv6Addr`, `IpAddr`, `SocketAddr`, `SocketAddrV4`, `SocketAddrV6` | `Text`, the first two with a format |
/// | [`serde_json::Value`] | `Any` |
/// | `serde_json::Map<String, Value>` | `Object` of any fields |
/// | `()`, as a result only | `Null` |
/// | structs and enums | the type that `#[derive(GramType)]` of agent-runtime builds |
///
/// Features of the crates' names add `uuid::Uuid`, `url::Url`, the date and time types of `chrono`
/// (`DateTime`, `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `Weekday`, `Month`) and of `jiff` (`Timestamp`, `Zoned`,
/// `civil::{Date, Time, DateTime}`, `Span`, `SignedDuration`), and `rust_decimal::Decimal`. They are
/// texts, with a `format` where serde writes exactly that format, and a day or month with an `enum`. The format `decimal` is a hint; if the
/// program enables the feature `serde-float` of `rust_decimal`, serde writes numbers and the type no
/// longer agrees. The format `time` of JSON Schema requires an offset, so a time
/// without an offset has the format `time-local`, which is a hint and is not asserted.
///
/// # `Duration`
/// Serde writes a `Duration` as `{"secs": 5, "nanos": 0}`, which no model writes. A tool reads and writes a
/// `Duration` as text at any depth, also inside types that derive `GramType`. The tool reads and writes the
/// ISO 8601 form of the format, `"PT1H30M"`, and also reads `"500ms"`, `"5s"`, `"2min"` or `"1h"`. Where
/// serde itself reads JSON, outside of tools, its own form applies.
///
/// # What the schema accepts and Rust refuses
/// The Rust type reads each value that the type's JSON Schema accepts, with the following exceptions. The
/// call refuses these values with a message of its own:
/// - integers outside the Rust type's range, and 0 for a signed `NonZero`; for `u128` and `NonZero<u128>`,
///   integers beyond 2^127 - 1, because gram's integers end there;
/// - numbers that are infinite as an `f32`, from about 3.4e38 on;
/// - texts that are no length of time, date, time or decimal number where the format is a hint only, that are no
///   address for the types without a format (`IpAddr`, `SocketAddr` and its versions, `Zoned`), or that the crate
///   reads more strictly than its format (a leap second, a URL without a host);
/// - a record for an enum whose fields belong to another variant, to several variants or to no variant;
/// - keys of a map that are no text of the key type, such as `"one"` for an integer;
/// - values of `Any` for a field whose variants have several types, and for opaque fields.
///
/// In the other direction, a field of another variant than the named one is checked and then ignored.
/// Serde writes `None` as `null`, which the schema of a field does not allow and validation treats as
/// absent. `null` is kept only where one variant or a flattened struct requires a field of any value that is
/// optional in the record of all variants.
///
/// # What Rust writes and the type refuses
/// These are errors of the call, not results:
/// - a `f32` or `f64` that is infinite or no number: serde writes `null`, which is no `Double`. Only `Option`
///   and `Any` allow `null`, which then counts as no value;
/// - an `i128` or `u128` beyond 64 bits, which a `serde_json::Value` does not hold;
/// - a variant with `#[serde(skip_serializing)]`, which serde reads and does not write.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no gram type",
    label = "gram cannot describe this type, or a type in it",
    note = "a type of your own: derive it, `#[derive(GramType)]`",
    note = "a map: its keys are written as text: `String`, an integer, `bool`, `char`, or an enum without data",
    note = "some types of `uuid`, `chrono`, `jiff`, `url` and `rust_decimal`: enable the feature of gramwork-runtime \
            that is named as the crate",
    note = "a type of another crate with a JSON Schema: wrap it, `Json<T>` (feature `schemars`)",
    note = "any other: state it, `#[tool(type = \"{{id: Text}}\")]` on a parameter, `#[gram(type = \"…\")]` on a field; \
            a field that holds nothing, `()` or `PhantomData`: leave it out, `#[serde(skip)]`",
    note = "what the host gives is no argument: the context of a call is `&ToolContext`, a value of \
            yours `Extension<T>`"
)]
pub trait GramType {
    /// The type in gram.
    const TYPE: &'static Type;
}

/// An enum with variants that have no data and are written as texts. `#[derive(GramType)]` implements it.
#[diagnostic::on_unimplemented(
    message = "this names no variant of an enum with `#[derive(GramType)]`",
    label = "its text in gram is not known",
    note = "a default is written in gram too: it is text, a number, `true`, `false`, a list of these, \
            or a variant without data of an enum that derives `GramType`"
)]
pub trait UnitEnum {
    /// The name of each variant without data in Rust, and its text.
    const WORDS: &'static [(&'static str, &'static str)];
}

/// Returns the text of the variant of this name.
///
/// # Panics
/// When the enum has no variant of that name that is written.
#[track_caller]
pub const fn word_of<T: UnitEnum>(_: &T, name: &'static str) -> &'static str {
    let mut at = 0;
    while at < T::WORDS.len() {
        let (variant, word) = T::WORDS[at];
        if crate::text::same_text(variant, name) {
            return word;
        }
        at += 1;
    }
    panic!("this is no variant that is ever read or written; name a variant of the enum itself")
}

/// Finds the gram type of a function's result: that of `T`, or of the `T` in a `Result<T, E>`, or `Any`
/// when the type has no gram type.
///
/// Rustc prefers an inherent constant to a constant of a trait. So `ReturnType::<T>::TYPE` is the type of `T`
/// if `T: GramType`, and falls back to [`AnyReturn`] otherwise.
#[derive(Debug)]
pub struct ReturnType<T>(std::marker::PhantomData<T>);

impl<T: GramType> ReturnType<T> {
    /// The gram type.
    pub const TYPE: &'static Type = T::TYPE;
}

impl<T: GramType, E> ReturnType<Result<T, E>> {
    /// The gram type.
    pub const TYPE: &'static Type = T::TYPE;
}

// Only a result is `Null`, so `()` has a type here and is no `GramType`.
impl ReturnType<()> {
    /// The gram type.
    pub const TYPE: &'static Type = &Type::new(Kind::Null);
}

impl<E> ReturnType<Result<(), E>> {
    /// The gram type.
    pub const TYPE: &'static Type = &Type::new(Kind::Null);
}

/// The type of a result that has no gram type; see [`ReturnType`].
pub trait AnyReturn {
    /// The gram type.
    const TYPE: &'static Type = Type::ANY;
}

impl<T> AnyReturn for ReturnType<T> {}

/// Finds the type of a field that is opaque: `Any`, which may be missing when the field is an
/// `Option`. Rustc chooses between the two as for [`ReturnType`].
#[derive(Debug)]
pub struct Opaque<T>(std::marker::PhantomData<T>);

impl<T> Opaque<Option<T>> {
    /// The gram type.
    pub const TYPE: &'static Type = &Type::optional_of(Type::ANY);
}

/// The type of an opaque field that is no `Option`; see [`Opaque`].
pub trait RequiredOpaque {
    /// The gram type.
    const TYPE: &'static Type = Type::ANY;
}

impl<T> RequiredOpaque for Opaque<T> {}
