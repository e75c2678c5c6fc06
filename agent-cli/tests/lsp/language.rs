//! Requests: hover, completion, navigation, renaming, symbols.

use crate::session::Session;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

const AGENT: &str =
    "[a:Agent {instruction: \"Use t.\", model: \"Offline/m\"} | t, shared, sayHello]\n";
const TOOL: &str = "[t:Tool {description: \"Does it\"} | (x::Int)==>(::String)]\n";
const SHARED: &str = "[shared:Tool {description: \"For all\"} | ()==>(::Null)]\n";

/// A folder with documents, and a server with this workspace folder and the tools of `tools.gram`.
struct Workspace {
    folder: PathBuf,
    session: Session,
}

impl Workspace {
    fn new(files: &[(&str, &str)]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("agent-lsp-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        for (name, text) in [("tools.gram", SHARED)].iter().chain(files) {
            std::fs::write(folder.join(name), text).expect("the file can be written");
        }
        let tools = folder.join("tools.gram").display().to_string();
        let session = Session::start(&["--tools", &tools]);
        let mut workspace = Self { folder, session };
        let folders = json!([{"uri": workspace.uri(""), "name": "it"}]);
        let capabilities = json!({
            "general": {"positionEncodings": ["utf-8"]},
            "textDocument": {
                "rename": {"prepareSupport": true},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            },
        });
        let params = json!({"workspaceFolders": folders, "capabilities": capabilities});
        workspace.session.request("initialize", params);
        workspace.session.notify("initialized", json!({}));
        workspace
    }

    fn uri(&self, name: &str) -> String {
        let path = self.folder.join(name);
        let uri = url::Url::from_file_path(path).expect("the path is absolute");
        uri.into()
    }

    fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        self.session.did_open(&uri, 1, text);
    }

    /// Sends a request about a position, line and character, of a document.
    fn ask(&mut self, what: &str, name: &str, place: (u32, u32), more: Value) -> Value {
        let mut params = json!({
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": place.0, "character": place.1},
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        self.session
            .request(&format!("textDocument/{what}"), params)
    }

    /// Returns locations as `name line:start-end`.
    fn format_locations(&self, locations: &Value) -> Vec<String> {
        let locations = locations.as_array().expect("there are locations");
        let folder = self.uri("");
        let one = |location: &Value| {
            let uri = location["uri"].as_str().expect("it has an address");
            let range = format_range(&location["range"]);
            format!(
                "{} {range}",
                uri.trim_start_matches(&folder).trim_start_matches('/')
            )
        };
        locations.iter().map(one).collect()
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Returns a range on one line as `line:start-end`.
fn format_range(range: &Value) -> String {
    let (start, end) = (&range["start"], &range["end"]);
    format!(
        "{}:{}-{}",
        start["line"], start["character"], end["character"]
    )
}

#[test]
fn hover_shows_meaning_and_origin_of_a_name() {
    let mut workspace = Workspace::new(&[]);
    workspace.open("a.gram", &format!("{AGENT}{TOOL}"));
    for (place, range, part) in [
        ((0, 55), "0:55-56", "\"x\": {"),
        ((0, 62), "0:58-64", "(from `tools.gram`)"),
        ((0, 70), "0:66-74", "(built in)"),
        ((0, 13), "0:10-21", "The system message"),
    ] {
        let said = workspace.ask("hover", "a.gram", place, json!({}));
        let said = &said["result"];
        assert_eq!(format_range(&said["range"]), range);
        let markdown = said["contents"]["value"].as_str().expect("it is Markdown");
        assert!(markdown.contains(part), "{markdown}");
    }
    let said = workspace.ask("hover", "a.gram", (5, 0), json!({}));
    assert_eq!(said["result"], json!(null));
    let said = workspace.ask("hover", "unopened.gram", (0, 0), json!({}));
    assert_eq!(said["error"]["code"], -32602);
}

#[test]
fn completion_replaces_the_begun_word() {
    let mut workspace = Workspace::new(&[]);
    workspace.open("a.gram", "// é\n[a:Agent {mod}]");
    let items = workspace.ask("completion", "a.gram", (1, 13), json!({}));
    let items = items["result"].as_array().expect("there are items");
    let model = items.iter().find(|item| item["label"] == "model");
    let model = model.expect("it is proposed");
    assert_eq!(format_range(&model["textEdit"]["range"]), "1:10-13");
    assert_eq!(model["textEdit"]["newText"], "model: ");
    assert_eq!(model["filterText"], "model");
    assert!(model["documentation"]["value"].is_string());
    let nothing = workspace.ask("completion", "a.gram", (0, 3), json!({}));
    assert_eq!(nothing["result"], json!(null));
}

#[test]
fn completion_places_the_cursor_in_quotes_if_the_client_supports_snippets() {
    let snippets =
        json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}});
    for (capabilities, text, format) in [
        (snippets, "\"OpenAI/$0\"", json!(2)),
        (json!({}), "\"OpenAI/\"", json!(null)),
    ] {
        let mut session = Session::open(&[], capabilities);
        session.did_open("untitled:a", 1, "[a:Agent {model: }]");
        let params = json!({
            "textDocument": {"uri": "untitled:a"},
            "position": {"line": 0, "character": 17},
        });
        let answer = session.request("textDocument/completion", params);
        let item = &answer["result"][0];
        assert_eq!(item["label"], "OpenAI/");
        assert_eq!(item["textEdit"]["newText"], text);
        assert_eq!(item["insertTextFormat"], format);
    }
}

