//! The borders of all integers, just inside and just outside.

use agent_runtime::tool::StaticTool;
use agent_runtime::{Tool, ToolContext, tool};
use std::num::NonZero;

/// Calls a tool with the text of a number, which may be more than JSON values hold.
fn call(tool: &dyn Tool, number: &str) -> Result<String, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("it starts");
    let arguments = format!("{{\"value\": {number}}}");
    let context = ToolContext::detached();
    let result = runtime.block_on(tool.call(&arguments, &context));
    let text = result.map_err(|error| error.to_string())?;
    Ok(text.as_str().map_or(text.to_string(), str::to_owned))
}

/// The decimal text of a number that is one more, or one less, than that of a border.
fn beyond(border: &str) -> String {
    let (sign, digits) = border
        .strip_prefix('-')
        .map_or(("", border), |digits| ("-", digits));
    if digits == "0" {
        return "-1".to_owned();
    }
    // No border ends with 9.
    let (head, last) = digits.split_at(digits.len() - 1);
    let last: u8 = last.parse().expect("it is a digit");
    format!("{sign}{head}{}", last + 1)
}

/// For each type a tool that gives back its argument as text, which has no bounds of its own.
macro_rules! widths {
    ($($name:ident: $ty:ty, $lowest:expr, $highest:expr, $zero:expr;)+) => {$(
        mod $name {
            use super::*;

            /// Writes a number as text
            #[tool(inline)]
            pub(super) fn text_of(value: $ty) -> String {
                value.to_string()
            }
        }

        #[test]
        fn $name() {
            let tool = $name::text_of {};
            for border in [$lowest.to_string(), $highest.to_string()] {
                assert_eq!(call(&tool, &border).as_deref(), Ok(border.as_str()));
                let outside = if border == "1" { "0".to_owned() } else { beyond(&border) };
                let error = call(&tool, &outside).expect_err("it is outside");
                assert!(error.contains("value"), "{outside}: {error}");
            }
            assert_eq!(call(&tool, "0").is_ok(), $zero);
            assert_eq!(call(&tool, "1").as_deref(), Ok("1"));
            assert_eq!(call(&tool, "1.0").as_deref(), Ok("1"));
            assert!(call(&tool, "1.5").is_err());
        }
    )+};
}

widths! {
    of_i8: i8, i8::MIN, i8::MAX, true;
    of_i16: i16, i16::MIN, i16::MAX, true;
    of_i32: i32, i32::MIN, i32::MAX, true;
    of_i64: i64, i64::MIN, i64::MAX, true;
    of_i128: i128, i128::MIN, i128::MAX, true;
    of_isize: isize, isize::MIN, isize::MAX, true;
    of_u8: u8, u8::MIN, u8::MAX, true;
    of_u16: u16, u16::MIN, u16::MAX, true;
    of_u32: u32, u32::MIN, u32::MAX, true;
    of_u64: u64, u64::MIN, u64::MAX, true;
    of_u128: u128, u128::MIN, i128::MAX, true;
    of_usize: usize, usize::MIN, usize::MAX, true;
    of_non_zero_i8: NonZero<i8>, i8::MIN, i8::MAX, false;
    of_non_zero_i16: NonZero<i16>, i16::MIN, i16::MAX, false;
    of_non_zero_i32: NonZero<i32>, i32::MIN, i32::MAX, false;
    of_non_zero_i64: NonZero<i64>, i64::MIN, i64::MAX, false;
    of_non_zero_i128: NonZero<i128>, i128::MIN, i128::MAX, false;
    of_non_zero_isize: NonZero<isize>, isize::MIN, isize::MAX, false;
    of_non_zero_u8: NonZero<u8>, 1, u8::MAX, false;
    of_non_zero_u16: NonZero<u16>, 1, u16::MAX, false;
    of_non_zero_u32: NonZero<u32>, 1, u32::MAX, false;
    of_non_zero_u64: NonZero<u64>, 1, u64::MAX, false;
    of_non_zero_u128: NonZero<u128>, 1, i128::MAX, false;
    of_non_zero_usize: NonZero<usize>, 1, usize::MAX, false;
}

#[test]
fn whole_numbers_are_read_without_rounding() {
    let lowest = call(&of_i64::text_of {}, "-9223372036854775808.0");
    assert_eq!(lowest.as_deref(), Ok("-9223372036854775808"));
    let error = call(&of_i64::text_of {}, "-9223372036854775809").expect_err("it is outside");
    assert!(error.contains("Int from -9223372036854775808"), "{error}");
    for (tool, number, expected) in [
        (
            &of_i64::text_of {} as &dyn Tool,
            "9007199254740993.0",
            "9007199254740993",
        ),
        (&of_i128::text_of {}, "1e20", "100000000000000000000"),
        (&of_u128::text_of {}, "1e23", "100000000000000000000000"),
        // The rest is dropped, and the text is written anew.
        (
            &of_u128::text_of {},
            "100000000000000000001.0, \"extra\": 1",
            "100000000000000000001",
        ),
    ] {
        assert_eq!(call(tool, number).as_deref(), Ok(expected), "{number}");
    }
}

/// A call in a run is validated before it is decoded.
#[test]
fn an_integer_beyond_128_bits_is_refused_by_validation() {
    let signature = <of_i128::text_of as StaticTool>::DESCRIPTOR.signature();
    let signature = signature.expect("it has a signature");
    let arguments = "{\"value\": 170141183460469231731687303715884105728}";
    let error = signature
        .check_arguments(arguments, None)
        .expect_err("it is one more than fits")
        .to_string();
    assert!(
        error.contains("`$.value`: expected Int from -1701"),
        "{error}"
    );
}

#[test]
fn calls_take_integers_as_far_as_gram_has_them() {
    let signature = <of_u128::text_of as StaticTool>::DESCRIPTOR.signature();
    let signature = signature.expect("it has a signature");
    let check = |number: u128| {
        let arguments = format!("{{\"value\": {number}}}");
        signature
            .check_arguments(&arguments, None)
            .map(|arguments| arguments.text().to_owned())
    };
    let highest = i128::MAX.unsigned_abs();
    assert!(check(highest).is_ok_and(|text| text.contains(&highest.to_string())));
    let error = check(u128::MAX)
        .expect_err("gram has no such integer")
        .to_string();
    assert!(error.contains("Int from 0 to"), "{error}");
}
