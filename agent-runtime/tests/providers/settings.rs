//! Tool choices, sends_efforts_in_each_format and extras in the words of each provider.

use crate::providers::exchange::{
    ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES, TOOL, sent,
};
use serde_json::{Value, json};

const DIALECTS: &[Dialect] = &[OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA];

/// Checks a member of the requests with these settings, plain and streamed.
async fn check(dialect: &Dialect, settings: &str, tools: &str, pointer: &str, expected: Value) {
    for streamed in [false, true] {
        let body = sent(dialect, settings, tools, streamed).await;
        let body = body.expect("an answer");
        let found = body.pointer(pointer).cloned().unwrap_or_default();
        assert_eq!(found, expected, "{}: {settings} {body}", dialect.folder);
    }
}

#[tokio::test]
async fn sends_tool_choices_in_each_format() {
    for (dialect, pointer, [auto, required, none, named]) in [
        (
            OPENAI,
            "/tool_choice",
            [
                json!("auto"),
                json!("required"),
                json!("none"),
                json!({"type": "function", "function": {"name": "sayHello"}}),
            ],
        ),
        (
            RESPONSES,
            "/tool_choice",
            [
                json!("auto"),
                json!("required"),
                json!("none"),
                json!({"type": "function", "name": "sayHello"}),
            ],
        ),
        (
            ANTHROPIC,
            "/tool_choice",
            [
                json!({"type": "auto"}),
                json!({"type": "any"}),
                json!({"type": "none"}),
                json!({"type": "tool", "name": "sayHello"}),
            ],
        ),
        (
            GOOGLE,
            "/toolConfig",
            [
                json!({"functionCallingConfig": {"mode": "AUTO"}}),
                json!({"functionCallingConfig": {"mode": "ANY"}}),
                json!({"functionCallingConfig": {"mode": "NONE"}}),
                json!({"functionCallingConfig":
                       {"mode": "ANY", "allowedFunctionNames": ["sayHello"]}}),
            ],
        ),
        (
            OLLAMA,
            "/tool_choice",
            [Value::Null, Value::Null, Value::Null, Value::Null],
        ),
    ] {
        for (choice, expected) in [
            ("auto", &auto),
            ("required", &required),
            ("none", &none),
            ("sayHello", &named),
        ] {
            let settings = format!("toolChoice: \"{choice}\"");
            check(&dialect, &settings, TOOL, pointer, expected.clone()).await;
        }
        // No choice without a setting, and none without tools.
        check(&dialect, "seed: 1", TOOL, pointer, Value::Null).await;
        for choice in ["auto", "none"] {
            let settings = format!("toolChoice: \"{choice}\"");
            check(&dialect, &settings, "", pointer, Value::Null).await;
            check(&dialect, &settings, "", "/tools", Value::Null).await;
        }
    }
}

#[tokio::test]
async fn sends_tools_unless_only_their_absence_forbids_calls() {
    for dialect in DIALECTS {
        for choice in ["auto", "required", "none", "sayHello"] {
            let settings = format!("toolChoice: \"{choice}\"");
            let body = sent(dialect, &settings, TOOL, false).await;
            let has_tools = body.expect("an answer").get("tools").is_some();
            let forbidden = dialect.folder == "ollama" && choice == "none";
            assert_eq!(has_tools, !forbidden, "{}: {choice}", dialect.folder);
        }
    }
}

#[tokio::test]
async fn sends_efforts_in_each_format() {
    for (dialect, pointer, words) in [
        (
            OPENAI,
            "/reasoning_effort",
            ["minimal", "low", "medium", "high"],
        ),
        (
            RESPONSES,
            "/reasoning/effort",
            ["minimal", "low", "medium", "high"],
        ),
        (
            ANTHROPIC,
            "/output_config/effort",
            ["low", "low", "medium", "high"],
        ),
        (
            GOOGLE,
            "/generationConfig/thinkingConfig/thinkingLevel",
            ["MINIMAL", "LOW", "MEDIUM", "HIGH"],
        ),
        (OLLAMA, "/think", ["low", "low", "medium", "high"]),
    ] {
        for (effort, word) in ["minimal", "low", "medium", "high"].into_iter().zip(words) {
            let settings = format!("reasoningEffort: \"{effort}\"");
            check(&dialect, &settings, "", pointer, json!(word)).await;
        }
        check(&dialect, "seed: 1", "", pointer, Value::Null).await;
    }
}

