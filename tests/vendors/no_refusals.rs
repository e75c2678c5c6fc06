//! Every feature with every model, with the catalogue of the product.

use crate::vendors::facts::{ChatTools, OPENAI, OpenAi, all_models};
use crate::vendors::features::{Case, Feature, Turn, problems};
use agent_runtime::runtime::RuntimeBuilder;

/// Returns the cases of models, each plain and streamed.
fn groups(models: impl IntoIterator<Item = (&'static str, &'static str)>) -> Vec<Vec<Case>> {
    let mut groups = Vec::new();
    for (provider, model) in models {
        for is_streamed in [false, true] {
            let cases = Feature::all().into_iter().map(|feature| Case {
                provider,
                model,
                feature,
                is_streamed,
            });
            groups.push(cases.collect());
        }
    }
    groups
}

/// Returns the failures and the refusals. A failure repeats the text of its refusal.
fn all_problems(turns: &[Turn]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let refusals = turn.refusals.iter();
        found.extend(
            refusals.map(|(model, text)| format!("turn {number}: {model} refused: {text}")),
        );
        if let (Err(text), []) = (&turn.response, turn.refusals.as_slice()) {
            found.push(format!("turn {number}: {text}"));
        }
    }
    found
}

#[test]
fn the_table_has_56_different_models() {
    let mut models = all_models();
    models.sort_unstable();
    models.dedup();
    assert_eq!(models.len(), 56);
}

/// Checks that no request of these models is refused.
async fn check(models: impl IntoIterator<Item = (&'static str, &'static str)>) {
    // A correction would teach the runtime what the next case needs.
    let uncorrected = |_: &Case, runtime: RuntimeBuilder| runtime.correct_refused_requests(false);
    let lines = problems(groups(models), uncorrected, all_problems).await;
    assert!(
        lines.is_empty(),
        "{} problems:\n{}",
        lines.len(),
        lines.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_is_refused() {
    check(all_models()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_to_chat_completions_is_refused() {
    // The others have no tools there, whatever is sent.
    let has_tools = |model: &&OpenAi| {
        matches!(
            model.chat_tools,
            ChatTools::Always | ChatTools::WithoutThought
        )
    };
    let models = OPENAI.iter().filter(has_tools);
    check(models.map(|model| ("OpenAIChat", model.id))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_to_a_platform_with_a_vendors_models_is_refused() {
    check([
        ("Azure", "gpt-6.1-sol"),
        ("Azure", "gpt-4o"),
        ("Bedrock", "gpt-5.6-luna"),
        ("Vertex", "gemini-3.8-flash"),
        ("Vertex", "gemini-2.5-flash"),
    ])
    .await;
}
