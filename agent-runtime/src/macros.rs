//! The macros people write. They pass the path of this crate on, so that they work under any name
//! the crate is given.

/// An agent that is checked when it is compiled: the gram itself, and against the functions that
/// are to implement its tools.
///
/// First come options, then the agent: gram tokens, one string literal, or a file.
///
/// - `tools: [say_hello, other::get_time, ..Db, Db::find],` — the functions, each marked with
///   [`#[tool]`](macro@crate::tool), and the methods of toolboxes, all or by name; or the name of a
///   [set](crate::tool_set) alone, `tools: GREETERS,`. Left out for an agent without tools; tools
///   that the agent does not name are fine, two of one name are not.
/// - `file: "agents/hello.gram"` — in place of the gram; relative to the folder of the package's
///   `Cargo.toml`, or to the folder in the environment variable `AGENT_GRAM_ROOT`.
/// - `agent: "name",` — which agent, when the document declares several.
/// - `providers: ["Acme"],` — names of providers that the program registers, with
///   [`RuntimeBuilder::provider`](crate::runtime::RuntimeBuilder::provider) say. Others are refused, but for
///   those that are always there.
/// - `exact,` — demands equal schemas in place of the [binding rule](crate::library::BindPolicy).
/// - `export,` or `export: "folder",` — adds a test that keeps a file up to date; see below.
///
/// In `tools: […]` a path names a method when what stands before its last name is a type: it starts
/// with an upper-case letter, or has generic arguments (`Store<Note>::find`), or is `<T>`. Any other
/// path names a function in a module. Where a module has an upper-case name, rustc says "expected
/// type, found module": import the function, and name it alone.
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
/// # An item, and its file
/// With `static NAME,` or `const NAME,` first, after attributes and visibility as usual, it is an
/// item; outside of functions rustc refuses it without that ("macro expansion ignores `{`"), since
/// the agent is then an expression. To such an item `export` adds a test that writes the agent's gram, the definitions of its
/// tools included, to `gram/<name of the agent>.gram` in the package's folder, so that people and
/// other programs can read what the code says. With `AGENT_GRAM=check`, which is the default where
/// `CI` is set, the test writes nothing, and fails with a diff when the file is out of date;
/// `AGENT_GRAM=write cargo test` brings it up to date. A test also fails when another of the same test
/// program writes the file with another text: two agents or tools of one name need two folders. Of
/// exports in different programs, and under runners that start a program for each test, check mode
/// refuses one.
///
/// ```
/// # use agent_runtime::{agent, tool};
/// # /// Says what time it is
/// # #[tool]
/// # fn get_time() -> String { "noon".into() }
/// agent! {
///     /// Tells the time.
///     pub static CLOCK, export, tools: [get_time],
///     [clock:Agent {instruction: "Tell the time.", model: "OpenAI/gpt-4o-mini"} | getTime]
/// }
/// # fn main() {
/// assert_eq!(CLOCK.name(), "clock");
/// # }
/// ```
///
/// # What Rust cannot read
/// Inline gram passes through Rust's own lexer first. Text in backticks, `'…'` of more than one
/// character ("unterminated character literal", "character literal may only contain one codepoint"),
/// text with a tag before it (`md"…"`: "prefix is unknown"), units that start with `e` (or, after
/// `0`, with `b`, `o` or `x`), names with such a piece (`a-1e`), and brackets that do not balance do
/// not get past it: write those in quotes where gram allows it, else the whole in a string literal
/// or a file. Other macros and constants have no value yet when this one runs: `concat!`,
/// `include_str!` and the like cannot stand in place of the gram or of a path. Warnings are not
/// shown, since a macro on stable Rust cannot warn; `agent check` shows them.
#[macro_export]
macro_rules! agent {
    ($($input:tt)*) => {
        $crate::__private::agent_with_path! { {$crate} $($input)* }
    };
}