#[tokio::test]
async fn sends_thinking_budgets_where_the_provider_has_them() {
    let budget = "thinkingBudget: 2048";
    let enabled = json!({"type": "enabled", "budget_tokens": 2048});
    check(&ANTHROPIC, budget, "", "/thinking", enabled.clone()).await;
    // The default leaves room for the answer.
    check(&ANTHROPIC, budget, "", "/max_tokens", json!(8192 + 2048)).await;
    // With an effort, too.
    let both = "thinkingBudget: 2048, maxTokens: 2049, reasoningEffort: \"high\"";
    check(&ANTHROPIC, both, "", "/thinking", enabled).await;
    check(&ANTHROPIC, both, "", "/max_tokens", json!(2049)).await;
    check(&ANTHROPIC, both, "", "/output_config/effort", json!("high")).await;
    // A call cannot be demanded of a model that thinks.
    let forced = "thinkingBudget: 2048, toolChoice: \"required\"";
    check(&ANTHROPIC, forced, TOOL, "/thinking", Value::Null).await;
    // Google rejects a request with both.
    let config = "/generationConfig/thinkingConfig";
    check(&GOOGLE, both, "", config, json!({"thinkingBudget": 2048})).await;
    for dialect in [OPENAI, OLLAMA] {
        let body = sent(&dialect, budget, "", false).await.expect("an answer");
        assert!(!body.to_string().contains("2048"), "{body}");
    }
}