#[test]
fn completes_and_explains_a_catalogue_of_models() {
    let mut workspace = Workspace::new(&[]);
    workspace.open("models.gram", "[OpenAI:Catalog {}]");
    let items = workspace.ask("completion", "models.gram", (0, 17), json!({}));
    assert_eq!(items["result"][0]["label"], "made");
    let text =
        "[OpenAI:Catalog |\n  [gpt-6.3-luna:Model {temperature: \"effort none\", efforts: []}]\n]";
    workspace.open("more.gram", text);
    let items = workspace.ask("completion", "more.gram", (1, 61), json!({}));
    assert_eq!(items["result"][0]["label"], "none");
    assert_eq!(items["result"][0]["textEdit"]["newText"], "\"none\"");
    let said = workspace.ask("hover", "more.gram", (1, 40), json!({}));
    assert_eq!(format_range(&said["result"]["range"]), "1:36-49");
    let markdown = &said["result"]["contents"]["value"];
    let markdown = markdown.as_str().expect("it is Markdown");
    assert!(markdown.contains("does not think"), "{markdown}");
}

#[test]
fn finds_definitions_and_references() {
    let other = format!("[b:Agent {{}} | t]\n{TOOL}");
    let mut workspace = Workspace::new(&[("b.gram", &other), ("c.txt", "t")]);
    workspace.open("a.gram", &format!("{AGENT}{TOOL}"));
    let mut defined = |place| {
        let answer = workspace.ask("definition", "a.gram", place, json!({}));
        match &answer["result"] {
            Value::Null => Vec::new(),
            locations => workspace.format_locations(locations),
        }
    };
    assert_eq!(defined((0, 55)), ["a.gram 1:1-2"]);
    assert_eq!(defined((1, 1)), ["a.gram 1:1-2"]);
    assert_eq!(defined((0, 62)), ["tools.gram 0:1-7"]);
    assert!(
        defined((0, 70)).is_empty(),
        "a built-in tool is defined nowhere"
    );
    let mut used = |place, declaration: bool| {
        let context = json!({"context": {"includeDeclaration": declaration}});
        let answer = workspace.ask("references", "a.gram", place, context);
        workspace.format_locations(&answer["result"])
    };
    let all = [
        "a.gram 0:55-56",
        "a.gram 1:1-2",
        "b.gram 0:14-15",
        "b.gram 1:1-2",
    ];
    assert_eq!(used((0, 55), true), all);
    assert_eq!(used((1, 2), false), ["a.gram 0:55-56", "b.gram 0:14-15"]);
    assert_eq!(used((0, 58), true), ["a.gram 0:58-64", "tools.gram 0:1-7"]);
    let marked = workspace.ask("documentHighlight", "a.gram", (1, 1), json!({}));
    let marked = marked["result"].as_array().expect("there are some").clone();
    let kinds: Vec<_> = marked.iter().map(|it| it["kind"].as_i64()).collect();
    assert_eq!(kinds, [Some(2), Some(3)]);
}

#[test]
fn renames_a_tool_in_all_documents_that_mean_it() {
    let agent = AGENT.replace("shared, ", "");
    let equal = format!("{agent}{TOOL}");
    let different = TOOL.replace("Int", "Text");
    let mut workspace = Workspace::new(&[
        ("equal.gram", &equal),
        ("different.gram", &different),
        ("open.gram", "what the file says does not count: t"),
    ]);
    workspace.open("a.gram", &format!("{AGENT}{TOOL}"));
    workspace.open("open.gram", TOOL);
    let prepared = workspace.ask("prepareRename", "a.gram", (0, 55), json!({}));
    assert_eq!(format_range(&prepared["result"]["range"]), "0:55-56");
    assert_eq!(prepared["result"]["placeholder"], "t");
    let renamed = workspace.ask("rename", "a.gram", (0, 55), json!({"newName": "u"}));
    let changes = renamed["result"]["changes"]
        .as_object()
        .expect("there are edits");
    let mut edited: Vec<String> = Vec::new();
    for (uri, edits) in changes {
        for edit in edits.as_array().into_iter().flatten() {
            assert_eq!(edit["newText"], "u");
            let name = uri.rsplit('/').next().unwrap_or_default();
            edited.push(format!("{name} {}", format_range(&edit["range"])));
        }
    }
    edited.sort_unstable();
    let expected = [
        "a.gram 0:55-56",
        "a.gram 1:1-2",
        "equal.gram 0:55-56",
        "equal.gram 1:1-2",
        "open.gram 0:1-2",
    ];
    assert_eq!(edited, expected);
    let shared = workspace.ask("rename", "a.gram", (0, 62), json!({"newName": "ours"}));
    let changes = shared["result"]["changes"]
        .as_object()
        .expect("there are edits");
    assert_eq!(changes.len(), 2, "{changes:?}");
}

