//! The gram texts of tools as constants.
//!
//! How long a text is, only the evaluation of a constant knows, and the length of an array cannot
//! depend on a type. So a text is written into the smallest of a few sizes that it fits. All of it
//! happens in associated constants: rustc evaluates those when somebody names them, and not in each
//! `cargo check`.

use crate::static_tool::StaticTool;
use agent_spec::ToolDescriptor;
use agent_spec::write::{gram_bytes, gram_len, signature_bytes, signature_len, text_of};
use std::marker::PhantomData;

/// What has a descriptor in a constant.
pub trait Described {
    /// The descriptor.
    const OF: &'static ToolDescriptor;
}

impl<T: StaticTool> Described for T {
    const OF: &'static ToolDescriptor = T::DESCRIPTOR;
}

/// A text about a tool in at most `N` bytes.
struct Fitted<T, const N: usize>(PhantomData<T>);

impl<T: Described, const N: usize> Fitted<T, N> {
    const SIGNATURE: &'static str = {
        let length = signature_len(T::OF);
        if length <= N {
            text_of(Self::SIGNATURE_BYTES.split_at(length).0)
        } else {
            ""
        }
    };
    const SIGNATURE_BYTES: &'static [u8; N] = &if signature_len(T::OF) <= N {
        signature_bytes(T::OF)
    } else {
        [0; N]
    };
    const GRAM: &'static str = {
        let length = gram_len(T::OF);
        if length <= N {
            text_of(Self::GRAM_BYTES.split_at(length).0)
        } else {
            ""
        }
    };
    const GRAM_BYTES: &'static [u8; N] = &if gram_len(T::OF) <= N {
        gram_bytes(T::OF)
    } else {
        [0; N]
    };
}

macro_rules! smallest {
    ($text:ident of $length:expr, in $($size:literal),+ or $largest:literal) => {
        match $length {
            $(0..=$size => Fitted::<T, $size>::$text,)+
            0..=$largest => Fitted::<T, $largest>::$text,
            _ => panic!("the gram text of this tool is longer than 256 KiB"),
        }
    };
}

/// The signature of a tool in gram, on one line.
///
/// # Panics
/// When the text is longer than 256 KiB.
#[must_use]
pub const fn signature_text<T: Described>() -> &'static str {
    smallest!(SIGNATURE of signature_len(T::OF), in 128, 512, 2048, 8192 or 262_144)
}

/// A tool in gram.
///
/// # Panics
/// When the text is longer than 256 KiB.
#[must_use]
pub const fn gram_text<T: Described>() -> &'static str {
    smallest!(GRAM of gram_len(T::OF), in 128, 512, 2048, 8192 or 262_144)
}
