//! `readFile`.

use crate::files::scene::{Scene, error};
use agent_builtin::{FileLimits, read_file};
use serde_json::json;
use std::fs::File;

#[test]
fn reads_a_file() {
    let scene = Scene::new();
    scene.file("notes/a.txt", "Grüße\n");
    let expected = json!({"content": "Grüße\n", "size": 8});
    for path in [
        "{IN}/notes/a.txt",
        "{HERE}/notes/a.txt",
        "./{HERE}//notes/./a.txt",
        "{IN}//notes/a.txt",
    ] {
        assert_eq!(scene.read(path), Ok(expected.clone()), "{path}");
    }
}

#[test]
fn follows_links_within_the_folder() {
    let scene = Scene::new();
    scene.file("a.txt", "text").file("dir/b.txt", "other");
    scene.link("dir/up", "../a.txt").link("way", "dir");
    assert_eq!(
        scene.read("{HERE}/way/up").expect("text")["content"],
        "text"
    );
}

#[test]
fn counts_lines_from_one() {
    let scene = Scene::new();
    scene.file("a.txt", "one\ntwo\nthree\nfour");
    for (offset, limit, expected) in [
        (json!(2), json!(2), "two\nthree\n"),
        (json!(4), json!(null), "four"),
        (json!(null), json!(1), "one\n"),
        (json!(1), json!(9), "one\ntwo\nthree\nfour"),
    ] {
        let arguments = json!({"path": "{HERE}/a.txt", "offset": offset, "limit": limit});
        let result = scene.call(&read_file {}, &arguments).expect("lines");
        assert_eq!(result, json!({"content": expected, "size": 18}));
    }
}

#[test]
fn reports_lines_past_the_end() {
    let scene = Scene::new();
    scene.file("a.txt", "one\ntwo\n");
    let result = scene.call(&read_file {}, &json!({"path": "{HERE}/a.txt", "offset": 3}));
    assert_eq!(
        error(&scene, result),
        "execution: `{HERE}/a.txt` cannot be read: `offset` is 3, and it has 2 lines"
    );
    for wrong in [
        json!({"path": "a", "offset": 0}),
        json!({"path": "a", "limit": 0}),
        json!({"path": "a", "offset": -1}),
        json!({"path": "a", "offset": 1.5}),
        json!({"path": "a", "limit": "1"}),
        json!({"path": 7}),
        json!({}),
    ] {
        let text = error(&scene, scene.call(&read_file {}, &wrong));
        assert!(text.starts_with("validation: "), "{wrong}: {text}");
    }
}

#[test]
fn reads_a_large_file_by_lines() {
    let scene = Scene::new().with_limits(FileLimits::new().max_file_size(1_000));
    let lines: String = (1..=500).map(|line| format!("line {line}\n")).collect();
    scene.file("a.txt", &lines).file("b.txt", "b".repeat(1_000));
    assert_eq!(
        error(&scene, scene.read("{HERE}/a.txt")),
        "execution: `{HERE}/a.txt` cannot be read: it has 4392 bytes, and the maximum is 1000; read \
        some of its lines with `offset` and `limit`"
    );
    let arguments = json!({"path": "{HERE}/a.txt", "offset": 400, "limit": 2});
    let result = scene.call(&read_file {}, &arguments).expect("lines");
    assert_eq!(
        result,
        json!({"content": "line 400\nline 401\n", "size": 4392})
    );
    let arguments = json!({"path": "{HERE}/a.txt", "offset": 2});
    assert_eq!(
        error(&scene, scene.call(&read_file {}, &arguments)),
        "execution: `{HERE}/a.txt` cannot be read: the lines from 2 on have more than 1000 bytes, the \
        maximum of a call; set a smaller `limit`"
    );
    assert_eq!(scene.read("{HERE}/b.txt").expect("it fits")["size"], 1_000);
}

#[test]
fn finds_a_line_of_a_huge_file() {
    let scene = Scene::new();
    scene.file("huge", "first\nsecond\n");
    let file = File::options().write(true).open(scene.inside("huge"));
    file.and_then(|file| file.set_len(1 << 42)).expect("a hole");
    let arguments = json!({"path": "{HERE}/huge", "offset": 2, "limit": 1});
    let result = scene.call(&read_file {}, &arguments).expect("a line");
    assert_eq!(result, json!({"content": "second\n", "size": 1_i64 << 42}));
}

#[test]
fn refuses_files_that_are_not_utf8() {
    let scene = Scene::new();
    scene.file("latin1", b"caf\xe9 au lait");
    scene.file("utf16", b"\xff\xfeh\0i\0");
    scene.file("cut", &"é".as_bytes()[..1]);
    for (path, at, byte) in [("latin1", 3, "e9"), ("utf16", 0, "ff"), ("cut", 0, "c3")] {
        let expected = format!(
            "execution: `{{HERE}}/{path}` cannot be read: it is not UTF-8 text (after {at} bytes of text \
             comes the byte 0x{byte})"
        );
        assert_eq!(
            error(&scene, scene.read(&format!("{{HERE}}/{path}"))),
            expected
        );
    }
    // NUL, other control characters and a byte order mark are UTF-8.
    scene.file("controls", "\u{feff}\0\x1b[31m\r\n");
    let content = scene.read("{HERE}/controls").expect("text");
    assert_eq!(content["content"], "\u{feff}\0\x1b[31m\r\n");
    assert_eq!(
        scene.file("empty", "").read("{HERE}/empty"),
        Ok(json!({"content": "", "size": 0}))
    );
}
