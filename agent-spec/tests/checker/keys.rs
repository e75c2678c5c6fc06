//! Keys of providers in documents: they are found, and never shown.

use super::findings;
use super::mistakes::one_finding;
use agent_spec::check::{Options, check};
use agent_spec::diagnostic::render;

const CODE: &str = "agent::key-in-document";
const KEY: &str = "sk-proj-0123456789abcdef";

fn agent(record: &str, elements: &str) -> String {
    format!("[a:Agent {{model: \"OpenAI/m\", {record}}}{elements}]")
}

#[test]
fn warns_of_keys_anywhere_by_their_form() {
    let instruction = "instruction: \"i\"";
    for source in [
        agent(&format!("instruction: \"Your key is {KEY}.\""), ""),
        agent(&format!("instruction: ```\nUse {KEY}\n```"), ""),
        agent(&format!("{instruction}, description: \"{KEY}\""), ""),
        agent(&format!("{instruction}, note: [{{a: \"{KEY}\"}}]"), ""),
        agent(
            &format!("{instruction}, extra: {{a: [{{b: \"Bearer {KEY}\"}}]}}"),
            "",
        ),
        agent(
            instruction,
            &format!(" | [t:Tool {{description: \"{KEY}\"}} | ()==>(::String)]"),
        ),
        agent(
            instruction,
            &format!(
                " | [t:Tool {{description: \"d\"}} | (a::Text {{default: \"{KEY}\"}})==>(::String)]"
            ),
        ),
        format!("// {KEY}\n{}", agent(instruction, "")),
    ] {
        one_finding(&source, CODE, KEY, "`OPENAI_API_KEY`");
        shows_no_key(&source, KEY);
    }
}

#[test]
fn warns_of_keys_in_extra_by_their_name() {
    for (extra, at) in [
        ("{api_key: \"hunter2\"}", "api_key"),
        ("{apiKey: \"hunter2\"}", "apiKey"),
        (
            "{a: [{headers: {Authorization: \"Bearer hunter2\"}}]}",
            "Authorization",
        ),
        ("{a: {token: \"hunter2-hunter2\"}}", "token"),
        ("{a: {`x-api-key`: [\"hunter2\"]}}", "`x-api-key`"),
        // Both by its name and by its form it is one key.
        ("{api_key: \"sk-proj-0123456789abcdef\"}", "api_key"),
    ] {
        let source = agent(&format!("instruction: \"i\", extra: {extra}"), "");
        one_finding(&source, CODE, at, "`OPENAI_API_KEY`");
        let found = &check(&source, Options::default()).diagnostics[0];
        assert!(found.message().contains("is sent"), "{}", found.message());
    }
    for extra in [
        "{max_tokens: 5, token: 5, key: true, secret: \"\"}",
        "{prompt_cache_key: \"user-0123456789\"}",
        "{a: {keyboard: \"qwertz\", owner: \"sk-learn\"}}",
    ] {
        let source = agent(&format!("instruction: \"i\", extra: {extra}"), "");
        assert_eq!(findings(&source), [""; 0], "{extra}");
    }
}

#[test]
fn warns_of_own_properties_named_like_keys() {
    let source = agent("instruction: \"i\", apiKey: \"hunter2\"", "");
    one_finding(&source, CODE, "apiKey", "`OPENAI_API_KEY`");
    shows_no_key(&source, "hunter2");
}

#[test]
fn diagnostics_do_not_contain_keys() {
    for (source, code) in [
        // Not on its own line, and of another mistake.
        (
            agent(
                "instruction: \"i\", extra: {password: \"KEY\"}, topP: 7",
                "",
            ),
            "agent::bad-value",
        ),
        (
            agent("instruction: \"i\", temperature: \"KEY\"", ""),
            "agent::bad-value",
        ),
        (
            "[a:Agent {instruction: \"i\", model: \"KEY\"}]".to_owned(),
            "agent::bad-model",
        ),
        (
            agent("instruction: \"i\", seed: KEY", ""),
            "agent::bad-value",
        ),
    ] {
        let source = source.replace("KEY", KEY);
        let codes = findings(&source);
        assert!(codes.iter().any(|found| found.contains(code)), "{codes:?}");
        shows_no_key(&source, KEY);
    }
}

#[test]
fn redacts_a_key_across_the_cut_of_a_long_line() {
    for before in [300, 340, 360, 380, 395, 399] {
        let extra = format!("a: \"{}{KEY}{}\"", " ".repeat(before), " ".repeat(500));
        let source =
            format!("[a:Agent {{topP: 7, {extra}, instruction: \"i\", model: \"OpenAI/m\"}}]");
        let shown = shows_no_key(&source, KEY);
        assert!(!shown.contains("sk-proj"), "{shown}");
    }
}

#[track_caller]
fn shows_no_key(source: &str, key: &str) -> String {
    let found = check(source, Options::default()).diagnostics;
    assert!(!found.is_empty(), "{source}");
    let shown: String = found
        .iter()
        .map(|found| render(source, None, found))
        .collect();
    assert!(!shown.contains(key), "{shown}");
    shown
}
