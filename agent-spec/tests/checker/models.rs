//! Models: what they refuse and ignore, and the days on which they end.

use agent_catalog::{Catalog, Document};
use agent_spec::check::{ModelRules, Options, check, check_catalog, is_catalog};
use agent_spec::model::PROVIDERS;

const TOOL: &str = r#"[greet:Tool {description: "Greets"} | ()==>(::String)]"#;

fn agent(record: &str, element: &str) -> String {
    format!("[a:Agent {{instruction: \"Help.\", {record}}} | {element}]")
}

/// Returns the findings as `severity code marked text: message (help)`.
fn findings(source: &str, catalog: &Catalog, today: Option<&str>) -> Vec<String> {
    let options = Options {
        providers: &["Acme"],
        model_rules: Some(ModelRules {
            today: today.map(|today| today.parse().expect("a date")),
            ..ModelRules::new(catalog)
        }),
        ..Options::default()
    };
    let checked = check(source, options);
    let found = checked.diagnostics.iter().map(|found| {
        let marked = &source[found.span().start..found.span().end];
        let (severity, code) = (found.severity(), found.code());
        let help = found.help().unwrap_or_default();
        format!("{severity} {code} {marked}: {} ({help})", found.message())
    });
    found.collect()
}

fn of_builtin(source: &str) -> Vec<String> {
    findings(source, Catalog::builtin(), Some("2026-11-28"))
}

