//! From tokens to text and to findings. What rustc makes of the expansion is tested in the workspace's `tests`.

use super::expand_agent_fn;
use agent_spec::__private::{FIELD, PARAMS, RESULT};
use agent_spec::vocabulary::Keyword;
use proc_macro2::TokenStream;

fn expansion(arguments: &str, item: &str) -> String {
    let parsed = |text: &str| text.parse::<TokenStream>().expect("test input lexes");
    expand_agent_fn(parsed(arguments), parsed(item)).to_string()
}

const FUNCTION: &str =
    "pub async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error>;";
const AGENT: &str = "model = \"OpenAI/m\", instruction = \"Translate {{text}}.\"";

#[test]
fn a_function_gets_a_body_and_an_agent() {
    let gram = "gram = [translate:Agent {instruction: \"Translate.\", model: \"OpenAI/m\"} | (text::Text)==>(::String)]";
    for arguments in [AGENT, gram] {
        let expanded = expansion(arguments, FUNCTION);
        assert!(!expanded.contains("compile_error"), "{expanded}");
        for part in [
            "pub async fn translate",
            "Passed (runtime) . to",
            "Passed (text) . to",
            "pub const AGENT",
            "pub const GRAM",
            "check_one_runtime",
        ] {
            assert!(expanded.contains(part), "{part}: {expanded}");
        }
    }
}

#[test]
fn each_part_of_a_signature_is_compared_at_its_token() {
    let expanded = expansion(
        "gram = [a:Agent {instruction: \"i\", model: \"OpenAI/m\"} | (text::Text {enum: [\"x\"]})==>(::String)]",
        FUNCTION,
    );
    let trail = |keyword: Keyword| format!("[{PARAMS}u16 , {FIELD}u16 , {}u16]", keyword.step());
    for part in [
        &trail(Keyword::Name),
        &trail(Keyword::Type),
        &trail(Keyword::Enum),
        &trail(Keyword::Optional),
        &trail(Keyword::Description),
        &format!("[{PARAMS}u16]"),
        &format!("[{RESULT}u16]"),
    ] {
        assert!(expanded.contains(part.as_str()), "{part}: {expanded}");
    }
}

#[test]
fn an_agent_of_an_attribute_is_not_compared() {
    let expanded = expansion(AGENT, FUNCTION);
    assert!(!expanded.contains("check_call"), "{expanded}");
    assert!(expanded.contains("check_filled (\"text\""), "{expanded}");
}

#[test]
fn an_answer_by_reference_is_told_the_owned_type() {
    for (answer, owned) in [
        ("&'static str", "String"),
        ("&'static [u8]", "Vec<u8>"),
        ("&'static Map<Key, Value>", "Map<Key,Value>"),
    ] {
        let item = FUNCTION.replace("String", answer);
        let expanded = expansion(AGENT, &item);
        let told = format!("return `{owned}`");
        assert!(expanded.contains(&told), "{told}: {expanded}");
    }
}

#[test]
fn a_mistake_gives_one_message_and_a_skeleton() {
    for (arguments, item) in [
        ("", FUNCTION),
        ("model = \"OpenAI/m\"", FUNCTION),
        ("model = \"OpenAI/m\", instruction = \"{{a b}}\"", FUNCTION),
        (
            AGENT,
            "fn translate(runtime: &Runtime) -> Result<String, Error>;",
        ),
        (
            AGENT,
            "async fn translate<T>(runtime: &Runtime) -> Result<String, Error>;",
        ),
        (AGENT, "async fn translate(runtime: &Runtime);"),
        (
            AGENT,
            "async fn translate((a, b): T) -> Result<String, Error>;",
        ),
        ("gram = [a:Agent {instruction: \"i\"}]", FUNCTION),
        ("gram = concat!(\"a\")", FUNCTION),
        ("gram = TEXT", FUNCTION),
        (
            "variables = [today], model = \"OpenAI/m\", instruction = \"i\"",
            FUNCTION,
        ),
        (
            "variables = [\"a b\"], model = \"OpenAI/m\", instruction = \"i\"",
            FUNCTION,
        ),
        (
            "gram = [a:Agent {instruction: \"i\", model: \"OpenAI/m\"}], name = \"b\"",
            FUNCTION,
        ),
        (
            "agent = \"a\", model = \"OpenAI/m\", instruction = \"i\"",
            FUNCTION,
        ),
        (
            "model = \"OpenAI/m\", instruction = \"i\", export = \"/gram\"",
            FUNCTION,
        ),
        (
            "model = \"OpenAI/m\", instruction = \"i\", tools = 5",
            FUNCTION,
        ),
        ("model = \"OpenAI/m\", instruction = \"i\", tools", FUNCTION),
        (
            "model = \"OpenAI/m\", instruction = \"i\", model = \"OpenAI/m\"",
            FUNCTION,
        ),
    ] {
        let expanded = expansion(arguments, item);
        let messages = expanded.matches("compile_error").count();
        assert_eq!(messages, 1, "{arguments} {item}: {expanded}");
        assert!(expanded.contains("BROKEN_AGENT"), "{arguments}: {expanded}");
    }
}

#[test]
fn other_items_are_left_to_rustc() {
    for (item, is_kept) in [
        ("struct Translate;", true),
        ("async fn translate() -> u8 { 1 }", true),
        ("async fn translate(a) -> u8;", false),
        ("const A: u8 = 1;", true),
    ] {
        let expanded = expansion(AGENT, item);
        assert_eq!(expanded.matches("compile_error").count(), 1, "{expanded}");
        let plain = |text: &str| text.replace(' ', "");
        let is_found = plain(&expanded).starts_with(&plain(item));
        assert_eq!(is_found, is_kept, "{expanded}");
    }
}

#[test]
fn properties_are_read_in_the_words_of_rust() {
    let expanded = expansion(
        "model = \"OpenAI/m\", instruction = \"i\", max_tokens = 5, tool_timeout = \"5s\", timeout = 2min, \
         requires_approval, base_url = \"http://127.0.0.1\"",
        FUNCTION,
    );
    assert!(!expanded.contains("compile_error"), "{expanded}");
    for part in [
        "MaxTokens",
        "ToolTimeout",
        "Duration :: new (120",
        "BaseUrl",
        "true",
    ] {
        assert!(expanded.contains(part), "{part}: {expanded}");
    }
    for word in ["maxTokens = 5", "max_token = 5", "nam = \"a\""] {
        let expanded = expansion(&format!("{AGENT}, {word}"), FUNCTION);
        assert!(
            expanded.contains("is not a setting of an agent function"),
            "{expanded}"
        );
    }
}
