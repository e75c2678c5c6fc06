//! The generated module: its imports, then a function for each tool, followed by the types that the
//! function is the first to need.

use crate::agent_function::{self, AgentFunction};
use crate::attribute::{AttributeArgs, Literal};
use crate::doc_comment::{comment, doc_lines, field_comment};
use crate::identifier::{Scope, derives_name};
use crate::line_width::{LINE, width_of};
use crate::type_name::TypePath;
use crate::types::{TUPLE_WIDTH, Types};
use agent_effects::{Effect, PRIVATE};
use agent_spec::vocabulary::Keyword;
use agent_spec::{AgentTool, Param, ToolSpec};
use std::collections::{BTreeSet, HashMap};

/// The name of the function that tools call until they are written.
pub(crate) const NOT_WRITTEN: &str = "not_written";

/// Names that no tool may have, because `#[tool]` makes a type of the function's name, which would shadow
/// them in the module.
const TAKEN: [&str; 25] = [
    NOT_WRITTEN,
    "agent_fn",
    "agent_runtime",
    "alloc",
    "bool",
    "char",
    "core",
    "f32",
    "f64",
    "i128",
    "i16",
    "i32",
    "i64",
    "i8",
    "isize",
    "main",
    "std",
    "str",
    "tool",
    "u128",
    "u16",
    "u32",
    "u64",
    "u8",
    "usize",
];

