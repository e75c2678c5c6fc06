//! Texts, numbers and what else holds no other types.

use super::GramType;
use crate::types::{Bound, Constraints, Host, Kind, Shape, Type};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::path::{Path, PathBuf};

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
    Text: String, str, PathBuf, Path, IpAddr, SocketAddr;
    Bool: bool;
    Double: f32, f64;
}

/// An object of which nothing is known. A map from names to values is another type: one of `Any`.
#[diagnostic::do_not_recommend]
impl GramType for serde_json::Map<String, serde_json::Value> {
    const TYPE: &'static Type = &Type::new(Kind::Object(Shape::Open));
}

/// A text of a format that the implementation keeps to by itself.
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
impl GramType for char {
    const TYPE: &'static Type = &Type::kept(Kind::Text, ONE_CHARACTER);
}

const ONE_CHARACTER: &Constraints =
    &Constraints::from_static(&[], None, None, None, Some(1), Some(1), None, None, None);

/// What an unsigned integer that is not 0 keeps to.
const FROM_ONE: &Constraints = &Constraints::from_static(
    &[],
    None,
    Some(Bound::Int(1)),
    None,
    None,
    None,
    None,
    None,
    None,
);

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
    // Gram's own integers end at 2^127 - 1, and so does what a default could say.
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
            // That a number is not 0, gram cannot say.
            const TYPE: &'static Type = <$ty as GramType>::TYPE;
        }
    )+};
}

signed_non_zero!(i8, i16, i32, i64, i128, isize);