/// Each row has the settings of an agent with a tool, and the only finding: its beginning, and words of it.
#[test]
fn what_a_vendor_refuses_is_an_error_at_the_setting() {
    for (record, begins, words) in [
        (
            r#"model: "OpenAIChat/gpt-5.6-terra""#,
            r#"error agent::refused-setting "OpenAIChat/gpt-5.6-terra""#,
            &[
                "tools in chat completions",
                "OpenAI/gpt-5.6-terra",
                "reasoningEffort: \"none\"",
            ][..],
        ),
        (
            r#"model: "OpenAIChat/gpt-6-astra""#,
            r#"error agent::refused-setting "OpenAIChat/gpt-6-astra""#,
            &["tools in chat completions"],
        ),
        (
            r#"model: "OpenAIChat/gpt-5.4", reasoningEffort: "low""#,
            r#"error agent::refused-setting "OpenAIChat/gpt-5.4""#,
            &["tools in chat completions"],
        ),
        (
            r#"model: "OpenAIChat/gpt-5.2", reasoningEffort: "max""#,
            r#"error agent::refused-setting "max""#,
            &["none, low, medium, high, xhigh"],
        ),
        (
            r#"model: "OpenAIResponses/gpt-5.6-luna", reasoningEffort: "minimal""#,
            r#"error agent::refused-setting "minimal""#,
            &[
                "none, low, medium, high, xhigh, max",
                "\"max\", \"minimal\"]",
            ],
        ),
        (
            r#"model: "OpenAI/gpt-6-sol", reasoningEffort: "none", temperature: 0.7, maxTokens: 128001"#,
            r#"error agent::refused-setting 128001"#,
            &["128000 or less"],
        ),
        (
            r#"model: "OpenAIResponses/gpt-6-luna", temperature: 0.7"#,
            r#"error agent::refused-setting 0.7"#,
            &[
                "while it thinks",
                "reasoningEffort: \"none\"",
                "temperature: \"always\"",
            ],
        ),
        (
            r#"model: "OpenAIResponses/gpt-6-astra", reasoningEffort: "none""#,
            r#"error agent::refused-setting "none""#,
            &["low, medium, high, xhigh, max"],
        ),
        (
            r#"model: "OpenAIResponses/gpt-6-sol", topP: 0.5"#,
            r#"error agent::refused-setting 0.5"#,
            &["`topP`"],
        ),
        (
            r#"model: "OpenAIResponses/gpt-6-sol", stop: ["END"]"#,
            r#"error agent::refused-setting ["END"]"#,
            &["`stop`"],
        ),
        (
            r#"model: "OpenAI/gpt-4o", reasoningEffort: "low""#,
            r#"error agent::refused-setting "low""#,
            &["takes no effort"],
        ),
        (
            r#"model: "Anthropic/claude-sonnet-5", temperature: 0"#,
            r#"error agent::refused-setting 0"#,
            &["`temperature`"],
        ),
        (
            r#"model: "Anthropic/claude-opus-4-6", temperature: 0.7, thinkingBudget: 2000"#,
            r#"error agent::refused-setting 0.7"#,
            &["beside `thinkingBudget`"],
        ),
        (
            r#"model: "Anthropic/claude-haiku-4-5", temperature: 0.7, topP: 0.5"#,
            r#"error agent::refused-setting 0.5"#,
            &["beside `temperature`"],
        ),
        (
            r#"model: "Anthropic/claude-opus-5-5", thinking: false"#,
            r#"error agent::refused-setting false"#,
            &["`thinking: false`", "reasoningEffort"],
        ),
        (
            r#"model: "Anthropic/claude-sonnet-5-5", thinking: false"#,
            r#"error agent::refused-setting false"#,
            &["`thinking: false`"],
        ),
        (
            r#"model: "OpenAI/gpt-6-astra", thinking: false"#,
            r#"error agent::refused-setting false"#,
            &["`thinking: false`"],
        ),
        (
            r#"model: "OpenAI/gpt-4.1", thinking: true"#,
            r#"error agent::refused-setting true"#,
            &["`thinking: true`"],
        ),
        (
            r#"model: "Anthropic/claude-sonnet-5", thinkingBudget: 2000"#,
            r#"error agent::refused-setting 2000"#,
            &["reasoningEffort"],
        ),
        (
            r#"model: "Anthropic/claude-opus-5-5", toolChoice: "required""#,
            r#"error agent::refused-setting "required""#,
            &["demands a call", "instruction"],
        ),
        (
            r#"model: "Anthropic/claude-fable-5-2", toolChoice: "greet""#,
            r#"error agent::refused-setting "greet""#,
            &["demands a call"],
        ),
        (
            r#"model: "Google/gemini-3.7-flash", reasoningEffort: "minimal""#,
            r#"error agent::refused-setting "minimal""#,
            &["low, medium, high"],
        ),
        (
            r#"model: "OpenRouter/anthropic/claude-opus-5.5", toolChoice: "required""#,
            r#"error agent::refused-setting "required""#,
            &["demands a call"],
        ),
    ] {
        let found = of_builtin(&agent(record, TOOL));
        let found: Vec<&String> = found
            .iter()
            .filter(|found| !found.contains("retiring-model"))
            .collect();
        assert_eq!(found.len(), 1, "{record}: {found:?}");
        assert!(found[0].starts_with(begins), "{record}: {}", found[0]);
        for word in words {
            assert!(found[0].contains(word), "{record}: {}", found[0]);
        }
    }
}

