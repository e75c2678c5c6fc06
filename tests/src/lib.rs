//! Compiles and runs the examples of the pages in `docs` and of the README.

macro_rules! page {
    ($name:ident, $path:literal) => {
        #[cfg(doctest)]
        #[doc = include_str!(concat!("../../", $path))]
        struct $name;
    };
}

page!(Readme, "README.md");
page!(Agents, "docs/agents.md");
page!(AgentsAsFunctions, "docs/agents-as-functions.md");
page!(Caching, "docs/caching.md");
page!(Durable, "docs/durable.md");
page!(LongConversations, "docs/long-conversations.md");
page!(Models, "docs/models.md");
page!(Multimodal, "docs/multimodal.md");
page!(Experiments, "docs/experiments.md");
page!(Providers, "docs/providers.md");
page!(Running, "docs/running.md");
page!(Testing, "docs/testing.md");
page!(Tools, "docs/tools.md");
