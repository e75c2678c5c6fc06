//! The gram types of Rust types.

mod record;

pub use record::{Part, Parts, choice, content_type, merged, record, texts};

use crate::Nest;
use crate::types::{Kind, Shape, Type};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A Rust type that has a type in gram.
///
/// It is implemented for texts, numbers, `bool`, lists, sets, options and maps of such types, and for
/// [`serde_json::Value`], which is `Any`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no gram type",
    label = "gram cannot describe this type",
    note = "a parameter of a tool can be text, a number, `bool`, `serde_json::Value`, or an \
            `Option`, `Vec`, set or string-keyed map of these; the context of a call is taken as \
            `&ToolContext`"
)]
pub trait GramType {
    /// The type in gram.
    const TYPE: &'static Type;
}

macro_rules! plain {
    ($($kind:ident: $($ty:ty),+;)+) => {$($(
        impl GramType for $ty {
            const TYPE: &'static Type = &Type::new(Kind::$kind);
        }
    )+)+};
}

plain! {
    Any: serde_json::Value;
    Null: ();
    Text: String, str;
    Bool: bool;
    Double: f32, f64;
}

macro_rules! integers {
    ($($ty:ty),+) => {$(
        impl GramType for $ty {
            const TYPE: &'static Type = &Type::int_in(&(<$ty>::MIN as i128, <$ty>::MAX as i128));
        }
    )+};
}

integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, usize);

impl GramType for u128 {
    // Gram's own integers end at 2^127 - 1, and so does what a default could say.
    const TYPE: &'static Type = &Type::int_in(&(0, i128::MAX));
}

impl<T: GramType + ?Sized> GramType for &T {
    const TYPE: &'static Type = T::TYPE;
}

impl<T: GramType> GramType for Option<T> {
    const TYPE: &'static Type = &Type::optional_of(T::TYPE);
}

macro_rules! lists {
    ($($ty:ty),+) => {$(
        impl<T: GramType> GramType for $ty {
            const TYPE: &'static Type = &Type::new(Kind::Array(Nest::from_static(T::TYPE)));
        }
    )+};
}

lists!(Vec<T>, [T], BTreeSet<T>);

impl<T: GramType, S> GramType for HashSet<T, S> {
    const TYPE: &'static Type = &Type::new(Kind::Array(Nest::from_static(T::TYPE)));
}

impl<T: GramType, S> GramType for HashMap<String, T, S> {
    const TYPE: &'static Type = &Type::new(Kind::Object(Shape::Map(Nest::from_static(T::TYPE))));
}

impl<T: GramType> GramType for BTreeMap<String, T> {
    const TYPE: &'static Type = &Type::new(Kind::Object(Shape::Map(Nest::from_static(T::TYPE))));
}

/// An enum whose variants hold no data, and are written as texts. `#[derive(GramType)]` implements it.
#[diagnostic::on_unimplemented(
    message = "this names no variant of an enum with `#[derive(GramType)]`",
    label = "its text in gram is not known",
    note = "a default is written in gram too: it is text, a number, `true`, `false`, a list of these, \
            or a variant without data of an enum that derives `GramType`"
)]
pub trait UnitEnum {
    /// The name of each variant in Rust, and what it is written as.
    const WORDS: &'static [(&'static str, &'static str)];
}

/// What the variant of this name is written as.
///
/// # Panics
/// When the enum has no variant of that name that is written.
#[track_caller]
pub const fn word_of<T: UnitEnum>(_: &T, name: &'static str) -> &'static str {
    let mut at = 0;
    while at < T::WORDS.len() {
        let (variant, word) = T::WORDS[at];
        if crate::binding::same_text(variant, name) {
            return word;
        }
        at += 1;
    }
    panic!("this is no variant that is ever read or written; name a variant of the enum itself")
}

/// Finds the gram type of what a function returns: that of `T`, or of the `T` in a `Result<T, E>`,
/// or `Any` when it has none.
///
/// An inherent constant is preferred to that of a trait, so `ReturnType::<T>::TYPE` is the type
/// when `T: GramType`, and falls back to [`AnyReturn`] otherwise; which of the two, rustc decides.
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

/// The type of a result that has no gram type; see [`ReturnType`].
pub trait AnyReturn {
    /// The gram type.
    const TYPE: &'static Type = Type::ANY;
}

impl<T> AnyReturn for ReturnType<T> {}

/// Finds the type of a field that is opaque: `Any`, which may be missing when the field is an
/// `Option`. As with [`ReturnType`], rustc decides.
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
