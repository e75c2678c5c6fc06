//! JSON of others, and what is made of it: values of gram, patterns, agents and tools, texts for a terminal.

#![no_main]

use agent_gram::{Pattern, parse_patterns, print::print_pattern};
use agent_spec::json::{
    Ordered, agent_pattern_from_json, has_more_values_than, json_to_value, parse_json,
    pattern_from_json, pattern_to_json, tool_pattern_from_json, value_count, value_to_json,
    values_in, with_whole_numbers, without_lone_surrogates,
};
use agent_spec::terminal;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let count = value_count(text.as_bytes());
    assert!(has_more_values_than(
        text.as_bytes(),
        count.saturating_sub(1)
    ));
    assert!(!has_more_values_than(text.as_bytes(), count));
    shown(text);

    let repaired = without_lone_surrogates(text);
    assert_eq!(without_lone_surrogates(&repaired), repaired);

    let parsed = parse_json(text);
    // `serde_json` replaces objects with a key that it reserves.
    if !text.contains("$serde_json") && !text.contains("\\u") {
        assert_eq!(
            parsed.as_ref().ok(),
            serde_json::from_str(text).ok().as_ref()
        );
    }
    let Ok(value) = parsed else { return };
    assert_eq!(repaired, text, "JSON has no half characters");
    // A key that an object has twice counts twice in the text.
    assert!(
        values_in(&value) <= count,
        "{} > {count}",
        values_in(&value)
    );
    assert_eq!(parse_json(&terminal::json(text)).expect("JSON"), value);
    whole_numbers(text);
    ordered(text, &value);
    if let Some(gram) = json_to_value(&value) {
        assert_eq!(value_to_json(&gram), Some(value.clone()));
    }
    if let Ok(pattern) = pattern_from_json(&value) {
        assert_eq!(
            pattern_from_json(&pattern_to_json(&pattern)).expect("our JSON"),
            pattern
        );
        is_printed(&pattern);
    }
    for read in [agent_pattern_from_json, tool_pattern_from_json] {
        match read(&value) {
            Ok(pattern) => is_printed(&pattern),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});

fn shown(text: &str) {
    let line = terminal::line(text, 100);
    assert!(!line.chars().any(char::is_control), "{line:?}");
    let shown = terminal::text(text);
    assert!(
        shown.chars().all(|c| c == '\n' || !c.is_control()),
        "{shown:?}"
    );
    assert_eq!(terminal::text(&shown), shown);
}

fn whole_numbers(text: &str) {
    let Some(whole) = with_whole_numbers(text) else {
        return;
    };
    parse_json(&whole).unwrap_or_else(|error| panic!("{error}: {whole}"));
    assert_eq!(with_whole_numbers(&whole), None, "{whole}");
}

fn ordered(text: &str, value: &Value) {
    let Ok(ordered) = serde_json::from_str::<Ordered>(text) else {
        return;
    };
    if !text.contains("$serde_json") && !text.contains("\\u") {
        assert_eq!(&ordered.to_value(), value);
    }
    let written = serde_json::to_string(&ordered).expect("JSON");
    let again: Ordered =
        serde_json::from_str(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(again, ordered);
}

fn is_printed(pattern: &Pattern) {
    let printed = print_pattern(pattern);
    let again = parse_patterns(&printed).unwrap_or_else(|errors| panic!("{errors:?}: {printed}"));
    assert_eq!(again, std::slice::from_ref(pattern), "{printed}");
}
