//! The public macros. They pass on the path of this crate, so that they work when a dependency has another name.

/// Creates an agent and checks it at compile time: the gram, and the functions that implement its tools.
///
/// The input is options, then the agent as gram tokens, as one string literal, or as a file.
///
/// - `tools: [say_hello, other::get_time, ..Db, Db::find],` — the functions with
///   [`#[tool]`](macro@crate::tool), and methods of toolboxes, all or by name; or the name of a
///   [set](crate::tool_set) alone, `tools: GREETERS,`. Leave it out for an agent without tools. Tools that the agent
///   does not name are allowed, duplicate names are not.
///   `dynamic getWeather` in the list, with the name as in gram, is a tool that is known only at run time: nothing is
///   compared until the agent is bound to a library.
/// - `file: "agents/hello.gram"` — a file in place of the gram, relative to the folder of the package's
///   `Cargo.toml`. If the environment variable `AGENT_GRAM_ROOT` names a folder, the file is looked up there first.
/// - `agent: "name",` — the name of the agent, if the document declares several.
/// - `providers: ["Acme"],` — the names of providers that the program registers, for example with
///   `RuntimeBuilder::provider`. Other names are rejected, except for
///   built-in providers.
/// - `models: "models.gram",` — a catalogue of models, found like `file`, whose rows are above the builtin ones: for
///   fine-tunes, deployments and new models. The agent keeps its text as [`Agent::catalog`](crate::Agent::catalog).
/// - `deny: ["retired-model"],` — makes a model that was switched off an error.
/// - `exact,` — requires equal schemas instead of the [binding rule](crate::library::BindPolicy).
/// - `export,` or `export: "folder",` — adds a test that keeps a file up to date; see below.
///
/// In `tools: […]` a path names a method if the part before its last name is a type: it starts with an upper-case
/// letter, has generic arguments (`Store<Note>::find`), or is `<T>`. Any other path names a function in a module. For
/// a module with an upper-case name, rustc reports "expected type, found module": import the function then, and
/// write its name alone. If rustc reports that the name of a function is ambiguous, write its path,
/// `self::get_time`.
///
/// The settings of the agent are checked against its model: a setting that the vendor refuses for the model,
/// such as `temperature` on a model that always thinks, is an error. The result depends neither on the day
/// nor on the environment.
///
/// Errors are reported at the token that must change. For a file or a string they show the line. The value is an
/// [`Agent`](crate::Agent) that needs no parsing at run time, also in a `const` or `static`.
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
///     [greeter:Agent {instruction: "Greet people.", model: "OpenAI/gpt-6-luna"} |
///         [sayHello:Tool {description: "Returns a friendly greeting message for the given name"} |
///             (personName::Text {default: "world"})==>(::String)
///         ]
///     ]
/// };
/// assert_eq!(AGENT.tools()[0].name(), "sayHello");
/// ```
///
/// Write the name of a tool alone to take its definition from the function:
///
/// ```
/// # use agent_runtime::{agent, tool};
/// # /// Says what time it is
/// # #[tool]
/// # fn get_time() -> String { "noon".into() }
/// let agent = agent! {
///     tools: [get_time],
///     [clock:Agent {instruction: "Tell the time.", model: "OpenAI/gpt-6-luna"} | getTime]
/// };
/// assert_eq!(agent.tools()[0].description(), "Says what time it is");
/// ```
///
/// # An item, and its file
/// With `static NAME,` or `const NAME,` first, after attributes and visibility, the macro is an item. Without it, the
/// agent is an expression, which is an error outside of functions. `export` adds a
/// test to such an item, which writes the gram of the agent and its tools to `gram/<name of the agent>.gram` in the
/// package's folder, for people and other programs. With `AGENT_GRAM=check`, the default if `CI` is set, the test
/// writes nothing and fails with a diff if the file is out of date; `AGENT_GRAM=write cargo test` updates it. The
/// file has the style that the project file, `agent.gram`, sets. A test also fails if another export of the same test
/// program writes the file with another text: use two folders for two agents or tools of one name. Between different
/// programs, and with test runners that start a program for each test, only check mode finds such a conflict.
///
/// ```
/// # use agent_runtime::{agent, tool};
/// # /// Says what time it is
/// # #[tool]
/// # fn get_time() -> String { "noon".into() }
/// agent! {
///     /// Tells the time.
///     pub static CLOCK, export, tools: [get_time],
///     [clock:Agent {instruction: "Tell the time.", model: "OpenAI/gpt-6-luna"} | getTime]
/// }
/// # fn main() {
/// assert_eq!(CLOCK.name(), "clock");
/// # }
/// ```
///
/// # What Rust cannot read
/// Rust's lexer reads inline gram first. It rejects text in backticks, `'…'` with more than one character
/// ("unterminated character literal", "character literal may only contain one codepoint"), text with a tag
/// (`md"…"`: "prefix is unknown"), units that start with `e` (or, after `0`, with `b`, `o` or `x`), names with such a
/// part (`a-1e`), and unbalanced brackets. Quote such text where gram allows it, or write the gram as a string literal
/// or a file. The gram and paths cannot be other macros or constants, such as `concat!` and `include_str!`, because
/// these have no value when this macro runs. A macro on stable Rust cannot show warnings; `agent check` does.
#[macro_export]
macro_rules! agent {
    ($($input:tt)*) => {
        $crate::__private::agent_with_path! { {$crate} $($input)* }
    };
}

