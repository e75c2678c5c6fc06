//! Questions of MCP servers.

use crate::chat_prompt::{CTRL_C, chat};
use crate::support::script::{Answer, Script};
use crate::support::terminal::Terminal;
use crate::support::{Folder, agent_with_tools};

/// A server with one tool, which asks for a city and returns the answer that it got.
const SERVER: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$1" "$2"; }
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
        *'"server/discover"'*) answer "$id" '"error":{"code":-32601,"message":"unknown"}' ;;
        *'"initialize"'*) answer "$id" '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
        *'"tools/list"'*) answer "$id" '"result":{"tools":[{"name":"book","description":"Books","inputSchema":{"type":"object"}}]}' ;;
        *'"tools/call"'*)
            call=$id
            answer 99 '"method":"elicitation/create","params":{"message":"Which city?\u001b[2J","requestedSchema":{"type":"object","properties":{"city":{"type":"string","enum":["Ulm","Rom"]},"days":{"type":"integer","minimum":2}},"required":["city"]}}'
            ;;
        *'"action"'*)
            text=$(printf '%s' "$line" | tr -d '"{}')
            answer "$call" "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$text\"}]}"
            ;;
    esac
done
"#;

#[test]
fn the_user_answers_the_questions_of_a_server() {
    let folder = Folder::new();
    let server = folder.file("server.sh", SERVER);
    let lock = folder.file(
        "travel.gram",
        format!(
            "[travel:Mcp {{command: [\"sh\", \"{server}\"]}} |\n  \
             [travel_book:Tool {{description: \"Books\", remote: \"book\"}} | ()==>(::Any)]]\n"
        ),
    );
    let document = folder.file("a.gram", agent_with_tools("travel_book"));
    let turn = || [Answer::Call("travel_book", "{}"), Answer::Text(&["Done."])];
    let answers: Vec<Answer> = (0..3).flat_map(|_| turn()).collect();
    let script = Script::start(answers);
    let base_url = script.base_url();
    let args = [document.as_str(), "--base-url", &base_url, "--mcp", &lock];
    let mut terminal = Terminal::start(chat(&folder, &args));
    terminal.wait_for_prompt();

    terminal.line("Book");
    terminal.wait_for("🔌 the server travel asks: Which city?\\u{1b}[2J\r\n");
    terminal.wait_for("yes or no? ");
    terminal.line("perhaps");
    terminal.wait_for("answer `yes` or `no`");
    terminal.wait_for("yes or no? ");
    terminal.line("yes");
    terminal.wait_for("city (one of Ulm, Rom): ");
    terminal.line("Bonn");
    terminal.wait_for("expected one of Ulm, Rom");
    terminal.wait_for("city (one of Ulm, Rom): ");
    terminal.line("Ulm");
    terminal.wait_for("days (a whole number, at least 2; empty for none): ");
    terminal.line("1");
    terminal.wait_for("days (a whole number, at least 2; empty for none): ");
    terminal.line("3");
    terminal.wait_for("action:accept");
    terminal.wait_for("🤖 Done.");
    terminal.wait_for_prompt();

    terminal.line("Book");
    terminal.wait_for("yes or no? ");
    terminal.line("no");
    terminal.wait_for("action:decline");
    terminal.wait_for_prompt();

    terminal.line("Book");
    terminal.wait_for("yes or no? ");
    terminal.send(CTRL_C);
    terminal.wait_for("stopped");
    terminal.wait_for_prompt();
}
