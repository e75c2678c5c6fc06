//! What is measured: each library with its dependencies as its users write them, and tools as its
//! users write them. All tools are the same function,
//! `fn tool_i(a: i64, b: String, c: Option<u32>) -> String`, with a description of it and of each
//! parameter.

mod baseline;
mod ours;
mod rig;
mod rmcp;

/// One library, or one way to use it.
pub(crate) struct Subject {
    /// The name in arguments and folders.
    pub key: &'static str,
    /// The name in tables.
    pub title: &'static str,
    /// The `[dependencies]` of a package with it.
    pub dependencies: fn() -> String,
    /// `main.rs` with so many tools.
    pub source: fn(usize) -> String,
    /// Whether its dependencies are worth a clean build of their own.
    pub clean: bool,
    /// Whether its tools are worth checks of their own.
    pub touch: bool,
}

/// All of them, in the order of the tables.
pub(crate) const SUBJECTS: &[Subject] = &[
    Subject {
        key: "tool",
        title: "agent-tool",
        dependencies: ours::tool,
        source: ours::tools,
        clean: true,
        touch: true,
    },
    Subject {
        key: "tool-plain",
        title: "the same, no default features",
        dependencies: ours::tool_without_defaults,
        source: ours::tools,
        clean: true,
        touch: false,
    },
    Subject {
        key: "agent",
        title: "agent-tool, with an `agent!` over 100 of the tools",
        dependencies: ours::tool,
        source: ours::tools_and_agent,
        clean: false,
        touch: true,
    },
    Subject {
        key: "runtime",
        title: "agent-runtime",
        dependencies: ours::runtime,
        source: ours::tools,
        clean: true,
        touch: false,
    },
    Subject {
        key: "rmcp",
        title: "rmcp 3.9, `server`, `macros`",
        dependencies: rmcp::dependencies,
        source: rmcp::tools,
        clean: true,
        touch: true,
    },
    Subject {
        key: "rig-core",
        title: "rig-core 0.44, `derive`",
        dependencies: rig::core,
        source: rig::core_tools,
        clean: true,
        touch: true,
    },
    Subject {
        key: "rig",
        title: "rig 0.44, default features",
        dependencies: rig::defaults,
        source: rig::tools,
        clean: true,
        touch: false,
    },
    Subject {
        key: "baseline",
        title: "serde, serde_json, schemars and their derives",
        dependencies: baseline::dependencies,
        source: baseline::tools,
        clean: true,
        touch: true,
    },
];
