//! The inputs of a batch: a file with a JSON value on each line.

use crate::attachment::{self, Files};
use crate::output::error_to_stderr;
use crate::session::{Arguments, host_variables};
use agent_project::source::Source;
use agent_runtime::conversation::Part;
use agent_runtime::runtime::Input;
use agent_runtime::{Agent, Conversation, Message};
use agent_spec::json::Ordered;
use agent_spec::names::nearest;
use agent_spec::terminal::line;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// The members of a line.
const MEMBERS: [&str; 6] = [
    "id",
    "input",
    "arguments",
    "attach",
    "variables",
    // For `agent eval`, so that both commands read the same file.
    "expected",
];

/// The error of a line that is something else than an input.
const WRONG_SHAPE: &str =
    "a line is an object with the member `input`, or the input itself as a text in quotes";

/// The maximum number of wrong lines that are shown.
const MAX_ERRORS: usize = 10;

/// An input of a batch.
#[derive(Debug)]
pub(crate) struct BatchInput {
    /// The number of the line, from 1.
    pub(crate) line: usize,
    /// The id that the line gives, or the number of the line.
    pub(crate) id: String,
    pub(crate) input: Input,
    /// The hash of the input and the variables.
    pub(crate) hash: String,
    pub(crate) variables: BTreeMap<String, String>,
    /// The texts that a right answer has, for `agent eval`.
    pub(crate) expected: Vec<String>,
}

/// Returns a hash of an input and its variables, which shows whether a line was changed since its result was
/// written. The hash is FNV-1a, because results are compared across versions of this program.
fn hash(input: &Input, variables: &BTreeMap<String, String>) -> String {
    let parts = input.parts().iter();
    let arguments = input.arguments().map(Value::to_string);
    let texts = parts.map(|part| match part {
        Part::Text(text) => text.clone(),
        // Bytes are represented by their digest.
        part => json!(attachment::message("", std::slice::from_ref(part))).to_string(),
    });
    let texts: Vec<String> = texts.chain(arguments).collect();
    let variables = variables.iter();
    let variables = variables.flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in texts.iter().map(String::as_str).chain(variables) {
        // 0xff is part of no text, so it separates the parts.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

/// Reads the inputs of a batch for an agent. If a line is wrong, prints an error for it and returns `None`.
pub(crate) fn read(source: &Source, given: &Given<'_>) -> Option<Vec<BatchInput>> {
    let Lines { inputs, errors } = parse(source, given);
    for error in errors.iter().take(MAX_ERRORS) {
        error_to_stderr(error);
    }
    if errors.len() > MAX_ERRORS {
        let more = errors.len() - MAX_ERRORS;
        error_to_stderr(&format!("{more} more lines are wrong"));
    }
    if errors.is_empty() && inputs.is_empty() {
        let name = source.display_name();
        error_to_stderr(&format!("`{name}` has no inputs; write one on each line"));
        return None;
    }
    errors.is_empty().then_some(inputs)
}

/// The lines of a file.
#[derive(Debug, Default)]
struct Lines {
    inputs: Vec<BatchInput>,
    /// The errors of the wrong lines, which name the file and the line.
    errors: Vec<String>,
}

/// Parses the lines that are not blank.
fn parse(source: &Source, given: &Given<'_>) -> Lines {
    let name = source.display_name();
    let lines = source.text.lines().enumerate();
    let lines = lines.filter(|(_, text)| !text.trim().is_empty());
    let variables = host_variables(given.agent);
    let mut reader = LineReader {
        given,
        files: Files::default(),
    };
    // The lines by their ids.
    let mut ids: HashMap<String, usize> = HashMap::new();
    let mut found = Lines::default();
    for (at, text) in lines {
        let line = at + 1;
        let input = parse_line(line, text, &mut reader).and_then(|input| {
            if let Some(first) = ids.insert(input.id.clone(), line) {
                let id = &input.id;
                return Err((None, format!("line {first} has the id `{id}`, too")));
            }
            let has_value =
                |name: &str| given.variables.contains(&name) || input.variables.contains_key(name);
            match variables.iter().find(|name| !has_value(name)) {
                None => Ok(input),
                Some(missing) => Err((
                    None,
                    format!(
                        "`{{{{{missing}}}}}` of the instruction has no value; add it to `variables`, or give it to all \
                         lines with `--var {missing}=VALUE`"
                    ),
                )),
            }
        });
        match input {
            Ok(input) => found.inputs.push(input),
            Err((column, problem)) => {
                let column = column.map_or(String::new(), |column| format!(":{column}"));
                let error = format!("{name}:{line}{column}: {problem}");
                found.errors.push(error);
            }
        }
    }
    found
}

/// The column of an error, if it is known, and its text.
type LineError = (Option<usize>, String);

/// The agent of a batch, and the values for all of its inputs.
pub(crate) struct Given<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) arguments: &'a Arguments,
    /// The names of the variables with values.
    pub(crate) variables: &'a [&'a str],
    /// The attachments.
    pub(crate) attached: &'a [Part],
}