#[test]
fn what_is_ignored_or_only_likely_to_be_refused_is_a_warning() {
    for (record, begins, word) in [
        (
            r#"model: "Google/gemini-3.8-flash", temperature: 0.2"#,
            "warning agent::ignored-setting 0.2",
            "ignores `temperature`",
        ),
        (
            r#"model: "OpenAIResponses/gpt-6-luna", seed: 1"#,
            "warning agent::ignored-setting 1",
            "`OpenAIResponses` ignores `seed`",
        ),
        (
            r#"model: "OpenAI/gpt-6-luna", seed: 1"#,
            "warning agent::ignored-setting 1",
            "write `OpenAIChat/gpt-6-luna`",
        ),
        (
            r#"model: "OpenAI/gpt-6-luna", extra: {logit_bias: {a: 1}}"#,
            "warning agent::ignored-setting {logit_bias: {a: 1}}",
            "no `logit_bias`",
        ),
        (
            r#"model: "Anthropic/claude-opus-5-5", seed: 1"#,
            "warning agent::ignored-setting 1",
            "`Anthropic` ignores `seed`",
        ),
        (
            r#"model: "Anthropic/claude-haiku-4-5", thinking: false, thinkingBudget: 2000"#,
            "warning agent::ignored-setting 2000",
            "`thinking: false` leaves nothing",
        ),
        (
            r#"model: "OpenAIResponses/gpt-6-luna", compactAbove: 2000000"#,
            "warning agent::ignored-setting 2000000",
            "1050000",
        ),
        (
            r#"model: "OpenAIResponses/gpt-6-luna", fallback: ["Google/gemini-3.8-flash", "Anthropic/claude-opus-5-5"], toolChoice: "required""#,
            "warning agent::refused-setting \"Anthropic/claude-opus-5-5\"",
            "demands a call",
        ),
        (
            r#"model: "OpenAIResponses/gpt-6-lnua""#,
            "warning agent::unknown-model \"OpenAIResponses/gpt-6-lnua\"",
            "did you mean `OpenAIResponses/gpt-6-luna`?",
        ),
        (
            r#"model: "OpenAI/gpt-4o-mni""#,
            "warning agent::unknown-model \"OpenAI/gpt-4o-mni\"",
            "did you mean `OpenAI/gpt-4o-mini`?",
        ),
        (
            r#"model: "OpenAI/gpt-6-lunaa""#,
            "warning agent::unknown-model \"OpenAI/gpt-6-lunaa\"",
            "did you mean `OpenAI/gpt-6-luna`?",
        ),
        (
            r#"model: "OpenAIResponses/gpt-7-luna""#,
            "warning agent::unknown-model \"OpenAIResponses/gpt-7-luna\"",
            "nothing is checked of it",
        ),
        (
            r#"model: "Google/davinci:2""#,
            "warning agent::unknown-model \"Google/davinci:2\"",
            "[`davinci:2`:Model {like: \"…\"}]",
        ),
    ] {
        let found = of_builtin(&agent(record, TOOL));
        assert_eq!(found.len(), 1, "{record}: {found:?}");
        assert!(found[0].starts_with(begins), "{record}: {}", found[0]);
        assert!(found[0].contains(word), "{record}: {}", found[0]);
    }
    // Of a model of a known family both the name and the rules are only likely.
    let found = of_builtin(&agent(
        r#"model: "Anthropic/claude-opus-6", toolChoice: "required""#,
        TOOL,
    ));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with("warning agent::unknown-model"),
        "{}",
        found[0]
    );
    assert!(
        found[0].contains("checked as `claude-opus-5-5`"),
        "{}",
        found[0]
    );
    assert!(
        found[1].starts_with("warning agent::refused-setting"),
        "{}",
        found[1]
    );
    assert!(
        found[1].contains("if it is like `claude-opus-5-5`"),
        "{}",
        found[1]
    );
}

#[test]
fn the_end_of_a_model_is_an_error_after_it_and_a_warning_before() {
    let of = |model: &str, today: Option<&str>| {
        let found = findings(
            &agent(&format!("model: {model:?}"), TOOL),
            Catalog::builtin(),
            today,
        );
        found.join("\n")
    };
    for today in [None, Some("2026-11-28"), Some("2030-01-01")] {
        let found = of("OpenAI/o3-mini", today);
        assert!(found.starts_with("error agent::retired-model"), "{found}");
        assert!(found.contains("switched off on 2026-10-23"), "{found}");
    }
    for (today, expected) in [
        (None, ""),
        (Some("2026-10-15"), ""),
        (Some("2026-10-16"), "will be switched off on 2027-01-14"),
        (Some("2027-01-13"), "will be switched off on 2027-01-14"),
        (Some("2027-01-14"), "was to be switched off on 2027-01-14"),
        (Some("2028-01-01"), "was to be switched off on 2027-01-14"),
    ] {
        let found = of("OpenAI/gpt-4o-mini", today);
        assert_eq!(found.is_empty(), expected.is_empty(), "{today:?}: {found}");
        assert!(found.contains(expected), "{today:?}: {found}");
        if !expected.is_empty() {
            assert!(
                found.starts_with("warning agent::retiring-model"),
                "{found}"
            );
            assert!(found.contains("write `OpenAI/gpt-6-luna`"), "{found}");
        }
    }
}

