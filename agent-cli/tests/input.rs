//! Unreadable, huge and malformed inputs.

use crate::support::{Folder, agent, agent_with, command};

#[test]
fn names_unreadable_files() {
    let folder = Folder::new();
    let bad = folder.file("bad.gram", b"(a)\n(b)\n(\xff)");
    let folder_path = folder.path();
    for (path, reason) in [
        ("nowhere/none.gram", "there is no such file"),
        (folder_path.as_str(), "it is a directory"),
        (bad.as_str(), "byte 0xff at offset 9 (line 3)"),
    ] {
        let commands: [&[&str]; 5] = [
            &["check", path],
            &["check", path, "--format", "json"],
            &["parse", path],
            &["schema", path],
            &["run", path, "Hello", "--offline"],
        ];
        // `check` finds the documents of a directory.
        let checked = if path == folder_path { 2 } else { 0 };
        for args in &commands[checked..] {
            let ended = agent(args).expect(2);
            assert!(ended.stderr.contains(path), "{args:?}: {}", ended.stderr);
            assert!(ended.stderr.contains(reason), "{args:?}: {}", ended.stderr);
            assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
            assert_eq!(ended.stdout, "", "{args:?}");
        }
    }
}

#[test]
fn the_program_of_a_server_is_not_read_as_a_document() {
    let folder = Folder::new();
    let program = folder.file("shop.py", "print('Hello')\n");
    for args in [
        &["check", "agents/hello.gram", "--mcp", &program][..],
        &["run", &program, "Hello", "--offline"],
    ] {
        let ended = agent(args).expect(2);
        let advice = format!("`agent mcp import NAME -- python {program}`");
        assert!(ended.stderr.contains(&advice), "{}", ended.stderr);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
}

#[test]
fn names_every_unreadable_file_and_checks_nothing() {
    let ended = agent(&[
        "check",
        "agents/hello.gram",
        "no.gram",
        "neither.gram",
        "nor.gram",
    ])
    .expect(2);
    assert_eq!(ended.stderr.lines().count(), 3, "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
}

#[test]
fn rejects_standard_input_that_is_not_utf_8() {
    let ended = agent_with(&["check", "-"], *b"\xfe\xff\x00a").expect(2);
    assert!(ended.stderr.contains("`<stdin>`"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("offset 0 (line 1)"),
        "{}",
        ended.stderr
    );
    let ended = agent(&["check", "-", "-"]).expect(2);
    assert!(ended.stderr.contains("only once"), "{}", ended.stderr);
}

#[test]
fn rejects_ten_megabytes_of_brackets_quickly() {
    for unit in ["[a|", "[", "(", "{a:["] {
        let source = unit.repeat(10_000_000 / unit.len());
        for args in [
            &["check", "--format=json", "-"][..],
            &["check", "--as=gram", "--format=json", "-"],
        ] {
            let ended = agent_with(args, source.as_str()).expect(1);
            let found = ended.json();
            let found = found["diagnostics"].as_array().unwrap();
            assert_eq!(found.len(), 1, "{unit}: {found:?}");
        }
        let ended = agent_with(&["check", "-"], source.as_str()).expect(1);
        assert!(ended.stderr.len() < 5_000, "{} bytes", ended.stderr.len());
    }
}

#[test]
fn shows_some_of_many_findings_and_writes_more_as_json() {
    let lines = "(a)->(b)\n".repeat(100_000);
    let one_line = "(a)->(b) ".repeat(100_000);
    for source in [lines, one_line] {
        let ended = agent_with(&["check", "--as=gram", "-"], source.as_str()).expect(1);
        let shown = ended.stderr.matches("error[gram::").count();
        assert_eq!(shown, 100);
        assert!(
            ended.stderr.contains("and 99900 more"),
            "{}",
            &ended.stderr[ended.stderr.len() - 200..]
        );
        assert!(ended.stderr.contains("\n<stdin>: 100000 errors\n"));
        let args = ["check", "--as=gram", "--format=json", "-"];
        let ended = agent_with(&args, source.as_str()).expect(1);
        let found = ended.json();
        assert_eq!(found["diagnostics"].as_array().unwrap().len(), 10_000);
        assert_eq!(found["more"], 90_000);
    }
}

#[test]
fn cuts_long_lines() {
    let blanks = " ".repeat(100_000);
    let ended = agent_with(
        &["check", "--as=gram", "-"],
        format!("{blanks}(a)->(é){blanks}"),
    )
    .expect(1);
    assert!(
        ended.stderr.contains("<stdin>:1:100004"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.len() < 1_000, "{}", ended.stderr);
}

#[test]
fn ignores_a_closed_pipe() {
    let folder = Folder::new();
    let big = folder.file("big.gram", "(a {k: \"some text\"})\n".repeat(20_000));
    let mut child = command(&["parse", &big])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn wrong_usage_exits_with_2() {
    let wrong: [&[&str]; 9] = [
        &[],
        &["check"],
        &["frobnicate"],
        &["check", "--as", "poem", "agents/hello.gram"],
        &["parse"],
        &["schema"],
        &[
            "schema",
            "agents/hello.gram",
            "--signature",
            "(a::Text)==>(::Text)",
        ],
        &["run", "agents/hello.gram"],
        &["run", "agents/hello.gram", "Hello", "--var", "nothing"],
    ];
    for args in wrong {
        let ended = agent(args).expect(2);
        assert_eq!(ended.stdout, "", "{args:?}");
        assert!(
            ended.stderr.contains("Usage") || ended.stderr.contains("error: "),
            "{args:?}: {}",
            ended.stderr
        );
    }
    let ended = agent(&["--version"]).expect(0);
    assert!(ended.stdout.starts_with("agent "), "{}", ended.stdout);
    for args in [
        &["--help"][..],
        &["check", "--help"],
        &["parse", "--help"],
        &["schema", "--help"],
        &["run", "--help"],
    ] {
        let ended = agent(args).expect(0);
        assert!(
            ended.stdout.contains("Examples:"),
            "{args:?}: {}",
            ended.stdout
        );
    }
}

#[cfg(unix)]
#[test]
fn refuses_devices_and_pipes_at_once() {
    let folder = Folder::new();
    let link = format!("{}/zero.gram", folder.path());
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    let pipe = format!("{}/pipe.gram", folder.path());
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    for (path, reason) in [
        (
            "/dev/zero",
            "it is a device, and only ordinary files are read",
        ),
        (
            link.as_str(),
            "it is a device, and only ordinary files are read",
        ),
        (
            pipe.as_str(),
            "it is a pipe, and only ordinary files are read",
        ),
    ] {
        let commands: [&[&str]; 9] = [
            &["check", path],
            &["check", "agents/hello.gram", "--tools", path],
            &["fmt", path],
            &["fmt", "--check", path],
            &["diff", path, "agents/hello.gram"],
            &["parse", path],
            &["schema", path],
            &["run", path, "Hello", "--offline"],
            &[
                "run",
                "agents/hello.gram",
                "Hello",
                "--offline",
                "--history",
                path,
            ],
        ];
        for args in commands {
            let ended = agent(args).expect(2);
            assert!(ended.stderr.contains(reason), "{args:?}: {}", ended.stderr);
            assert!(
                ended.stderr.contains("on standard input"),
                "{args:?}: {}",
                ended.stderr
            );
        }
    }
    // A project file in the folder of a document.
    let document = folder.file(
        "a.gram",
        "[a:Agent {instruction: \"i\", model: \"Ollama/m\"}]",
    );
    std::os::unix::fs::symlink("/dev/zero", format!("{}/agent.gram", folder.path())).unwrap();
    let ended = agent(&["check", &document]).expect(2);
    assert!(ended.stderr.contains("it is a device"), "{}", ended.stderr);
}

#[test]
fn refuses_documents_of_more_than_32_mebibytes() {
    let folder = Folder::new();
    let path = folder.file("big.gram", "(a)\n");
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    // A file with a hole, which needs no room on the disk.
    file.set_len(1 << 40).unwrap();
    let ended = agent(&["check", &path]).expect(2);
    assert!(
        ended.stderr.contains("it has more than 32 MiB"),
        "{}",
        ended.stderr
    );
    let ended = agent_with(&["check", "-"], vec![b'x'; (32 << 20) + 1]).expect(2);
    assert!(
        ended.stderr.contains("it has more than 32 MiB"),
        "{}",
        ended.stderr
    );
}

#[test]
fn findings_have_a_bound_and_the_last_line_tells_of_the_others() {
    let names: Vec<String> = (0..20_000).map(|at| format!("t{at}")).collect();
    let text = format!(
        "[a:Agent {{instruction: \"i\", model: \"Ollama/m\"}} | {}]",
        names.join(",")
    );
    let ended = agent_with(&["check", "-"], text.clone()).expect(1);
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert!(
        lines.contains(&"… and 19900 more in <stdin>"),
        "{:?}",
        &lines[lines.len() - 4..]
    );
    assert!(
        lines.contains(&"<stdin>: 20000 errors"),
        "{:?}",
        &lines[lines.len() - 4..]
    );
    let ended = agent_with(&["check", "-", "--format", "json"], text.clone()).expect(1);
    let found = ended.json();
    assert_eq!(found["diagnostics"].as_array().map(Vec::len), Some(10_000));
    assert_eq!(found["more"], 10_000);
    let ended = agent_with(&["check", "-", "--format", "short"], text).expect(1);
    assert_eq!(ended.stdout.lines().count(), 10_000);
    assert_eq!(ended.stderr, "… and 10000 more in <stdin>\n");
    // An error counts, however many warnings come before it.
    let unknown = ", x: 1".repeat(15_000);
    let text =
        format!("[a:Agent {{instruction: \"i\", model: \"Ollama/m\"{unknown}}}]\n[b:Agent {{}}]");
    let ended = agent_with(&["check", "-", "--format", "json"], text).expect(1);
    assert!(
        ended.json()["more"]
            .as_u64()
            .is_some_and(|more| more > 4_000)
    );
    // Syntax errors.
    let ended = agent_with(&["check", "--as", "gram", "-"], "t,\n".repeat(20_000)).expect(1);
    assert!(
        ended
            .stderr
            .ends_with("For more about it, run `agent explain unexpected`\n")
    );
    assert!(ended.stderr.contains("… and 19900 more in <stdin>\n"));
}
