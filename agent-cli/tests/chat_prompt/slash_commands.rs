//! The commands that begin with a slash.

use crate::chat_prompt::scripted;
use crate::support::Folder;
use crate::support::script::{Answer, Script};
use serde_json::{Value, json};

#[test]
fn executes_commands() {
    let folder = Folder::new();
    let answers = [
        Answer::Call("sayHello", "{\"personName\":\"Ada\"}"),
        Answer::Text(&["I greeted ", "her."]),
        Answer::Text(&["Who?"]),
    ];
    let script = Script::start(answers);
    let price = ["--price", "OpenAI/gpt-6-luna=10,100"];
    let mut terminal = scripted(&folder, &script, &price);
    terminal.wait_for_prompt();
    // Tab completes the beginning of a single command.
    terminal.send("/to\t");
    terminal.wait_for("/tools");
    terminal.line("");
    terminal.wait_for("sayHello (personName::Text {default: \"world\"})==>(::String)");
    terminal.wait_for("Returns a friendly greeting");
    terminal.wait_for_prompt();
    terminal.line("Greet Ada");
    terminal.wait_for("🤖 I greeted her.");
    terminal.wait_for_prompt();
    terminal.line("/usage");
    terminal.wait_for("requests: 2\r\n");
    terminal.wait_for("200 sent, 20 written\r\n");
    terminal.wait_for("$0.0040");
    terminal.wait_for_prompt();

    let (json, gram) = (
        format!("{}/my talk.json", folder.path()),
        format!("{}/talk.gram", folder.path()),
    );
    for file in [&json, &gram] {
        terminal.line(&format!("/save {file}"));
        terminal.wait_for("saved 4 messages in");
        terminal.wait_for_prompt();
    }
    terminal.line("/save ~/talk.gram");
    terminal.wait_for("error: the file `");
    terminal.wait_for_prompt();
    terminal.line("/save --overwrite ~/talk.gram");
    terminal.wait_for("saved 4 messages in");
    terminal.wait_for_prompt();
    terminal.line("/save talk.txt");
    terminal.wait_for("error: `talk.txt` has no known extension");
    terminal.wait_for_prompt();
    let saved: Value =
        serde_json::from_slice(&std::fs::read(&json).expect("it is there")).expect("JSON");
    assert_eq!(saved[0], json!({"role": "user", "content": "Greet Ada"}));
    let saved = std::fs::read_to_string(&gram).expect("it is there");
    assert!(saved.contains("[:Conversation |"), "{saved}");

    terminal.line("/reset");
    terminal.wait_for("the conversation begins anew");
    terminal.wait_for_prompt();
    terminal.line("Whom did you greet?");
    terminal.wait_for("🤖 Who?");
    terminal.wait_for_prompt();
    let asked = script.messages()[2].clone();
    let asked = asked.as_array().expect("messages");
    assert_eq!(asked.len(), 2, "the instruction and the message: {asked:?}");

    terminal.line("/quti");
    terminal.wait_for("did you mean `/quit`?");
    terminal.wait_for_prompt();
    terminal.line("/help");
    terminal.wait_for("/save FILE");
    terminal.wait_for("`/reset --stored`");
    terminal.wait_for_prompt();
    terminal.line("/quit");
    assert_eq!(terminal.end().0, Some(0));
}
