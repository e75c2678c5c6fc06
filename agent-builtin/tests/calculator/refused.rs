//! Expressions without a value, in `refused.txt`, with their errors.

use agent_builtin::calculator;
use std::time::{Duration, Instant};

/// A time that only an evaluation without a limit takes, however busy the machine is. The most expensive
/// permitted expression takes about a second without optimisation.
const ENDLESS: Duration = Duration::from_secs(600);

/// `expression => error`
const TABLE: &str = include_str!("refused.txt");

/// Returns the error of an expression.
#[track_caller]
fn error_of(expression: &str) -> String {
    let started = Instant::now();
    let refused = calculator(expression);
    let took = started.elapsed();
    assert!(took < ENDLESS, "{took:?}: {expression:.60}");
    let error = refused.expect_err(expression);
    let characters = expression.chars().count();
    assert!((1..=characters + 1).contains(&error.position()), "{error}");
    error.to_string()
}

#[test]
fn reports_the_errors_of_the_table() {
    for line in TABLE.lines().filter(|line| line.contains(" => ")) {
        let (expression, expected) = line.split_once(" => ").expect("a line of the table");
        assert_eq!(error_of(expression), expected, "{expression}");
    }
}

#[test]
fn escapes_invisible_characters_in_errors() {
    for (expression, expected) in [
        (
            "",
            "the expression is empty; write one such as `2 + 2` (at the end)",
        ),
        (
            " \t\n ",
            "the expression is empty; write one such as `2 + 2` (at the end)",
        ),
        (
            "2 + \0",
            "`\\0` is not part of an expression (at character 5: `\\0`)",
        ),
        (
            "\u{1b}[31m2",
            "`\\u{1b}` is not part of an expression (at character 1: `\\u{1b}[31m2`)",
        ),
        (
            "1 + \u{202e}2",
            "`\\u{202e}` is not part of an expression (at character 5: `\\u{202e}2`)",
        ),
    ] {
        assert_eq!(error_of(expression), expected, "{expression}");
    }
}

#[test]
fn lists_all_names_for_an_unknown_name() {
    for name in ["inf", "NaN", "infinity", "x", "__import__", "system"] {
        let said = error_of(name);
        assert!(
            said.starts_with(&format!("there is no `{name}`; ")),
            "{said}"
        );
    }
    let said = error_of("wibble + 1");
    assert!(said.contains("there are pi, e, tau, abs, "), "{said}");
    assert!(said.len() < 400, "{}", said.len());
}

#[test]
fn refuses_long_and_deep_expressions() {
    let bytes = "the expression has 5001 bytes, and the maximum is 4096";
    let deep = "the expression nests deeper than 64 levels";
    let large = "overflow: the integer is beyond 2^2048";
    for (expression, said) in [
        (format!("1{}", "+1".repeat(2500)), bytes),
        ("9".repeat(5001), bytes),
        ("9".repeat(4096), large),
        (format!("{}1", "(".repeat(4000)), deep),
        (format!("{}1{}", "(".repeat(65), ")".repeat(65)), deep),
        (format!("{}1{}", "sqrt(".repeat(600), ")".repeat(600)), deep),
        (format!("1{}", "^1".repeat(2000)), deep),
        (format!("2{}", "^-1".repeat(1300)), deep),
        (format!("{}1", "-(".repeat(2000)), deep),
        (
            "(".repeat(64),
            "a number, a name or `(` is expected, and the expression ends",
        ),
        (
            "-".repeat(4096),
            "a number, a name or `(` is expected, and the expression ends",
        ),
        (
            ")".repeat(4096),
            "a number, a name or `(` is expected, and `)` stands here",
        ),
        ("a".repeat(4096), "there is no `aaaaaaaaaaaaaaaaaaaaaaaa…`"),
        (".".repeat(4096), "`.` is not part of an expression"),
        (format!("1e{}", "9".repeat(4000)), large),
        (
            format!("max({}", "1,".repeat(2000)),
            "a number, a name or `(` is expected, and the expression ends",
        ),
    ] {
        let found = error_of(&expression);
        assert!(found.starts_with(said), "{found}");
        assert!(found.len() < 400, "{found}");
    }
}

/// The most work that an expression can cause.
#[test]
fn evaluates_the_most_expensive_expressions_within_the_limit() {
    for work in [
        "gcd(3^1292,7^729)+",
        "lcm(3^600,7^340)*0+",
        "factorial(299)-factorial(299)+",
        "round(1e-300/3,308)+",
        "sqrt(2^2047)*0+",
        "3^1292%7^729*0+",
        "cbrt(7^729)*0+",
        "1e-308*1e-308+",
    ] {
        let expression = format!("{}1", work.repeat(4095 / work.len()));
        let started = Instant::now();
        calculator(&expression).ok();
        let took = started.elapsed();
        println!("{took:?}: {work}");
        assert!(took < ENDLESS, "{took:?}: {work}");
    }
}

/// Tools may run on threads with small stacks.
#[test]
fn evaluates_the_deepest_expression_on_a_small_stack() {
    let deepest = format!("{}1{}", "-max(2^".repeat(21), ")".repeat(21));
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let answer = thread
        .spawn(move || calculator(&deepest))
        .expect("a thread");
    assert!(answer.join().expect("no overflow").is_ok());
}
