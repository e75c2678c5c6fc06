//! Compiles and runs the examples of the pages in `docs`, of the README and of the macros' documentation.

macro_rules! page {
    ($name:ident, $path:literal) => {
        #[cfg(doctest)]
        #[doc = include_str!(concat!("../../", $path))]
        struct $name;
    };
}

page!(Readme, "README.md");
page!(RuntimeReadme, "agent-runtime/README.md");
page!(Agents, "docs/agents.md");
page!(AgentsAsFunctions, "docs/agents-as-functions.md");
page!(Caching, "docs/caching.md");
page!(Durable, "docs/durable.md");
page!(Effects, "docs/effects.md");
page!(LongConversations, "docs/long-conversations.md");
page!(Models, "docs/models.md");
page!(Multimodal, "docs/multimodal.md");
page!(Experiments, "docs/experiments.md");
page!(Providers, "docs/providers.md");
page!(Running, "docs/running.md");
page!(Testing, "docs/testing.md");
page!(Tools, "docs/tools.md");
page!(Web, "docs/web.md");

page!(MacroAgentFn, "agent-macros/src/docs/agent_fn.md");
page!(MacroGramType, "agent-macros/src/docs/gram_type.md");
page!(MacroTool, "agent-macros/src/docs/tool.md");
page!(MacroToolbox, "agent-macros/src/docs/toolbox.md");