/// The values with which lines are read.
struct LineReader<'a> {
    given: &'a Given<'a>,
    files: Files,
}

impl LineReader<'_> {
    /// Reads the input of a line.
    fn input(&mut self, members: &mut Map<String, Value>) -> Result<Input, String> {
        let (input, attach) = (members.remove("input"), members.remove("attach"));
        let own = match members.remove("arguments") {
            None => None,
            Some(Value::Object(own)) => Some(own),
            Some(_) => {
                let text = "`arguments` is no object, such as {\"language\": \"de\"}";
                return Err(text.to_owned());
            }
        };
        let Given {
            agent, arguments, ..
        } = self.given;
        let is_message = own.is_none() && arguments.is_empty();
        let arguments = arguments.with_line(agent, own.unwrap_or_default(), &mut self.files)?;
        if is_message {
            let parts = read_parts(input, attach, &mut self.files)?;
            arguments.check_message_alone(agent)?;
            return Ok(parts.into());
        }
        let parts = match (input, attach) {
            (None, attach) => read_attached(attach, &mut self.files)?,
            (input, attach) => read_parts(input, attach, &mut self.files)?,
        };
        let text: String = parts.iter().filter_map(Part::as_text).collect();
        let text = Some(text).filter(|text| !text.is_empty());
        let media = parts.into_iter().filter(|part| part.as_text().is_none());
        let media: Vec<Part> = media.collect();
        arguments.input(agent, text.as_deref(), &media)
    }
}

/// Reads the members `input` and `attach`.
fn read_parts(
    input: Option<Value>,
    attach: Option<Value>,
    files: &mut Files,
) -> Result<Vec<Part>, String> {
    let mut parts = match input {
        Some(Value::String(text)) if !text.trim().is_empty() => vec![Part::Text(text)],
        Some(Value::String(_)) => return Err("`input` is empty; write a text".to_owned()),
        Some(list @ Value::Array(_)) => {
            let messages = json!([{"role": "user", "content": list}]);
            let read = Conversation::from_json(&messages);
            let read = read.map_err(|error| {
                let error = error.to_string();
                let error = error.strip_prefix("message 1 of 1: ").unwrap_or(&error);
                format!("`input`: {error}")
            })?;
            let parts = read.messages().first().map_or(&[][..], Message::parts);
            let is_missing = |part: &Part| part.media().is_some_and(|media| media.is_missing());
            if parts.iter().any(is_missing) {
                let text = "`input`: a part has only a `sha256`; give its bytes as `data`";
                return Err(text.to_owned());
            }
            let is_models = |part: &&Part| part.as_text().is_none() && part.media().is_none();
            if let Some(wrong) = parts.iter().find(is_models) {
                let kind = wrong.kind();
                return Err(format!(
                    "`input`: only answers have parts of the type `{kind}`"
                ));
            }
            if parts.is_empty() {
                return Err("`input` is empty; write a text or a list of parts".to_owned());
            }
            parts.to_vec()
        }
        Some(_) => return Err("`input` is no text, and no list of parts".to_owned()),
        None => return Err("`input` is missing; it is the text for the agent".to_owned()),
    };
    parts.extend(read_attached(attach, files)?);
    Ok(parts)
}

/// Reads the member `attach`.
fn read_attached(attach: Option<Value>, files: &mut Files) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let paths = match attach {
        None => Vec::new(),
        Some(Value::Array(paths)) => paths,
        Some(path) => vec![path],
    };
    for path in paths {
        match path {
            Value::String(path) => parts.push(files.read(&path)?),
            _ => {
                return Err(
                    "`attach` is no file and no list of files, such as [\"a.png\"]".to_owned(),
                );
            }
        }
    }
    Ok(parts)
}

fn parse_line(
    line: usize,
    text: &str,
    reader: &mut LineReader<'_>,
) -> Result<BatchInput, LineError> {
    // The line is parsed with all keys first, because a tree of values would keep only one of two equal keys.
    let json: Ordered = serde_json::from_str(text).map_err(|error| not_json(text, &error))?;
    parse_value(line, json.to_value(), reader).map_err(|problem| (None, problem))
}