#[tokio::test]
async fn rejects_thinking_budgets_that_anthropic_does_not_accept_before_sending() {
    for (settings, words) in [
        (
            "thinkingBudget: 1023",
            "`thinkingBudget` is 1023; Anthropic accepts 1024 or more",
        ),
        (
            "thinkingBudget: 2048, maxTokens: 2048",
            "`thinkingBudget` is 2048 and `maxTokens` is 2048",
        ),
        (
            "thinkingBudget: 2048, extra: {thinking: {type: \"adaptive\"}}",
            "set the agent's own `thinkingBudget`",
        ),
    ] {
        for streamed in [false, true] {
            let error = sent(&ANTHROPIC, settings, "", streamed).await;
            let error = error.expect_err(words);
            assert!(error.is_configuration(), "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}

#[tokio::test]
async fn sends_top_p_and_seed_in_each_format() {
    for (dialect, top_p, seed) in [
        (OPENAI, "/top_p", "/seed"),
        (GOOGLE, "/generationConfig/topP", "/generationConfig/seed"),
        (OLLAMA, "/options/top_p", "/options/seed"),
    ] {
        let settings = "topP: 0.25, seed: -9007199254740993";
        check(&dialect, settings, "", top_p, json!(0.25)).await;
        check(
            &dialect,
            settings,
            "",
            seed,
            json!(-9_007_199_254_740_993_i64),
        )
        .await;
    }
    let settings = "topP: 0.25, seed: 7, stop: [\"END\"]";
    let body = sent(&RESPONSES, settings, "", false).await;
    let plain = sent(&RESPONSES, "extra: {top_p: 0.25}", "", false).await;
    assert_eq!(body.expect("an answer"), plain.expect("an answer"));
    let body = sent(&ANTHROPIC, "topP: 0.25, seed: 7", "", false).await;
    let plain = sent(&ANTHROPIC, "maxIterations: 3", "", false).await;
    assert_eq!(body.expect("an answer"), plain.expect("an answer"));
}

#[tokio::test]
async fn merges_extra_into_the_request() {
    for (dialect, extra, pointer, expected) in [
        (
            OPENAI,
            "{service_tier: \"flex\", logit_bias: {`50256`: -100}}",
            "/service_tier",
            json!("flex"),
        ),
        (
            OPENAI,
            "{logit_bias: {`50256`: -100}}",
            "/logit_bias",
            json!({"50256": -100}),
        ),
        (
            RESPONSES,
            "{text: {verbosity: \"low\"}, parallel_tool_calls: false}",
            "/text",
            json!({"verbosity": "low"}),
        ),
        // Members that are sent by default.
        (RESPONSES, "{store: true}", "/store", json!(true)),
        (
            RESPONSES,
            "{include: [\"message.output_text.logprobs\"]}",
            "/include",
            json!(["message.output_text.logprobs"]),
        ),
        (
            ANTHROPIC,
            "{thinking: {type: \"enabled\", budget_tokens: 1024}}",
            "/thinking",
            json!({"type": "enabled", "budget_tokens": 1024}),
        ),
        // Older models accept members that the published types no longer have.
        (ANTHROPIC, "{temperature: 0.5}", "/temperature", json!(0.5)),
        (
            GOOGLE,
            "{generationConfig: {topK: 40, responseModalities: [\"TEXT\"]}}",
            "/generationConfig",
            json!({"topP": 0.5, "topK": 40, "responseModalities": ["TEXT"]}),
        ),
        (
            OLLAMA,
            "{options: {num_ctx: 8192}, keep_alive: \"5m\"}",
            "/options",
            json!({"top_p": 0.5, "num_ctx": 8192}),
        ),
        (OLLAMA, "{keep_alive: \"5m\"}", "/keep_alive", json!("5m")),
    ] {
        let settings = format!("topP: 0.5, extra: {extra}");
        check(&dialect, &settings, "", pointer, expected).await;
    }
}

#[tokio::test]
async fn rejects_an_extra_that_the_request_has_before_sending() {
    const ONLY_ADDS: &str = "`extra` can only add to a request";
    for (dialect, settings, path, instead) in [
        (
            OPENAI,
            "topP: 0.5, extra: {top_p: 1}",
            "top_p",
            "the agent's own `topP`",
        ),
        (
            OPENAI,
            "toolChoice: \"none\", extra: {tool_choice: \"auto\"}",
            "tool_choice",
            "the agent's own `toolChoice`",
        ),
        (
            RESPONSES,
            "maxTokens: 9, extra: {max_output_tokens: 4711}",
            "max_output_tokens",
            "the agent's own `maxTokens`",
        ),
        (
            RESPONSES,
            "extra: {instructions: \"Secret 4711.\"}",
            "instructions",
            "the agent's own `instruction`",
        ),
        (
            RESPONSES,
            "reasoningEffort: \"low\", extra: {reasoning: {effort: \"high\"}}",
            "reasoning.effort",
            "the agent's own `reasoningEffort`",
        ),
        (RESPONSES, "extra: {input: []}", "input", ONLY_ADDS),
        // Sent although the agent does not set it.
        (
            ANTHROPIC,
            "extra: {max_tokens: 4711}",
            "max_tokens",
            "the agent's own `maxTokens`",
        ),
        (
            ANTHROPIC,
            "extra: {system: \"Secret 4711.\"}",
            "system",
            "the agent's own `instruction`",
        ),
        (GOOGLE, "extra: {contents: []}", "contents", ONLY_ADDS),
        (
            GOOGLE,
            "seed: 1, extra: {generationConfig: {seed: 2}}",
            "generationConfig.seed",
            "the agent's own `seed`",
        ),
        (
            OLLAMA,
            "seed: 1, extra: {options: {seed: 4711}}",
            "options.seed",
            "the agent's own `seed`",
        ),
    ] {
        for streamed in [false, true] {
            let error = sent(&dialect, settings, TOOL, streamed).await;
            let error = error.expect_err("it is there already");
            assert!(error.is_configuration(), "{error}");
            let text = error.to_string();
            assert!(text.contains(&format!("`{path}`")), "{text}");
            assert!(text.ends_with(instead), "{text}");
            assert!(!text.contains("4711"), "{text}");
        }
    }
}
