//! Expressions and their values, in `values.txt`.

use agent_builtin::calculator;

/// `expression => result`, and ` | exact` where there is one.
const TABLE: &str = include_str!("values.txt");

#[test]
fn evaluates_expressions() {
    let mut wrong = Vec::new();
    let lines = TABLE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut checked = 0;
    for line in lines {
        let (expression, expected) = line.split_once(" => ").expect("a line of the table");
        let found = match calculator(expression) {
            Err(error) => error.to_string(),
            Ok(calculation) => {
                let json = serde_json::to_value(&calculation).expect("it is JSON");
                match calculation.exact() {
                    Some(exact) => {
                        assert_eq!(json["exact"], exact);
                        format!("{} | {exact}", json["result"])
                    }
                    None => json["result"].to_string(),
                }
            }
        };
        if found != expected {
            wrong.push(format!("{expression}: {found}, and not {expected}"));
        }
        checked += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked >= 80, "{checked}");
}

#[test]
fn returns_results_of_64_bits_as_integers() {
    let calculation = calculator("2^63 - 1").expect("a number");
    assert_eq!(calculation.as_integer(), Some(i64::MAX));
    assert_eq!(calculation.exact(), None);
    let calculation = calculator("0.5").expect("a number");
    assert_eq!(
        (calculation.as_integer(), calculation.result()),
        (None, 0.5)
    );
}