/// Returns the error of a line that is not JSON. The parser's messages are reworded, because they are for
/// programmers.
fn not_json(text: &str, error: &serde_json::Error) -> LineError {
    let position = format!(" at line {} column {}", error.line(), error.column());
    let said = error.to_string();
    let said = said.strip_suffix(&position).unwrap_or(&said);
    // The parser counts bytes.
    let at = text.floor_char_boundary(error.column().saturating_sub(1));
    let found = match text[at..].chars().next() {
        Some(c) => format!("`{}`", line(&c.to_string(), 1)),
        None => "the end of the line".to_owned(),
    };
    let begins = |words: &str| said.starts_with(words);
    let problem = if error.is_eof() {
        "the line ends before the value does; a `}`, a `]` or a quote is missing".to_owned()
    } else if begins("expected value") || begins("expected ident") || begins("invalid number") {
        format!("found {found}, expected a value; a text stands in double quotes")
    } else if begins("key must be a string") {
        format!("found {found}, expected a key in double quotes")
    } else if begins("trailing comma") {
        format!("found {found} after a comma; remove the comma")
    } else if begins("trailing characters") {
        format!("found {found} after the value; a line has one value")
    } else if begins("control character") {
        "a text has a tab or another control character; write an escape, such as `\\t`".to_owned()
    } else if begins("invalid escape") {
        "a text has a `\\` before a character that has no escape; write `\\\\` for a `\\`"
            .to_owned()
    } else if begins("recursion limit") {
        "lists and objects are nested too deep".to_owned()
    } else if begins("expected `") {
        format!("found {found}, {said}")
    } else {
        said.to_owned()
    };
    let column = text[..at].chars().count() + 1;
    (Some(column), format!("this is not JSON: {problem}"))
}

fn parse_value(
    line: usize,
    json: Value,
    reader: &mut LineReader<'_>,
) -> Result<BatchInput, String> {
    let mut members = match json {
        Value::Object(members) => members,
        Value::String(_) => Map::from_iter([("input".to_owned(), json)]),
        _ => return Err(WRONG_SHAPE.to_owned()),
    };
    if let Some(unknown) = members.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
        return Err(match nearest(unknown, MEMBERS) {
            Some(meant) => format!("`{unknown}` is no member of a line; did you mean `{meant}`?"),
            None => format!(
                "`{unknown}` is no member of a line; its members are `{}`",
                MEMBERS.join("`, `")
            ),
        });
    }
    let input = reader.input(&mut members)?;
    let attached = reader.given.attached.iter().cloned();
    let input = reader
        .given
        .arguments
        .marked(attached.fold(input, Input::part));
    let id = match members.remove("id") {
        None => line.to_string(),
        Some(Value::String(id)) if !id.trim().is_empty() => id,
        Some(_) => return Err("`id` is no text, such as \"q1\", or an empty one".to_owned()),
    };
    let variables = match members.remove("variables") {
        None => BTreeMap::new(),
        Some(Value::Object(variables)) => variables
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(value) => Ok((name, value)),
                _ => Err(format!("the value of `{name}` in `variables` is no text")),
            })
            .collect::<Result<_, _>>()?,
        Some(_) => {
            return Err(
                "`variables` is no object of texts, such as {\"city\": \"Ulm\"}".to_owned(),
            );
        }
    };
    Ok(BatchInput {
        line,
        id,
        hash: hash(&input, &variables),
        input,
        variables,
        expected: expected(members.remove("expected"))?,
    })
}