#[test]
fn media_that_a_model_does_not_take_are_reported_at_the_model() {
    let signature = "(recording::Audio)==>(::String)";
    let tool = "[record:Tool {description: \"Records\"} | ()==>(::Audio)]";
    for (model, element, begins, words) in [
        (
            "Anthropic/claude-haiku-5-5",
            signature,
            "error agent::refused-media \"Anthropic/claude-haiku-5-5\"",
            "takes no audio, and `recording` is one",
        ),
        (
            "OpenAI/gpt-6-luna",
            signature,
            "error agent::refused-media",
            "this one takes image, document",
        ),
        (
            "Anthropic/claude-haiku-5-5",
            tool,
            "warning agent::refused-media",
            "the results of `record`",
        ),
        ("Google/gemini-3.8-flash", signature, "", ""),
        ("Google/gemini-3.8-flash", tool, "", ""),
        ("Ollama/any", signature, "", ""),
        (
            "Anthropic/claude-haiku-5-5",
            "(scan::Image)==>(::String)",
            "",
            "",
        ),
        (
            "Anthropic/claude-haiku-5-5",
            "(text::Document)==>(::String)",
            "",
            "",
        ),
    ] {
        let found = of_builtin(&agent(&format!("model: {model:?}"), element)).join("\n");
        assert!(
            found.starts_with(begins) && found.contains(words),
            "{model}: {found}"
        );
        assert_eq!(found.is_empty(), begins.is_empty(), "{model}: {found}");
    }
}

#[test]
fn nothing_is_reported_where_nothing_is_known() {
    for record in [
        r#"model: "Acme/gpt-6-luna", temperature: 0.7"#,
        r#"model: "Ollama/qwen3:4b", temperature: 0.7, reasoningEffort: "low""#,
        r#"model: "OpenRouter/acme/model-1", temperature: 0.7"#,
        r#"model: "Offline/any", temperature: 0.7"#,
        r#"model: "OpenAIResponses/gpt-6-luna", baseUrl: "http://127.0.0.1:8000/v1", temperature: 0.7, seed: 1"#,
        r#"model: "OpenAIResponses/gpt-6-luna", temperature: 0.7, reasoningEffort: "none""#,
        r#"model: "OpenAI/gpt-6-luna", reasoningEffort: "none", toolChoice: "required""#,
        r#"model: "OpenAIResponses/gpt-6-luna-2026-09-22", reasoningEffort: "max", toolChoice: "required""#,
        r#"model: "Azure/gpt-4o-mini", temperature: 0.7, seed: 1"#,
        r#"model: "Anthropic/claude-opus-4-6", temperature: 0.7"#,
        r#"model: "OpenAI/gpt-6-luna""#,
        r#"model: "OpenAI/gpt-6-luna", thinking: false, temperature: 0.7"#,
        r#"model: "OpenAI/gpt-6-astra", reasoningEffort: "max", toolChoice: "required""#,
        r#"model: "OpenAIChat/gpt-5.2", extra: {logit_bias: {a: 1}}, seed: 1"#,
        r#"model: "Anthropic/claude-opus-5", thinking: false"#,
        r#"model: "Groq/openai/gpt-oss-120b", temperature: 0.7, seed: 1"#,
        r#"model: "Google/gemini-2.5-flash-lite", temperature: 0.7, thinkingBudget: 0, seed: 1"#
            .replace("thinkingBudget: 0", "thinkingBudget: 1")
            .as_str(),
    ] {
        let found = of_builtin(&agent(record, TOOL));
        assert!(found.is_empty(), "{record}: {found:?}");
    }
    // Without tools, chat completions serve each model that they have.
    let alone = r#"[a:Agent {instruction: "Help.", model: "OpenAIChat/gpt-6-sol"}]"#;
    assert!(of_builtin(alone).is_empty());
}

