//! `agent audit`: complete runs of the command.

use crate::support::{Folder, agent, agent_with, command, CommandOutput};
use agent_gram::parse_patterns;
use serde_json::json;

/// An agent that sends, and one that reads mails for it. `{desk}` and `{result}` are replaced.
const MAIL: &str = "\
[desk:Agent {instruction: \"Help.\", model: \"Offline/any\", maxIterations: 4{desk}} |
  [sendMail:Tool {description: \"Sends a mail\", sends: true} | (to::Text)==>(text::Text)==>(::Null)],
  [reader:Agent {description: \"Reads mails\", instruction: \"Read.\", model: \"Offline/any\", maxIterations: 1} |
    (id::Text)==>(::{result}),
    [readMail:Tool {description: \"Reads a mail\", reads: [\"private\"], untrusted: true} | (id::Text)==>(::String)]]]
";

fn mail(desk: &str, result: &str) -> String {
    MAIL.replace("{desk}", desk).replace("{result}", result)
}

#[test]
fn a_leak_is_shown_with_its_ways_and_its_cuts_in_80_columns() {
    let ended = agent_with(&["audit", "-"], mail("", "String")).expect(0);
    assert_eq!(
        ended.stdout,
        "<stdin>

desk (line 1)
  message      at most 6,154 requests and 263,168 calls, $0.00
  reach        all that the host grants
  leak         open
               private data: `readMail` → `reader` → `desk`
               words of strangers: `readMail` → `reader` → `desk`
               way out: `sendMail`
               to cut it: write `whenTainted: \"approve\"` in `desk`, or give
               `reader` a result of a type without words

reader (line 3)
  message      at most 4 requests and 256 calls, $0.00
  reach        all that the host grants
  leak         none

2 agents: 1 open leak, 0 unbounded, 0 destructive tools
An audit goes by labels, types and settings, and not by what tools do.
"
    );
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn a_leak_is_closed_by_when_tainted_and_does_not_exist_without_words() {
    let deny = ["audit", "-", "--deny", "leak"];
    for (document, code, leak) in [
        (mail("", "String"), 1, "  leak         open\n"),
        (
            mail(", whenTainted: \"approve\"", "String"),
            0,
            "  leak         closed by `whenTainted: \"approve\"` of the agent or of its callers\n",
        ),
        (mail("", "Bool"), 0, "  leak         none\n"),
    ] {
        let ended = agent_with(&deny, document).expect(code);
        assert!(ended.stdout.contains(leak), "{}", ended.stdout);
        assert_eq!(ended.stderr.is_empty(), code == 0, "{}", ended.stderr);
    }
}

#[test]
fn what_is_denied_is_an_error_with_its_place() {
    let ended = agent_with(&["audit", "-", "--deny", "leak,unbounded"], mail("", "String")).expect(1);
    assert_eq!(
        ended.stderr,
        "error: <stdin>:1: leak of `desk`: private data and words of strangers come together in `desk`, whose tool \
         `sendMail` sends: private data by `readMail` → `reader`, words of strangers by `readMail` → `reader`; write \
         `whenTainted: \"approve\"` in `desk`, or give `reader` a result of a type without words\n"
    );
    let open = mail("", "String").replace(", maxIterations: 1", "");
    let ended = agent_with(&["audit", "-", "--deny", "unbounded"], open).expect(1);
    assert_eq!(ended.stderr.lines().count(), 2);
    assert!(
        ended.stderr.starts_with(
            "error: <stdin>:1: unbounded of `desk`: `reader` does not state `maxIterations`; with its default of 10, a \
             message causes at most 22,538 requests and "
        ),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_tool_without_labels_counts_as_all_effects() {
    let document = "[a:Agent {instruction: \"i\", model: \"Offline/any\"} | [foo:Tool {description: \"d\"} | ()==>(::Null)],
        [look:Tool {description: \"d\", readOnly: true, untrusted: false} | ()==>(::Null)]]";
    let args = ["audit", "-", "--deny", "leak", "--deny", "destructive", "--format", "json"];
    let ended = agent_with(&args, document).expect(1);
    let found = ended.json();
    let a = &found["agents"][0];
    assert_eq!(a["unknown"], json!(["foo"]));
    assert_eq!(a["destructive"][0]["tool"], "foo");
    // Its result has no words, so that nothing of strangers comes in.
    assert_eq!(a["leak"], json!(null));
    assert_eq!(found["denied"][0]["word"], "destructive");
    let ended = agent_with(&args, document.replacen("(::Null)", "(::Any)", 1)).expect(1);
    let found = ended.json();
    assert_eq!(found["denied"][0]["word"], "leak");
    let text = found["agents"][0]["leak"]["text"].as_str().expect("a text");
    assert!(text.contains("`foo` says nothing of its effects and counts as all of them"), "{text}");
}

#[test]
fn built_in_tools_have_labels_of_their_own() {
    let document = "[a:Agent {instruction: \"i\", model: \"Offline/any\", maxIterations: 1} | readFile, webScraper, calculator]";
    let found = agent_with(&["audit", "-", "--format", "json"], document).expect(0).json();
    let a = &found["agents"][0];
    assert_eq!(a["unknown"], json!([]));
    assert_eq!(a["leak"]["wayOut"], "webScraper");
    assert_eq!(a["leak"]["private"], json!(["readFile", "a"]));
    assert_eq!(a["destructive"], json!([]));
    assert_eq!((&a["requests"], &a["calls"], &a["dollars"]), (&json!(4), &json!(256), &json!(0.0)));
}

#[test]
fn the_documents_of_mcp_servers_have_labels_and_what_is_reached() {
    let folder = Folder::new();
    let lock = folder.file(
        "files.gram",
        "[files:Mcp {command: [\"files-server\", \"--stdio\"], env: [\"FILES_KEY\"]} |
          [files_read:Tool {remote: \"read\", description: \"Reads\", reads: [\"private\"], untrusted: true} |
            (path::Text)==>(::Any)]]",
    );
    let document = folder.file(
        "a.gram",
        "[a:Agent {instruction: \"i\", model: \"Offline/any\",
           grants: {read: [\"docs\"], network: [\"api.example.org\"], environment: [\"KEY\"]}} | files_read]
         [b:Agent {instruction: \"i\", model: \"Offline/any\", grants: {}}]",
    );
    let args = ["audit", &document, "--mcp", &lock];
    let ended = agent(&args).expect(0);
    assert!(
        ended.stdout.contains(
            "  reach        reads docs; hosts api.example.org; variables KEY
               files-server --stdio (MCP server `files`), which gets FILES_KEY\n"
        ),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("  reach        no folder, host or variable\n"), "{}", ended.stdout);
    let found = agent(&["audit", &document, "--mcp", &lock, "--format", "json"]).expect(0).json();
    assert_eq!(found["agents"][0]["unknown"], json!([]));
    assert_eq!(
        found["agents"][0]["reach"],
        json!({
            "grants": {"read": ["docs"], "write": [], "network": ["api.example.org"], "environment": ["KEY"]},
            "servers": [{"name": "files", "reachedBy": "files-server --stdio", "variables": ["FILES_KEY"]}]
        })
    );
}

#[test]
fn dollars_need_a_price_of_the_catalogue_at_the_vendors_address() {
    let audit = |args: &[&str], document: &str, variable: Option<&str>| {
        let folder = Folder::new();
        let file = folder.file("a.gram", document);
        let args = [&["audit", &file, "--format", "json"], args].concat();
        let mut command = command(&args);
        command.envs(variable.map(|address| ("OPENAI_BASE_URL", address)));
        let output = command.output().expect("the command starts");
        CommandOutput::of(output).expect(0).json()["agents"][0].clone()
    };
    let document = "[a:Agent {instruction: \"i\", model: \"OpenAI/gpt-6-luna\", maxTokens: 1000}]";
    let known = audit(&[], document, None);
    assert!(known["dollars"].as_f64().is_some_and(|dollars| dollars > 0.0), "{known}");
    assert_eq!(known["unbounded"], json!([]));
    let elsewhere = audit(&[], document, Some("http://localhost:1"));
    assert_eq!(elsewhere["dollars"], json!(null));
    let other = document.replace("OpenAI/gpt-6-luna", "Acme/m");
    let unknown = audit(&["--provider", "Acme"], &other, None);
    assert_eq!(
        unknown["unbounded"],
        json!(["the dollars are not known: the catalogue has no `price` of `Acme/m`; add a row to a catalogue of your own"])
    );
    let folder = Folder::new();
    let models = folder.file(
        "models.gram",
        "[Acme:Catalog | [m:Model {contextWindow: 1000, price: {input: 1000, output: 1000}}]]",
    );
    let priced = audit(&["--provider", "Acme", "--models", &models], &other, None);
    assert_eq!(priced["dollars"], json!(4.0));
}

#[test]
fn gram_has_a_pattern_for_each_agent() {
    let ended = agent_with(&["audit", "-", "--format", "gram"], mail("", "String")).expect(0);
    let patterns = parse_patterns(&ended.stdout).expect("gram");
    let names: Vec<String> = patterns
        .iter()
        .filter(|pattern| pattern.subject().has_label("Audit"))
        .filter_map(|pattern| Some(pattern.subject().properties.get("agent")?.to_string()))
        .collect();
    assert_eq!(names, ["\"desk\"", "\"reader\""]);
}

#[test]
fn folders_are_searched_and_project_files_apply() {
    let folder = Folder::new();
    folder.file("agent.gram", "{tools: [\"tools.gram\"]}");
    folder.file(
        "tools.gram",
        "[post:Tool {description: \"d\", sends: true} | (text::Text)==>(::Null)]",
    );
    folder.file("a.gram", "[a:Agent {instruction: \"i\", model: \"Offline/any\"} | post]");
    let found = agent(&["audit", &folder.path(), "--format", "json"]).expect(0).json();
    assert_eq!(found["agents"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found["agents"][0]["unknown"], json!([]));
}

#[test]
fn bad_input_is_refused() {
    let ended = agent_with(&["audit", "-"], "[a:Agent {instruction: \"i\"} | b]").expect(1);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("agent::missing-model"), "{}", ended.stderr);
    let ended = agent_with(&["audit", "-", "--format", "json"], "[a:Agent {instruction: \"i\"}]").expect(1);
    assert_eq!(ended.json()["diagnostics"][0]["code"], "agent::missing-model");
    agent(&["audit", "missing.gram"]).expect(2);
    agent(&["audit"]).expect(2);
    let ended = agent_with(&["audit", "-", "--deny", "leaks"], mail("", "Bool")).expect(2);
    assert!(ended.stderr.contains("unbounded"), "{}", ended.stderr);
}