/// Reads the member `expected`.
fn expected(value: Option<Value>) -> Result<Vec<String>, String> {
    let texts = match value {
        None => return Ok(Vec::new()),
        Some(Value::Array(texts)) => texts,
        Some(text) => vec![text],
    };
    let texts = texts.into_iter().map(|text| match text {
        Value::String(text) if !text.trim().is_empty() => Some(text),
        _ => None,
    });
    let texts: Option<Vec<String>> = texts.collect();
    let texts = texts.filter(|texts| !texts.is_empty());
    texts.ok_or_else(|| {
        "`expected` is no text and no list of texts, such as [\"Monday\"]".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Lines {
        let instruction = "Guide through {{city}}.";
        let agent = Agent::new("guide", "Offline/any", instruction).expect("an agent");
        let given = if text.contains("city") {
            &[][..]
        } else {
            &["city"]
        };
        parse_for(&agent, text, given)
    }

    fn parse_for(agent: &Agent, text: &str, variables: &[&str]) -> Lines {
        let given = Given {
            agent,
            arguments: &Arguments::default(),
            variables,
            attached: &[],
        };
        parse(&Source::inline("in.jsonl", text), &given)
    }

    #[test]
    fn reads_objects_and_texts_and_skips_blank_lines() {
        let text = "{\"id\": \"a\", \"input\": \"Hi\"}\r\n\n  \n\"Ho\"\n{\"input\": \"2\"}";
        let lines = lines(text);
        assert_eq!(lines.errors, [""; 0]);
        let found: Vec<_> = lines
            .inputs
            .iter()
            .map(|input| {
                let text = input.input.parts()[0].as_text().expect("a text");
                (input.line, input.id.as_str(), text)
            })
            .collect();
        assert_eq!(found, [(1, "a", "Hi"), (4, "4", "Ho"), (5, "5", "2")]);
    }

    #[test]
    fn names_the_line_of_each_mistake() {
        for (text, expected) in [
            (
                "{\"input\": \"a\"",
                "1:13: this is not JSON: the line ends before the value does",
            ),
            (
                "\"a\"\nHello",
                "2:1: this is not JSON: found `H`, expected a value; a text stands in double quotes",
            ),
            (
                "{'input': \"a\"}",
                "1:2: this is not JSON: found `'`, expected a key in double quotes",
            ),
            (
                "{\"input\": 'a'}",
                "1:11: this is not JSON: found `'`, expected a value",
            ),
            (
                "{\"input\": \"ä\",}",
                "1:15: this is not JSON: found `}` after a comma; remove the comma",
            ),
            (
                "{\"input\" \"a\"}",
                "1:10: this is not JSON: found `\"`, expected `:`",
            ),
            (
                "{\"input\": \"a\" \"id\": \"b\"}",
                "1:15: this is not JSON: found `\"`, expected `,` or `}`",
            ),
            (
                "\"a\" \"b\"",
                "1:5: this is not JSON: found `\"` after the value; a line has one value",
            ),
            ("\"a\tb\"", "1:3: this is not JSON: a text has a tab"),
            (
                "\"C:\\q\"",
                "1:5: this is not JSON: a text has a `\\` before",
            ),
            (
                "{\"input\": nul}",
                "1:14: this is not JSON: found `}`, expected a value",
            ),
            ("[\"a\"]", "1: a line is an object with the member `input`"),
            ("7", "1: a line is an object"),
            ("{}", "1: `input` is missing"),
            ("{\"input\": \" \"}", "1: `input` is empty"),
            (
                "{\"input\": 1}",
                "1: `input` is no text, and no list of parts",
            ),
            (
                "{\"inptu\": \"a\"}",
                "1: `inptu` is no member of a line; did you mean `input`?",
            ),
            ("{\"input\": \"a\", \"input\": \"b\"}", "1:"),
            (
                "{\"input\": \"a\", \"expected\": [\"b\", 1]}",
                "1: `expected` is no text",
            ),
            (
                "{\"input\": \"a\", \"expected\": \"\"}",
                "1: `expected` is no text",
            ),
            ("{\"input\": \"a\", \"id\": 7}", "1: `id` is no text"),
            ("{\"input\": \"a\", \"id\": \"\"}", "1: `id` is no text"),
            (
                "{\"id\": \"2\", \"input\": \"a\"}\n\"b\"",
                "2: line 1 has the id `2`, too",
            ),
            (
                "{\"input\": \"a\", \"variables\": []}",
                "1: `variables` is no object of texts",
            ),
            (
                "{\"input\": \"a\", \"variables\": {\"city\": 1}}",
                "1: the value of `city` in `variables` is no text",
            ),
            (
                "{\"input\": \"a\", \"variables\": {\"citi\": \"city\"}}",
                "1: `{{city}}` of the instruction has no value",
            ),
        ] {
            let lines = lines(text);
            let error = lines.errors.first();
            let error = error.unwrap_or_else(|| panic!("no error in {text}"));
            assert!(
                error.starts_with(&format!("in.jsonl:{expected}")),
                "{error}"
            );
        }
    }

    #[test]
    fn the_hash_tells_changed_lines_apart() {
        let hash = |text: &str| lines(text).inputs[0].hash.clone();
        let first = hash("{\"input\": \"a\", \"variables\": {\"city\": \"Ulm\"}}");
        assert_eq!(
            first,
            hash("{\"id\": \"x\", \"variables\": {\"city\": \"Ulm\"}, \"input\": \"a\"}")
        );
        for other in [
            "{\"input\": \"b\", \"variables\": {\"city\": \"Ulm\"}}",
            "{\"input\": \"a\", \"variables\": {\"city\": \"Bonn\"}}",
            "{\"input\": \"a\", \"variables\": {\"city\": \"Ul\", \"m\": \"\"}}",
        ] {
            assert_ne!(first, hash(other), "{other}");
        }
        assert_eq!(hash("\"a\""), "089bc907b544c769");
    }
}
