//! The calculator compared with the arithmetic of Rust.

use agent_builtin::{Calculation, calculator};
use proptest::prelude::*;

fn integer(expression: &str) -> i128 {
    let calculation = calculator(expression).expect(expression);
    match calculation.exact() {
        Some(exact) => exact.parse().expect("an integer"),
        None => calculation.as_integer().expect("an integer").into(),
    }
}

/// An expression of integers.
#[derive(Clone, Debug)]
enum Tree {
    Leaf(i64),
    Negated(Box<Tree>),
    Joined(Box<Tree>, char, Box<Tree>),
}

impl Tree {
    /// Returns the expression with no more parentheses than needed, and its binding power.
    fn text(&self) -> (String, u8) {
        match self {
            Self::Leaf(value) if *value < 0 => (value.to_string(), 3),
            Self::Leaf(value) => (value.to_string(), 5),
            Self::Negated(inner) => (format!("-{}", inner.at_least(3)), 3),
            Self::Joined(left, operator, right) => {
                let (power, tighter) = match operator {
                    '+' | '-' => (1, 2),
                    _ => (2, 3),
                };
                let (left, right) = (left.at_least(power), right.at_least(tighter));
                (format!("{left} {operator} {right}"), power)
            }
        }
    }

    fn at_least(&self, least: u8) -> String {
        match self.text() {
            (text, power) if power < least => format!("({text})"),
            (text, _) => text,
        }
    }

    /// Returns the value; `None` beyond i128, and for a division with a remainder.
    fn value(&self) -> Option<i128> {
        match self {
            Self::Leaf(value) => Some((*value).into()),
            Self::Negated(inner) => inner.value()?.checked_neg(),
            Self::Joined(left, operator, right) => {
                let (left, right) = (left.value()?, right.value()?);
                match operator {
                    '+' => left.checked_add(right),
                    '-' => left.checked_sub(right),
                    '*' => left.checked_mul(right),
                    '/' if left.checked_rem(right) == Some(0) => left.checked_div(right),
                    '%' => left.checked_rem(right),
                    _ => None,
                }
            }
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![-9..10_i64, any::<i64>()].prop_map(Tree::Leaf);
    leaf.prop_recursive(5, 24, 2, |inner| {
        let operators = prop::sample::select(vec!['+', '-', '*', '/', '%']);
        prop_oneof![
            1 => inner.clone().prop_map(|tree| Tree::Negated(tree.into())),
            4 => (inner.clone(), operators, inner).prop_map(|(left, operator, right)| {
                Tree::Joined(left.into(), operator, right.into())
            }),
        ]
    })
}

fn doubles() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("a number", |double| double.is_finite())
}

/// Returns the result of the calculator, if there is one.
fn double(expression: &str) -> Option<f64> {
    calculator(expression)
        .ok()
        .as_ref()
        .map(Calculation::result)
}

proptest! {
    #[test]
    fn integers_agree_with_rust(tree in trees()) {
        let (text, _) = tree.text();
        if let Some(value) = tree.value() {
            prop_assert_eq!(integer(&text), value, "{}", text);
        }
    }

    #[test]
    fn parses_its_own_integers(value in any::<i128>()) {
        prop_assert_eq!(integer(&value.to_string()), value);
        // `result` is the nearest double.
        prop_assert_eq!(double(&value.to_string()), Some(value as f64));
    }

    #[test]
    fn integers_beyond_i128_are_exact(a in any::<i128>(), b in any::<i128>()) {
        prop_assume!(b != 0);
        prop_assert_eq!(integer(&format!("({a}) * ({b}) / ({b})")), a);
        prop_assert_eq!(integer(&format!("(({a}) * ({b}) + ({a})) - ({a}) * (({b}) + 1)")), 0);
    }

    #[test]
    fn powers_agree_with_rust(base in -20..20_i128, exponent in 0..29_u32) {
        let expression = format!("({base}) ^ {exponent}");
        prop_assert_eq!(integer(&expression), base.pow(exponent));
    }

    #[test]
    fn doubles_are_those_of_rust(a in doubles(), b in doubles()) {
        // The arithmetic of numbers without fraction is exact, unlike that of doubles.
        prop_assume!(a.fract() != 0.0 && b.fract() != 0.0);
        for (operator, value) in [('+', a + b), ('-', a - b), ('*', a * b), ('/', a / b), ('%', a % b)] {
            let expression = format!("({a:e}) {operator} ({b:e})");
            let expected = value.is_finite().then_some(value);
            prop_assert_eq!(double(&expression), expected, "{}", expression);
        }
    }

    #[test]
    fn a_double_reads_back(value in doubles()) {
        prop_assert_eq!(double(&format!("{value:e}")), Some(value));
        prop_assert_eq!(double(&format!("{value:?}")), Some(value));
    }

    /// Quotients are rounded only once.
    #[test]
    fn quotients_are_the_nearest_doubles(a in -(1_i64 << 53)..1 << 53, b in 1..1_i64 << 53) {
        prop_assert_eq!(double(&format!("{a} / {b}")), Some(a as f64 / b as f64));
    }

    /// `{:.2}` differs only for ties, which it rounds to the even digit.
    #[test]
    fn rounding_is_that_of_printing(value in -1e9..1e9_f64, digits in 1..10_usize) {
        let printed = format!("{value:.digits$}");
        let expected: f64 = printed.parse().expect("a number");
        let is_middle = (value * 2_f64.powi(20)).fract() == 0.0;
        prop_assume!(!is_middle);
        prop_assert_eq!(double(&format!("round({value:e}, {digits})")), Some(expected));
    }

    #[test]
    fn nothing_panics(text in "[-+*/%^(),.0-9eπ ]{0,60}|\\PC{0,40}") {
        let _ = calculator(&text);
    }
}
