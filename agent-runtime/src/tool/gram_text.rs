//! The gram texts of tools as constants.
//!
//! How long a text is, only the evaluation of a constant knows, and the length of an array cannot
//! depend on a type. So a text is written into the smallest of a few sizes that it fits. All of it
//! happens in associated constants: rustc evaluates those when somebody names them, and not in each
//! `cargo check`.

use super::static_tool::{StaticTool, StaticTools};
use agent_spec::ToolDescriptor;
use agent_spec::tool_set::ToolSet;
use agent_spec::write::{
    gram_bytes, gram_len, signature_bytes, signature_len, text_of, tools_bytes, tools_len,
};
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

/// A text about several tools in at most `N` bytes.
struct FittedSet<T: ?Sized, const N: usize>(PhantomData<T>);

impl<T: StaticTools + ?Sized, const N: usize> FittedSet<T, N> {
    const SET: &'static ToolSet = &T::TOOLS;
    const GRAM: &'static str = {
        let length = tools_len(Self::SET);
        if length <= N {
            text_of(Self::BYTES.split_at(length).0)
        } else {
            ""
        }
    };
    const BYTES: &'static [u8; N] = &if tools_len(Self::SET) <= N {
        tools_bytes(Self::SET)
    } else {
        [0; N]
    };
}

macro_rules! smallest {
    ($fitted:ident::$text:ident of $length:expr, in $($size:literal),+ or $largest:literal) => {
        match $length {
            $(0..=$size => $fitted::<T, $size>::$text,)+
            0..=$largest => $fitted::<T, $largest>::$text,
            _ => panic!("the gram text is longer than 256 KiB"),
        }
    };
}

/// The signature of a tool in gram, on one line.
///
/// # Panics
/// When the text is longer than 256 KiB.
#[must_use]
pub const fn signature_text<T: Described>() -> &'static str {
    smallest!(Fitted::SIGNATURE of signature_len(T::OF), in 128, 512, 2048, 8192 or 262_144)
}

/// A tool in gram.
///
/// # Panics
/// When the text is longer than 256 KiB.
#[must_use]
pub const fn gram_text<T: Described>() -> &'static str {
    smallest!(Fitted::GRAM of gram_len(T::OF), in 128, 512, 2048, 8192 or 262_144)
}

/// Several tools in gram.
///
/// # Panics
/// When the text is longer than 256 KiB.
#[must_use]
pub const fn gram_text_of_set<T: StaticTools + ?Sized>() -> &'static str {
    smallest!(FittedSet::GRAM of tools_len(&T::TOOLS), in 512, 2048, 8192, 32_768 or 262_144)
}