/// Creates a [`ToolLibrary`](crate::ToolLibrary) from functions, toolboxes and other expressions.
///
/// - `say_hello`, `other::get_time`: a function with [`#[tool]`](macro@crate::tool), by its path.
/// - `..value`: several tools, such as the methods of a toolbox, another library, or a vector: any
///   [`IntoTools`](crate::library::IntoTools).
/// - Any other expression: one tool, any [`IntoTool`](crate::library::IntoTool). `?` in it returns from the
///   surrounding function. Write a variable or a field in parentheses, because a name alone is that of a function, and
///   `db.find` may be meant as a method.
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
/// A library is created at run time. Use [`tool_set!`](crate::tool_set) for tools in a `const` or `static`.
///
/// # Panics
/// When a name of a toolbox or another value is used twice. The message names both tools.
/// [`ToolLibrary::register_all`](crate::ToolLibrary::register_all) returns an error instead. Two functions of one name
/// are an error at compile time.
#[macro_export]
macro_rules! tools {
    ($($input:tt)*) => {
        $crate::__private::tools_with_path! { {$crate} $($input)* }
    };
}

/// Names a set of tools for `tools:` of [`agent!`](crate::agent), in this crate or another.
///
/// The elements are those of `tools: […]`: functions, methods `Db::find`, and `..Db` or `..OTHER` for all tools of a
/// toolbox or of another set. Two tools of one name are an error at compile time. The macro is an item,
/// `tool_set! { pub GREETERS = […] }`, which defines a type of this name, with attributes and visibility. A set of
/// only functions can also be registered: `tools![..GREETERS {}]`.
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
///     /// The tools that return the time.
///     pub CLOCKS = [get_time, get_day]
/// }
///
/// # fn main() {
/// let agent = agent! {
///     tools: CLOCKS,
///     [clock:Agent {instruction: "Tell the time.", model: "OpenAI/gpt-6-luna"} | getDay, getTime]
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

/// Checks any gram at compile time: the notation, and the agents and tools in it. The input is gram tokens, one string
/// literal, or `file: "path"`, with the limits of [`agent!`](crate::agent#what-rust-cannot-read). As with
/// [`agent!`](crate::agent), `providers: ["Acme"],` before it names providers that the program registers.
///
/// The value is a `&'static str`, the text in the canonical layout of `agent fmt`, also for a `const` or `static`. It
/// is not a [`Pattern`](crate::gram::Pattern), because a pattern owns memory, which a constant cannot. Parsing the text
/// at run time never fails. Comments of a literal or a file are kept. Comments between tokens do not reach a macro.
///
/// ```
/// use agent_runtime::spec::AgentPattern;
/// use agent_runtime::gram;
///
/// const PEOPLE: &str = gram! { (ada:Person {age: 36})-[:KNOWS]->(bob:Person) };
/// assert_eq!(PEOPLE, "(ada:Person {age: 36})-[:KNOWS]->(bob:Person)\n");
///
/// let agent = AgentPattern::parse(gram! {
///     [chatter:Agent {instruction: "Chat.", model: "OpenAI/gpt-6-luna"}]
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
