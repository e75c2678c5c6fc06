//! The macros people write. They pass the path of this crate on, so that they work under any name
//! the crate is given.

/// An agent that is checked when it is compiled: the gram itself, and against the functions that
/// are to implement its tools.
///
/// First come options, then the agent: gram tokens, one string literal, or a file.
///
/// - `tools: [say_hello, other::get_time],` — the functions, each marked with
///   [`#[tool]`](macro@crate::tool). Left out for an agent without tools; tools that the agent does
///   not name are fine.
/// - `file: "agents/hello.gram"` — in place of the gram; relative to the folder of the package's
///   `Cargo.toml`, or to the folder in the environment variable `AGENT_GRAM_ROOT`.
/// - `agent: "name",` — which agent, when the document declares several.
/// - `exact,` — demands equal schemas in place of the [binding rule](crate::BindPolicy).
///
/// Errors stand on the token that must change, or, for a file or a string, name the line and show
/// it. The value is an [`Agent`](crate::Agent) that is built without parsing anything at run time,
/// in a `const` or `static` too.
///
/// ```
/// use agent_runtime::{Agent, agent, tool};
///
/// /// Returns a friendly greeting message for the given name
/// #[tool]
/// fn say_hello(#[tool(default = "world")] person_name: String) -> String {
///     format!("Hello, {person_name}! Nice to meet you.")
/// }
///
/// static AGENT: Agent = agent! {
///     tools: [say_hello],
///     [greeter:Agent {instruction: "Greet people.", model: "OpenAI/gpt-4o-mini"} |
///         [sayHello:Tool {description: "Returns a friendly greeting message for the given name"} |
///             (personName::Text {default: "world"})==>(::String)
///         ]
///     ]
/// };
/// assert_eq!(AGENT.tools()[0].name(), "sayHello");
/// ```
///
/// A bare name in place of a tool takes the definition from the function:
///
/// ```
/// # use agent_runtime::{agent, tool};
/// # /// Says what time it is
/// # #[tool]
/// # fn get_time() -> String { "noon".into() }
/// let agent = agent! {
///     tools: [get_time],
///     [clock:Agent {instruction: "Tell the time.", model: "OpenAI/gpt-4o-mini"} | getTime]
/// };
/// assert_eq!(agent.tools()[0].description(), "Says what time it is");
/// ```
///
/// # What Rust cannot read
/// Inline gram passes through Rust's own lexer first. Text in backticks, `'…'` of more than one
/// character, units that start with `e` (or, after `0`, with `b`, `o` or `x`), names with such a
/// piece (`a-1e`), and brackets that do not balance do not get past it: write those in a string
/// literal or a file. Warnings are not shown, since a macro on stable Rust cannot warn;
/// `agent check` shows them.
#[macro_export]
macro_rules! agent {
    ($($input:tt)*) => {
        $crate::__private::agent_with_path! { {$crate} $($input)* }
    };
}

/// A [`ToolLibrary`](crate::ToolLibrary) of functions marked with [`#[tool]`](macro@crate::tool).
///
/// Two tools of one name are an error when it is compiled.
///
/// ```
/// use agent_runtime::{tool, tools};
///
/// /// Says what time it is
/// #[tool]
/// fn get_time() -> String {
///     "noon".into()
/// }
///
/// let library = tools![get_time];
/// assert!(library.lookup("getTime").is_some());
/// ```
#[macro_export]
macro_rules! tools {
    ($($input:tt)*) => {
        $crate::__private::tools_with_path! { {$crate} $($input)* }
    };
}

/// Tools under one name, for `tools:` of `agent!`, in this crate or another.
#[macro_export]
macro_rules! tool_set {
    ($($input:tt)*) => {
        $crate::__private::tool_set_with_path! { {$crate} $($input)* }
    };
}

/// Any gram, checked.
#[macro_export]
macro_rules! gram {
    ($($input:tt)*) => {
        $crate::__private::gram_with_path! { {$crate} $($input)* }
    };
}
