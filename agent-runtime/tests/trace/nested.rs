//! The spans of agents that are called.

use crate::recorder::{Span, recorded};
use crate::support::{calls, config, library};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Runtime, agent};

/// The spans as lines, each below its parent.
fn tree(spans: &[Span]) -> Vec<String> {
    let mut lines = Vec::new();
    for span in spans.iter().filter(|span| !span.name.is_empty()) {
        let mut depth = 0;
        let mut above = span.parent;
        while let Some(parent) = above {
            depth += 1;
            above = spans[parent].parent;
        }
        let field = |key: &str| {
            span.fields
                .get(key)
                .map_or("", |value| value.trim_matches('"'))
        };
        let path = [
            field("agent_runtime.run.path"),
            field("agent_runtime.tool.path"),
        ]
        .concat();
        let details = [&path, field("gen_ai.tool.call.id"), field("error.type")];
        let details = details.into_iter().filter(|detail| !detail.is_empty());
        let mut line = "  ".repeat(depth) + span.name;
        details.for_each(|detail| line = format!("{line} {detail}"));
        lines.push(line);
    }
    lines
}

#[test]
fn the_run_of_an_agent_is_within_its_call() {
    let spans = recorded(async {
        let support = agent! {
            tools: [dynamic plain],
            [support:Agent {instruction: "Help.", model: "Scripted/any"} |
                [billing:Agent {description: "Knows invoices", instruction: "Answer.", model: "Scripted/any"} |
                    [plain:Tool {description: "Does something."} | ()==>(::Any)]],
                [broken:Agent {description: "Fails", instruction: "Fail.", model: "Scripted/any"}]
            ]
        };
        let plain = config("plain").build(|_| async { Ok("fine".into()) });
        let library = library([plain.expect("a tool")]);
        let question = r#"{"message": "Hi"}"#;
        let model = Scripted::new([
            calls(&[("1", "billing", question)]),
            calls(&[("2", "broken", question)]),
            ModelReply::text("Done."),
        ])
        .agent(
            "billing",
            [calls(&[("p", "plain", "{}")]), ModelReply::text("12 euros")],
        );
        let model = model.agent_with("broken", |_| Err(agent_runtime::Error::llm("no")));
        let runtime = Runtime::with_model(model);
        runtime
            .run(&support, "Hi")
            .tools(&library)
            .await
            .expect("an answer");
    });
    assert_eq!(
        tree(&spans),
        [
            "invoke_agent support",
            "  chat",
            "  execute_tool support/billing 1",
            "    invoke_agent support/billing",
            "      chat",
            "      execute_tool support/billing/plain 1/p",
            "      chat",
            "  chat",
            "  execute_tool support/broken 2 execution",
            "    invoke_agent support/broken llm",
            "      chat llm",
            "  chat",
        ]
    );
}