/// A [`ToolLibrary`](crate::ToolLibrary): of functions, toolboxes, and any expressions.
///
/// - `say_hello`, `other::get_time`: a function marked with [`#[tool]`](macro@crate::tool), by its
///   path.
/// - `..value`: several tools, such as the methods of a toolbox, another library, or a vector;
///   whatever is [`IntoTools`](crate::library::IntoTools).
/// - Any other expression: a tool, whatever is [`IntoTool`](crate::library::IntoTool); `?` in it returns from
///   the function around. A variable stands in parentheses, since a bare name is that of a function.
///
/// ```
/// use agent_runtime::tool::create_tool;
/// use agent_runtime::{tool, tools};
/// use agent_runtime::serde_json::json;
///
/// /// Says what time it is
/// #[tool]
/// fn get_time() -> String {
///     "noon".into()
/// }
///
/// # fn main() -> Result<(), agent_runtime::tool::ToolConfigError> {
/// let made = create_tool("ping", "Answers", json!({"type": "object"}), async |_| Ok("pong".into()))?;
/// let few = tools![get_time];
/// let more = tools![..few, (made)];
/// assert_eq!(more.names().collect::<Vec<_>>(), ["getTime", "ping"]);
/// # Ok(())
/// # }
/// ```
///
/// A library is made when the program runs and is no constant: tools that a `const` or `static` needs
/// are named by [`tool_set!`](crate::tool_set).
///
/// # Panics
/// Two functions of one name are an error when it is compiled, at the second one. The names that
/// toolboxes and other values bring are known when the library is made: when two are equal, or one is
/// equal to a function's, that panics with a message that names both tools.
/// [`ToolLibrary::register_all`](crate::ToolLibrary::register_all) returns such an error instead.
#[macro_export]
macro_rules! tools {
    ($($input:tt)*) => {
        $crate::__private::tools_with_path! { {$crate} $($input)* }
    };
}

/// Tools under one name, for `tools:` of [`agent!`](crate::agent), in this crate or another.
///
/// The elements are those of `tools: […]`: functions, methods `Db::find`, and `..Db` or `..OTHER` for
/// all tools of a toolbox or of another set. Two tools of one name are an error when it is compiled.
/// The macro is an item, `tool_set! { pub GREETERS = […] }`, and defines a type of the name, with
/// attributes and visibility as usual. A set of functions alone can
/// be registered, too: `tools![..GREETERS {}]`.
///
/// ```
/// use agent_runtime::{agent, tool, tool_set, tools};
///
/// /// Says what time it is
/// #[tool]
/// pub fn get_time() -> String {
///     "noon".into()
/// }
///
/// /// Says what day it is
/// #[tool]
/// pub fn get_day() -> String {
///     "Monday".into()
/// }
///
/// tool_set! {
///     /// What tells the time.
///     pub CLOCKS = [get_time, get_day]
/// }
///
/// # fn main() {
/// let agent = agent! {
///     tools: CLOCKS,
///     [clock:Agent {instruction: "Tell the time.", model: "OpenAI/gpt-4o-mini"} | getDay, getTime]
/// };
/// assert_eq!(tools![..CLOCKS {}].len(), agent.tools().len());
/// # }
/// ```
#[macro_export]
macro_rules! tool_set {
    ($($input:tt)*) => {
        $crate::__private::tool_set_with_path! { {$crate} $($input)* }
    };
}

/// Any gram, checked when it is compiled: the notation, and the agents and tools in it, if there are
/// any. Gram tokens, one string literal, or `file: "path"`, with the limits of
/// [`agent!`](crate::agent#what-rust-cannot-read). Before it may stand `providers: ["Acme"],`, as with
/// [`agent!`](crate::agent), for agents whose models are of providers that the program registers.
///
/// The value is a `&'static str`, the text in the canonical layout of `agent fmt`, for a `const` or
/// `static` too. It is no [`Pattern`](crate::gram::Pattern), since those own what they hold, which a
/// constant cannot; but what reads it at run time finds no error in it. Comments of a literal or a
/// file stay, those between tokens do not reach a macro.
///
/// ```
/// use agent_runtime::spec::AgentPattern;
/// use agent_runtime::gram;
///
/// const PEOPLE: &str = gram! { (ada:Person {age: 36})-[:KNOWS]->(bob:Person) };
/// assert_eq!(PEOPLE, "(ada:Person {age: 36})-[:KNOWS]->(bob:Person)\n");
///
/// let agent = AgentPattern::parse(gram! {
///     [chatter:Agent {instruction: "Chat.", model: "OpenAI/gpt-4o-mini"}]
/// })?;
/// assert_eq!(agent.to_agent()?.name(), "chatter");
/// # Ok::<(), agent_runtime::spec::Diagnostics>(())
/// ```
#[macro_export]
macro_rules! gram {
    ($($input:tt)*) => {
        $crate::__private::gram_with_path! { {$crate} $($input)* }
    };
}
