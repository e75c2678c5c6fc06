//! The completions of shells, and the pages for `man`.

use crate::support::{Folder, agent};

#[test]
fn completions_name_the_commands_and_their_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = agent(&["completions", shell]).expect(0).stdout;
        for word in ["new-tools", "max-cost", "completions"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    let ended = agent(&["completions", "tcsh"]).expect(2);
    assert!(ended.stderr.contains("bash"), "{}", ended.stderr);
}

#[test]
fn each_command_has_a_page_for_man() {
    let folder = Folder::new();
    let pages = format!("{}/share/man1", folder.path());
    // Pages of an older version are replaced.
    for _ in 0..2 {
        agent(&["man", &pages]).expect(0);
    }
    for (page, words) in [
        ("agent.1", "agents declared in gram"),
        ("agent-check.1", "agent\\-check"),
        ("agent-mcp-import.1", "import"),
    ] {
        let text = std::fs::read_to_string(format!("{pages}/{page}")).expect(page);
        assert!(text.contains(words), "{page}:\n{text}");
    }
    let file = folder.file("file", "");
    let ended = agent(&["man", &file]).expect(2);
    assert!(ended.stderr.contains(&file), "{}", ended.stderr);
}
