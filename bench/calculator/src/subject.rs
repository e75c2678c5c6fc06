//! What is measured.

use agent_builtin::calculator;
use agent_runtime::serde_json::json;
use agent_runtime::tool::{DEFAULT_TOOL_TIMEOUT, DynamicTool, ToolConfig, invoke_tool};
use agent_runtime::{Grants, Permissions, ToolContext, ToolLibrary, ToolSpec, tool, tools};
use bench_shared::Failure;
use bench_shared::time::per_call;
use std::hint::black_box;
use std::time::Instant;

/// The short expressions.
pub(crate) const SHORT: [&str; 2] = ["2 + 2", "(3 + 4) * 5 ^ 2 - sqrt(16)"];

/// As long as an expression may be, of what takes the longest for its length.
const LONGEST: &str = "gcd(3^1292,7^729)+";

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Subject {
    /// The call of a tool that does nothing, as a whole.
    Nothing,
    /// The same, without what a run puts around it.
    NothingBare,
    /// The bare one within a time limit.
    NothingLimited,
    /// A short expression, as a whole.
    Call(usize),
    /// A short expression, by the function.
    Function(usize),
    Longest,
    /// Making a tool of a closure and two JSON Schemas.
    Made,
    /// Calling it, as a whole.
    MadeCalled,
}

impl Subject {
    pub(crate) const ALL: [Self; 10] = [
        Self::Nothing,
        Self::NothingBare,
        Self::NothingLimited,
        Self::Call(0),
        Self::Call(1),
        Self::Function(0),
        Self::Function(1),
        Self::Longest,
        Self::Made,
        Self::MadeCalled,
    ];

    /// The nanoseconds that each of these calls takes.
    pub(crate) async fn measure(self, calls: u32) -> Result<f64, Failure> {
        match self {
            Self::Nothing => {
                whole(
                    "nothing",
                    nothing::SIGNATURE,
                    json!({"text": "2 + 2"}),
                    calls,
                )
                .await
            }
            Self::NothingBare => bare(calls, false).await,
            Self::NothingLimited => bare(calls, true).await,
            Self::Call(which) => {
                let arguments = json!({"expression": SHORT[which]});
                whole("calculator", calculator::SIGNATURE, arguments, calls).await
            }
            Self::Made => {
                per_call(calls / 10, async || {
                    black_box(closure());
                    Ok(())
                })
                .await
            }
            Self::MadeCalled => {
                let signature = "(city::Text)==>(::Object {fields: {temperature: \"Double\"}})";
                whole("weather", signature, json!({"city": "Ulm"}), calls).await
            }
            Self::Function(which) => function(SHORT[which], calls).await,
            Self::Longest => {
                let expression = format!("{}1", LONGEST.repeat(4095 / LONGEST.len()));
                function(&expression, (calls / 2000).max(1)).await
            }
        }
    }
}

/// Does nothing
#[tool(inline)]
fn nothing(text: &str) -> usize {
    text.len()
}

/// As the design documents make their tool.
fn closure() -> DynamicTool {
    let input = json!({
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    });
    let output = json!({
        "type": "object",
        "properties": {"temperature": {"type": "number"}},
        "required": ["temperature"],
    });
    ToolConfig::with_schema("weather", "Tells the weather", input)
        .output_schema(output)
        .build(async |_| Ok(json!({"temperature": 20.5})))
        .expect("a tool")
}

fn library() -> ToolLibrary {
    let mut library = tools![nothing, calculator];
    library.add(closure()).expect("the first of its name");
    library
}

/// A context as a run has it, with grants.
fn context() -> Result<ToolContext, Failure> {
    let permissions = Permissions::new(&Grants::new().network("api.example.org"))?;
    Ok(ToolContext::detached().with_permissions(permissions))
}

/// A call with all that a run does for it but its record.
async fn whole(
    name: &str,
    signature: &str,
    arguments: agent_runtime::serde_json::Value,
    calls: u32,
) -> Result<f64, Failure> {
    let (library, context) = (library(), context()?);
    let spec = ToolSpec::new(name.to_owned(), "Something", signature)?;
    let text = arguments.to_string();
    let implementation = library.lookup(name).ok_or("no such tool")?;
    let implementation = implementation.descriptor().signature();
    per_call(calls, async || {
        let tool = library.lookup(black_box(name)).ok_or("no such tool")?;
        let checked = spec
            .signature()
            .check_arguments(black_box(&text), implementation);
        let result = invoke_tool(&**tool, checked?.text(), &context).await;
        black_box(result)?;
        Ok(())
    })
    .await
}

/// The call of a tool that does nothing, perhaps within a time limit.
async fn bare(calls: u32, is_limited: bool) -> Result<f64, Failure> {
    let (library, context) = (library(), context()?);
    let tool = library.lookup("nothing").ok_or("no such tool")?;
    let text = r#"{"text": "2 + 2"}"#;
    per_call(calls, async || {
        let result = if is_limited {
            let deadline = Instant::now() + DEFAULT_TOOL_TIMEOUT;
            let context = context.clone().with_deadline(deadline);
            let call = tool.call(black_box(text), &context);
            tokio::time::timeout(DEFAULT_TOOL_TIMEOUT, call).await?
        } else {
            tool.call(black_box(text), &context).await
        };
        black_box(result)?;
        Ok(())
    })
    .await
}

async fn function(expression: &str, calls: u32) -> Result<f64, Failure> {
    per_call(calls, async || {
        black_box(calculator(black_box(expression)))?;
        Ok(())
    })
    .await
}