#[test]
fn a_row_of_ones_own_turns_a_finding_off() {
    let own = Document::read(
        r#"[Anthropic:Catalog | [claude-opus-5-5:Model {forcedCalls: "always"}]]
           [OpenAI:Catalog | [gpt-7-luna:Model {like: "gpt-6-luna", efforts: ["low"]}]]"#,
    );
    let catalog = Catalog::builtin().with(&own).expect("no mistakes");
    for (record, count) in [
        (
            r#"model: "Anthropic/claude-opus-5-5", toolChoice: "required""#,
            0,
        ),
        (
            r#"model: "OpenAIResponses/gpt-7-luna", reasoningEffort: "low""#,
            0,
        ),
        (
            r#"model: "OpenAIResponses/gpt-7-luna", reasoningEffort: "high""#,
            1,
        ),
    ] {
        let found = findings(&agent(record, TOOL), &catalog, None);
        assert_eq!(found.len(), count, "{record}: {found:?}");
    }
}

#[test]
fn a_catalogue_among_agents_is_no_catalogue() {
    let catalog = "[OpenAI:Catalog | [gpt-9:Model]]";
    let source = format!(
        "{}\n{catalog}",
        agent(r#"model: "OpenAI/gpt-6-luna""#, TOOL)
    );
    assert!(!is_catalog(&source));
    let found = of_builtin(&source);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with(&format!("error agent::bad-catalog {catalog}")),
        "{found:?}"
    );
}

