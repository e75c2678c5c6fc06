//! Compiles and runs the examples of the pages of the book, of the README and of the macros' documentation.

macro_rules! page {
    ($name:ident, $path:literal) => {
        #[cfg(doctest)]
        #[doc = include_str!(concat!("../../", $path))]
        struct $name;
    };
}

page!(Readme, "README.md");
page!(RuntimeReadme, "agent-runtime/README.md");

page!(
    BuildAgentsAsFunctions,
    "book/src/build/agents-as-functions.md"
);
page!(BuildAgents, "book/src/build/agents.md");
page!(BuildApproval, "book/src/build/approval.md");
page!(BuildBinding, "book/src/build/binding.md");
page!(BuildBuiltInTools, "book/src/build/built-in-tools.md");
page!(BuildCallingAgents, "book/src/build/calling-agents.md");
page!(BuildEffects, "book/src/build/effects.md");
page!(BuildExperiments, "book/src/build/experiments.md");
page!(
    BuildLongConversations,
    "book/src/build/long-conversations.md"
);
page!(BuildMedia, "book/src/build/media.md");
page!(BuildModels, "book/src/build/models.md");
page!(BuildRunTimeTools, "book/src/build/run-time-tools.md");
page!(BuildRunning, "book/src/build/running.md");
page!(BuildTesting, "book/src/build/testing.md");
page!(BuildTools, "book/src/build/tools.md");
page!(
    ConnectFromPydanticAi,
    "book/src/connect/from-pydantic-ai.md"
);
page!(ConnectFromRig, "book/src/connect/from-rig.md");
page!(ConnectMcpDocuments, "book/src/connect/mcp-documents.md");
page!(ConnectMcpServe, "book/src/connect/mcp-serve.md");
page!(ConnectMcpTools, "book/src/connect/mcp-tools.md");
page!(Introduction, "book/src/introduction.md");
page!(
    ReferenceAgentSettings,
    "book/src/reference/agent-settings.md"
);
page!(
    ReferenceBuiltInTools,
    "book/src/reference/built-in-tools.md"
);
page!(
    ReferenceConversations,
    "book/src/reference/conversations.md"
);
page!(ReferenceJournal, "book/src/reference/journal.md");
page!(ReferenceMcp, "book/src/reference/mcp.md");
page!(ReferenceMedia, "book/src/reference/media.md");
page!(ReferenceModels, "book/src/reference/models.md");
page!(ReferenceNotation, "book/src/reference/notation.md");
page!(ReferenceProviders, "book/src/reference/providers.md");
page!(ReferenceRunRules, "book/src/reference/run-rules.md");
page!(
    ReferenceToolAttributes,
    "book/src/reference/tool-attributes.md"
);
page!(ReferenceTypes, "book/src/reference/types.md");
page!(ShipCosts, "book/src/ship/costs.md");
page!(ShipDurableRuns, "book/src/ship/durable-runs.md");
page!(ShipManyMachines, "book/src/ship/many-machines.md");
page!(ShipObservability, "book/src/ship/observability.md");
page!(ShipSecurity, "book/src/ship/security.md");
page!(ShipWeb, "book/src/ship/web.md");
page!(StartFiveMinutes, "book/src/start/five-minutes.md");
page!(StartTutorial, "book/src/start/tutorial.md");
page!(
    UnderstandHowAgentWorks,
    "book/src/understand/how-agent-works.md"
);
page!(UnderstandLayers, "book/src/understand/layers.md");

page!(MacroAgentFn, "agent-macros/src/docs/agent_fn.md");
page!(MacroGramType, "agent-macros/src/docs/gram_type.md");
page!(MacroTool, "agent-macros/src/docs/tool.md");
page!(MacroToolbox, "agent-macros/src/docs/toolbox.md");

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    #[test]
    fn each_page_with_examples_in_rust_is_compiled() {
        let own = include_str!("lib.rs");
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "md") {
                    let text = fs::read_to_string(&path).expect("a page");
                    let name = path.display().to_string().replace('\\', "/");
                    let (_, name) = name.split_once("/../").expect("a page of the book");
                    let is_compiled = own.contains(&format!("\"{name}\""));
                    assert_eq!(is_compiled, text.contains("```rust"), "{name}");
                }
            }
        }
    }
}