const NOT_WRITTEN_ITEM: &str = "\
/// Returns the error of a tool that is not written yet.
fn not_written<T>(tool: &str) -> Result<T, ToolError> {
    Err(ToolError::Execution(format!(\"`{tool}` is not written yet\")))
}";

/// A generated module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GeneratedModule {
    /// The Rust code.
    pub text: String,
    /// Warnings about the parts of the document that the code cannot express.
    pub warnings: Vec<String>,
}

/// Generates the functions of these tools and agents.
#[must_use]
pub fn generate_module(tools: &[&ToolSpec], agents: &[AgentFunction<'_>]) -> GeneratedModule {
    let mut types = Types::new(match agents {
        [] => &[],
        _ => &agent_function::TYPES,
    });
    let mut names = Scope::with(&TAKEN);
    let mut items = Vec::new();
    let mut idents: HashMap<&str, String> = HashMap::new();
    for tool in tools {
        let ident = names.snake(tool.name(), "tool");
        items.push(function(&mut types, &ident, tool));
        items.extend(types.take_items());
        idents.insert(tool.name(), ident);
    }
    for agent in agents {
        let ident = names.snake(agent.agent.name(), "agent");
        let called = agent.agent.agents();
        let all = std::iter::once(agent.agent).chain(called);
        let named = all.flat_map(|agent| agent.all_tools().map(AgentTool::name));
        let named: BTreeSet<&str> = named.collect();
        let functions = tools.iter().filter(|tool| named.contains(tool.name()));
        let functions: Vec<&str> = functions.map(|tool| idents[tool.name()].as_str()).collect();
        items.push(agent.write(&mut types, &ident, &functions));
        items.extend(types.take_items());
    }
    if !tools.is_empty() {
        items.push(NOT_WRITTEN_ITEM.to_owned());
    }
    let uses = use_lines(&types.uses, !tools.is_empty(), !agents.is_empty()).join("\n");
    GeneratedModule {
        text: format!("{uses}\n\n{}\n", items.join("\n\n")),
        warnings: types.warnings,
    }
}

/// The types of results that are media.
const MEDIA: [&str; 4] = ["Audio", "Document", "Image", "Part"];

fn use_lines(uses: &BTreeSet<&'static str>, has_tools: bool, has_agents: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let media: Vec<&str> = MEDIA
        .into_iter()
        .filter(|name| uses.contains(name))
        .collect();
    match media.as_slice() {
        [] => {}
        [only] => lines.push(format!("use agent_runtime::media::{only};")),
        several => lines.push(format!(
            "use agent_runtime::media::{{{}}};",
            several.join(", ")
        )),
    }
    let has_types = uses.contains("derive");
    if has_types {
        lines.push("use agent_runtime::serde::{Deserialize, Serialize};".to_owned());
    }
    match (uses.contains("Map"), uses.contains("Value")) {
        (true, _) => lines.push("use agent_runtime::serde_json::{Map, Value};".to_owned()),
        (false, true) => lines.push("use agent_runtime::serde_json::Value;".to_owned()),
        (false, false) => {}
    }
    let own = [
        ("Error", has_agents),
        ("GramType", has_types),
        ("Runtime", has_agents),
        ("ToolError", has_tools),
        ("agent_fn", has_agents),
        ("tool", has_tools),
    ];
    let own: Vec<&str> = own
        .into_iter()
        .filter(|(_, is_used)| *is_used)
        .map(|(name, _)| name)
        .collect();
    lines.push(format!("use agent_runtime::{{{}}};", own.join(", ")));
    if uses.contains("BTreeMap") {
        lines.push("use std::collections::BTreeMap;".to_owned());
    }
    lines
}

/// The maximum number of parameters that clippy does not warn about.
const CLIPPY_PARAMETERS: usize = 7;

/// Writes the function of a tool with its attributes.
fn function(types: &mut Types, ident: &str, tool: &ToolSpec) -> String {
    let mut args = AttributeArgs::default();
    if !derives_name(ident, tool.name()) {
        args.add(Keyword::Name.word(), Literal::text(tool.name()));
    }
    let mut docs = match doc_lines(tool.description(), 0, true) {
        Some(lines) => lines,
        None => {
            args.add(
                Keyword::Description.word(),
                Literal::text(tool.description()),
            );
            Vec::new()
        }
    };
    let returns = tool.signature().returns();
    if let Some(lines) = returns
        .description()
        .and_then(|text| doc_lines(text, 0, true))
    {
        if !docs.is_empty() {
            docs.push(String::new());
        }
        // `#[tool]` reads the description up to the first heading.
        docs.extend(["# Returns".to_owned(), String::new()]);
        docs.extend(lines);
    }
    for (effect, is) in tool.effects().iter() {
        match (effect, is) {
            (Effect::ReadsPrivate, true) => args.add("reads", Literal::text(PRIVATE)),
            // A function cannot say these, which are the default.
            (Effect::ReadsPrivate | Effect::Destructive | Effect::ReadOnly, false) => {}
            (effect, is) => args.add(effect.word(), Literal::flag(is)),
        }
    }
    let mut scope = Scope::with(&[NOT_WRITTEN]);
    let (named, further) = tool.signature().named_and_further();
    if further.is_some() {
        types.warnings.push(format!(
            "the tool `{}` may get arguments that it does not name (`*`), which a function cannot; they are left out",
            tool.name()
        ));
    }
    let mut parameters: Vec<ParameterText> = named
        .iter()
        .map(|param| ParameterText::new(types, &mut scope, tool.name(), param))
        .collect();
    let path = TypePath::result(tool.name());
    let result = types.of_result(returns.ty(), &path);
    let mut lines: Vec<String> = comment(&docs).collect();
    match args.is_empty() {
        true => lines.push("#[tool]".to_owned()),
        false => lines.extend(args.lines("tool", 0)),
    }
    if parameters.len() > CLIPPY_PARAMETERS {
        lines.push("#[allow(clippy::too_many_arguments)]".to_owned());
    }
    lines.extend(match parameters.is_empty() {
        true => head_without_parameters(types, ident, &result, &path),
        false => head(types, ident, &mut parameters, &result),
    });
    lines.extend(body(tool.name(), &parameters));
    lines.push("}".to_owned());
    lines.join("\n")
}

/// Writes a function without parameters from `pub fn` to `{`. rustfmt could only break the result, so a
/// result that is too wide gets a name.
fn head_without_parameters(
    types: &mut Types,
    ident: &str,
    result: &str,
    path: &TypePath,
) -> Vec<String> {
    let line = |result: &str| format!("pub fn {ident}() -> Result<{result}, ToolError>");
    let mut whole = line(result);
    if width_of(&whole) > LINE {
        whole = line(&types.alias(result, path));
    }
    match width_of(&whole) + " {".len() <= LINE {
        true => vec![format!("{whole} {{")],
        false => vec![whole, "{".to_owned()],
    }
}

/// Writes a function from `pub fn` to `{`.
fn head(
    types: &mut Types,
    ident: &str,
    parameters: &mut [ParameterText],
    result: &str,
) -> Vec<String> {
    let short: Option<Vec<String>> = parameters.iter().map(ParameterText::short).collect();
    let mut just_fits = false;
    if let Some(list) = short {
        let line = format!(
            "pub fn {ident}({}) -> Result<{result}, ToolError> {{",
            list.join(", ")
        );
        just_fits = width_of(&line) <= LINE;
        if line.len() <= LINE {
            return vec![line];
        }
    }
    let mut lines = vec![format!("pub fn {ident}(")];
    for parameter in parameters {
        lines.extend(parameter.lines(types));
    }
    if just_fits {
        // rustfmt breaks lines by their bytes, but sets the last comma by their columns.
        lines.last_mut().map(String::pop);
    }
    lines.push(format!(") -> Result<{result}, ToolError> {{"));
    lines
}

/// Writes the body of a function that is not written yet. It uses the arguments, so that rustc does not
/// warn about them, and returns an error.
fn body(tool: &str, parameters: &[ParameterText]) -> Vec<String> {
    let idents: Vec<&str> = parameters.iter().map(|p| p.ident.as_str()).collect();
    let mut lines = match idents.as_slice() {
        [] => Vec::new(),
        [only] => vec![format!("    let _ = {only};")],
        several => {
            let list = several.join(", ");
            if width_of(&list) <= TUPLE_WIDTH {
                vec![format!("    let _ = ({list});")]
            } else {
                let mut lines = vec!["    let _ = (".to_owned()];
                lines.extend(several.iter().map(|ident| format!("        {ident},")));
                lines.push("    );".to_owned());
                lines
            }
        }
    };
    lines.push(format!("    {NOT_WRITTEN}({tool:?})"));
    lines
}

/// The indentation of parameters.
const INDENT: usize = 4;

/// A parameter of a function, laid out as rustfmt does it.
struct ParameterText {
    ident: String,
    docs: Vec<String>,
    args: AttributeArgs,
    ty: String,
    path: TypePath,
}

impl ParameterText {
    fn new(types: &mut Types, scope: &mut Scope, tool: &str, param: &Param) -> Self {
        let ident = scope.snake(param.name(), "param");
        let path = TypePath::arguments(tool).field(param.name());
        let mut args = AttributeArgs::default();
        if !derives_name(&ident, param.name()) {
            args.add(Keyword::Name.word(), Literal::text(param.name()));
        }
        let (ty, more) = types.of_field(param, &path, false);
        args.extend(more);
        Self {
            docs: field_comment(param, &mut args),
            ident,
            args,
            ty,
            path,
        }
    }

    /// Writes the parameter for a line that it shares with others, if it fits on one line.
    fn short(&self) -> Option<String> {
        let Self { ident, ty, .. } = self;
        match (self.docs.as_slice(), self.attribute().as_slice()) {
            ([], []) => Some(format!("{ident}: {ty}")),
            ([], [attribute]) => Some(format!("{attribute} {ident}: {ty}")),
            _ => None,
        }
    }

    fn attribute(&self) -> Vec<String> {
        self.args.lines("tool", INDENT)
    }

    /// Writes the parameter on lines of its own.
    ///
    /// rustfmt puts an attribute of one line beside the name wherever both fit, and then breaks the type.
    /// To keep the type in one piece, the attribute gets a second line, or the type gets a name.
    fn lines(&mut self, types: &mut Types) -> Vec<String> {
        let mut attribute = self.attribute();
        if self.docs.is_empty() && self.short_line().is_none() {
            match self.args.several_lines("tool", INDENT) {
                Some(lines) => attribute = lines,
                None if self.ty.contains('<') => self.ty = types.alias(&self.ty, &self.path),
                None => {}
            }
        }
        if let Some(line) = self.short_line() {
            return vec![line];
        }
        let before = self.docs.iter().chain(&attribute);
        let mut lines: Vec<String> = before.map(|line| format!("    {line}")).collect();
        lines.push(format!("    {}: {},", self.ident, self.ty));
        lines
    }

    fn short_line(&self) -> Option<String> {
        let line = format!("    {},", self.short()?);
        (width_of(&line) <= LINE).then_some(line)
    }
}