/// Each row has a catalogue, and the finding in it as `code marked text`.
#[test]
fn mistakes_of_a_catalogue_are_findings() {
    for (source, expected) in [
        (r#"[OpenAI:Catalog | [a:Model {like: "gpt-6-luna"}]]"#, ""),
        (
            "[Ollama:Catalog | [qwen3:latest:Model]]",
            "agent::bad-catalog :Model",
        ),
        (
            r#"[OpenAI:Catalog | [a:Model {like: "b"}]]"#,
            "agent::bad-catalog \"b\"",
        ),
        (
            "[OpenAI:Catalog | [a:Model {contextWindw: 1}]]",
            "agent::unknown-property contextWindw",
        ),
        (
            "[OpenAI:Catalog | [a:Model {stop: 1}]]",
            "agent::bad-value 1",
        ),
        (
            r#"[OpenAI:Catalog {baseUrl: "https://acme.example/v1"}]"#,
            "agent::bad-catalog \"https://acme.example/v1\"",
        ),
        (
            r#"[Acme:Catalog {models: "OpenIA"}]"#,
            "agent::bad-catalog \"OpenIA\"",
        ),
    ] {
        assert!(is_catalog(source), "{source}");
        let found = check_catalog(source, Catalog::builtin()).err();
        let found = found.unwrap_or_default();
        let found = found.iter().map(|found| {
            let marked = &source[found.span().start..found.span().end];
            format!("{} {marked}", found.code())
        });
        assert_eq!(found.collect::<Vec<_>>().join(", "), expected, "{source}");
    }
    assert!(!is_catalog(&agent(r#"model: "OpenAI/gpt-4.1""#, TOOL)));
}

/// Each row has models, and settings that their vendors' documentation says they take.
const VALID: &[(&[&str], &[&str])] = &[
    (
        &[
            "OpenAI/gpt-6.2-astra",
            "OpenAI/gpt-6.2-sol",
            "OpenAI/gpt-6-astra",
            "OpenAI/gpt-6.1-sol",
        ],
        &[
            "reasoningEffort: \"max\", toolChoice: \"required\", maxTokens: 128000",
            "reasoningEffort: \"low\", thinking: true, compactAbove: 800000",
        ],
    ),
    (
        &[
            "OpenAI/gpt-6.1-terra",
            "OpenAI/gpt-6-sol",
            "OpenAI/gpt-6-luna",
            "OpenAI/gpt-5.6-sol",
            "OpenAI/gpt-5.6-terra",
            "OpenAI/gpt-5.6-luna",
        ],
        &[
            "reasoningEffort: \"none\", temperature: 0.2, topP: 0.9",
            "reasoningEffort: \"max\", toolChoice: \"greet\"",
            "thinking: false, temperature: 1",
        ],
    ),
    (
        &[
            "OpenAIChat/gpt-6-luna",
            "OpenAIChat/gpt-5.6-luna",
            "OpenAIChat/gpt-5.5",
        ],
        &["reasoningEffort: \"none\", temperature: 0.2, seed: 7, extra: {logit_bias: {a: 1}}"],
    ),
    (
        &[
            "OpenAI/gpt-5.5",
            "OpenAI/gpt-5.4",
            "OpenAI/gpt-5.4-mini",
            "OpenAI/gpt-5.4-nano",
        ],
        &[
            "reasoningEffort: \"xhigh\"",
            "reasoningEffort: \"none\", temperature: 0.2",
        ],
    ),
    (
        &["OpenAI/gpt-5.5-pro", "OpenAI/gpt-5.4-pro"],
        &["reasoningEffort: \"xhigh\", toolChoice: \"required\""],
    ),
    (
        &[
            "OpenAIChat/gpt-5.4",
            "OpenAIChat/gpt-5.4-mini",
            "OpenAIChat/gpt-5.2",
            "OpenAIChat/gpt-5.1",
        ],
        &["temperature: 0.2, seed: 7"],
    ),
    (
        &["OpenAI/gpt-5.3-codex", "OpenAI/gpt-5.2"],
        &["reasoningEffort: \"xhigh\", toolChoice: \"required\""],
    ),
    (
        &["OpenAI/gpt-5", "OpenAI/gpt-5-mini", "OpenAI/gpt-5-nano"],
        &["reasoningEffort: \"minimal\", toolChoice: \"required\""],
    ),
    (&["OpenAI/o3"], &["reasoningEffort: \"high\""]),
    (
        &[
            "OpenAI/gpt-4.1",
            "OpenAI/gpt-4.1-mini",
            "OpenAI/gpt-4o",
            "OpenAI/gpt-4o-mini",
        ],
        &[
            "temperature: 0.2, topP: 0.9, stop: [\"END\"], toolChoice: \"required\", thinking: false",
        ],
    ),
    (
        &[
            "Anthropic/claude-fable-5-2",
            "Anthropic/claude-fable-5-1",
            "Anthropic/claude-opus-5-5",
        ],
        &[
            "reasoningEffort: \"max\", thinking: true, cache: \"1h\"",
            "stop: [\"END\"], toolChoice: \"auto\"",
        ],
    ),
    (
        &["Anthropic/claude-sonnet-5-5"],
        &[
            "reasoningEffort: \"xhigh\"",
            "thinking: true, toolChoice: \"none\"",
        ],
    ),
    (
        &["Anthropic/claude-fable-5"],
        &["reasoningEffort: \"xhigh\", toolChoice: \"required\""],
    ),
    (
        &[
            "Anthropic/claude-opus-5",
            "Anthropic/claude-sonnet-5",
            "Anthropic/claude-haiku-5-5",
            "Anthropic/claude-opus-4-8",
            "Anthropic/claude-opus-4-7",
        ],
        &[
            "thinking: false, toolChoice: \"required\"",
            "reasoningEffort: \"max\", toolChoice: \"greet\"",
        ],
    ),
    (
        &["Anthropic/claude-opus-4-6", "Anthropic/claude-sonnet-4-6"],
        &[
            "thinkingBudget: 2000, reasoningEffort: \"max\"",
            "temperature: 0.2, toolChoice: \"required\"",
        ],
    ),
    (
        &[
            "Anthropic/claude-opus-4-5",
            "Anthropic/claude-sonnet-4-5",
            "Anthropic/claude-haiku-4-5",
        ],
        &[
            "thinkingBudget: 2000, maxTokens: 64000",
            "topP: 0.2",
            "thinking: true",
        ],
    ),
    (
        &[
            "Google/gemini-4-argon",
            "Google/gemini-4-carbon",
            "Google/gemini-3.8-flash",
            "Google/gemini-3.7-flash",
        ],
        &[
            "reasoningEffort: \"low\", toolChoice: \"required\"",
            "seed: 7, stop: [\"END\"]",
        ],
    ),
    (
        &["Google/gemini-4-hydrogen"],
        &["reasoningEffort: \"xhigh\""],
    ),
    (
        &["Google/gemini-3.6-flash", "Google/gemini-3.5-flash-lite"],
        &["reasoningEffort: \"minimal\""],
    ),
    (
        &[
            "Google/gemini-3.5-flash",
            "Google/gemini-3.1-flash-lite",
            "Google/gemini-3-flash-preview",
        ],
        &["reasoningEffort: \"minimal\", temperature: 0.2"],
    ),
    (
        &["Google/gemini-3.1-pro-preview"],
        &["temperature: 0.2, topP: 0.9"],
    ),
    (
        &["Google/gemini-2.5-flash", "Google/gemini-2.5-flash-lite"],
        &[
            "thinking: false, temperature: 0.2",
            "thinkingBudget: 2000, toolChoice: \"required\"",
        ],
    ),
    (&["Google/gemini-2.5-pro"], &["thinkingBudget: 2000"]),
    (
        &[
            "OpenRouter/anthropic/claude-opus-5.5",
            "OpenRouter/openai/gpt-6-luna",
            "Groq/openai/gpt-oss-120b",
            "Mistral/mistral-large",
            "DeepSeek/deepseek-v4",
            "xAI/grok-4.5",
            "Together/deepseek-ai/DeepSeek-V4",
            "Fireworks/accounts/fireworks/models/x",
            "Azure/my-deployment",
            "Bedrock/openai.gpt-6-luna",
            "Vertex/gemini-3.8-flash",
            "vLLM/qwen3",
            "LMStudio/qwen3",
            "LlamaCpp/any",
            "Ollama/qwen3:4b",
        ],
        &["reasoningEffort: \"low\", maxTokens: 1000"],
    ),
];

#[test]
fn nothing_is_reported_of_what_vendors_take() {
    let mut count = 0;
    for (models, settings) in VALID {
        for model in *models {
            for settings in *settings {
                let source = agent(&format!("model: {model:?}, {settings}"), TOOL);
                let found = findings(&source, Catalog::builtin(), None);
                assert!(found.is_empty(), "{model} {settings}: {found:?}");
                count += 1;
            }
        }
    }
    assert!(count >= 100, "{count}");
    for provider in Catalog::builtin().providers() {
        let model =
            format!("model: \"{provider}/of-tomorrow\", reasoningEffort: \"low\", maxTokens: 1000");
        let found = findings(&agent(&model, TOOL), Catalog::builtin(), None);
        // Of a vendor whose models are listed, another model is a warning.
        assert!(
            !found.iter().any(|found| found.starts_with("error")),
            "{provider}: {found:?}"
        );
    }
}

#[test]
fn the_providers_of_models_are_those_of_the_catalogue() {
    // The models without a server, and the two interfaces of OpenAI.
    let own = ["Offline", "OpenAIChat", "OpenAIResponses", "Scripted"];
    let mut known: Vec<&str> = PROVIDERS.to_vec();
    known.retain(|provider| !own.contains(provider));
    known.sort_unstable();
    let mut rows: Vec<&str> = Catalog::builtin().providers().collect();
    rows.retain(|provider| !own.contains(provider));
    assert_eq!(rows, known);
}