#[test]
fn refuses_to_rename_with_the_reason() {
    let mut workspace = Workspace::new(&[]);
    workspace.open("a.gram", &format!("{AGENT}{TOOL}"));
    let message = |answer: &Value| {
        assert_eq!(answer["error"]["code"], -32803, "{answer}");
        answer["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let answer = workspace.ask("prepareRename", "a.gram", (0, 70), json!({}));
    assert!(message(&answer).contains("is built in"), "{answer}");
    for (name, reason) in [("sayHello", "is taken"), ("a b", "a letter or `_`")] {
        let answer = workspace.ask("rename", "a.gram", (0, 55), json!({"newName": name}));
        assert!(message(&answer).contains(reason), "{answer}");
    }
    let answer = workspace.ask("rename", "a.gram", (0, 0), json!({"newName": "x"}));
    assert!(message(&answer).contains("no name of a tool"), "{answer}");
    let answer = workspace.ask("prepareRename", "a.gram", (0, 0), json!({}));
    assert_eq!(answer["result"], json!(null));
}

#[test]
fn refuses_to_rename_while_tool_files_have_errors() {
    let mut workspace = Workspace::new(&[("tools.gram", "[shared:Tool")]);
    workspace.open("a.gram", TOOL);
    let answer = workspace.ask("rename", "a.gram", (0, 1), json!({"newName": "u"}));
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("--tools has errors"), "{answer}");
}

#[test]
fn symbols_are_a_tree_in_a_document_and_a_list_in_the_workspace() {
    let mut workspace = Workspace::new(&[("b.gram", TOOL)]);
    workspace.open("a.gram", AGENT);
    let params = json!({"textDocument": {"uri": workspace.uri("a.gram")}});
    let answer = workspace
        .session
        .request("textDocument/documentSymbol", params.clone());
    let agent = &answer["result"][0];
    assert_eq!((&agent["name"], &agent["kind"]), (&json!("a"), &json!(5)));
    let names: Vec<&Value> = agent["children"].as_array().into_iter().flatten().collect();
    let names: Vec<&Value> = names.iter().map(|child| &child["name"]).collect();
    assert_eq!(names, [&json!("t"), &json!("shared"), &json!("sayHello")]);
    let mut found = |query: &str| -> Vec<String> {
        let answer = workspace
            .session
            .request("workspace/symbol", json!({"query": query}));
        let symbols = answer["result"]
            .as_array()
            .expect("there are symbols")
            .clone();
        let names = symbols.iter().filter_map(|symbol| symbol["name"].as_str());
        names.map(str::to_owned).collect()
    };
    assert_eq!(found(""), ["a", "shared", "t"]);
    assert_eq!(found("SHD"), ["shared"]);
    // A client without support for trees gets a list.
    let mut plain = Session::open(&[], json!({}));
    plain.did_open("untitled:a", 1, TOOL);
    let params = json!({"textDocument": {"uri": "untitled:a"}});
    let answer = plain.request("textDocument/documentSymbol", params);
    assert_eq!(answer["result"][1]["containerName"], "t");
    plain.finish();
}

#[test]
fn shown_texts_have_no_characters_that_control_a_terminal_or_hide_text() {
    let mut session = Session::open(&[], json!({}));
    let hidden = ['\u{9b}', '\u{202e}', '\u{200b}'];
    let text = "[a:Agent {model: \"OpenAI/\u{202e}x\", description: \"A\u{9b}\u{202e}\u{200b}\"}]\n\
                [t:Tool {description: \"B\u{9b}\u{202e}\u{200b}\"} | (`x\u{202e}`::Textt\u{200b})==>(::String)]\n\
                [`n\u{202e}`:Tool {description: \"D\u{202e}\"} | (x::Text)==>(::String)]\n";
    session.did_open("untitled:a", 1, text);
    let found = session.diagnostics("untitled:a", 1);
    assert!(!found.is_empty());
    let document = json!({"uri": "untitled:a"});
    let mut shown = vec![json!(found)];
    for (line, character) in [(0, 1), (1, 1)] {
        let position = json!({"line": line, "character": character});
        let params = json!({"textDocument": document, "position": position});
        let answer = session.request("textDocument/hover", params);
        assert!(answer["result"].is_object(), "{answer}");
        shown.push(answer);
    }
    let params = json!({"textDocument": document});
    shown.push(session.request("textDocument/documentSymbol", params));
    shown.push(session.request("workspace/symbol", json!({"query": ""})));
    let unknown = json!({"textDocument": {"uri": "untitled:\u{202e}"}});
    shown.push(session.request("textDocument/documentSymbol", unknown));
    shown.push(session.request("\u{202e}", json!({})));
    for shown in shown {
        assert!(!shown.to_string().contains(hidden), "{shown}");
    }
    session.finish();
}
