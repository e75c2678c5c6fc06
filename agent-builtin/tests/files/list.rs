//! `listDirectory`.

use crate::files::scene::Scene;
use agent_builtin::{EntryType, FileLimits, list_directory};
use serde_json::json;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

fn planted() -> Scene {
    let scene = Scene::new();
    scene
        .file("b.txt", "text")
        .file("a/inner/deep.txt", "")
        .file("a/z.txt", "zz");
    scene
        .file("a-b", "1")
        .file("B", "")
        .link("link", "a")
        .link("a/out", "/etc");
    scene
}

#[test]
fn entries_have_a_name_a_type_and_a_size() {
    let scene = planted();
    let listing = scene.list(&json!({"path": "{HERE}"}));
    let folder = fs::metadata(scene.inside("a")).expect("a folder").len();
    assert_eq!(
        listing,
        json!({
            "entries": [
                {"name": "B", "type": "file", "size": 0},
                {"name": "a", "type": "directory", "size": folder},
                {"name": "a-b", "type": "file", "size": 1},
                {"name": "b.txt", "type": "file", "size": 4},
                {"name": "link", "type": "link", "size": 1},
            ],
            "truncated": false,
        })
    );
}

#[test]
fn what_a_folder_holds_comes_after_it() {
    let scene = planted();
    let expected = [
        "B",
        "a",
        "a/inner",
        "a/inner/deep.txt",
        "a/out",
        "a/z.txt",
        "a-b",
        "b.txt",
        "link",
    ];
    assert_eq!(
        scene.names(&json!({"path": "{IN}", "recursive": true})),
        expected
    );
    let below = ["inner", "inner/deep.txt", "out", "z.txt"];
    assert_eq!(
        scene.names(&json!({"path": "{HERE}/a/", "recursive": true})),
        below
    );
    // A link is followed when it is what is asked for.
    assert_eq!(
        scene.names(&json!({"path": "{HERE}/link", "recursive": true})),
        below
    );
}

#[test]
fn there_is_a_bound_and_a_sign_that_it_was_reached() {
    let scene = planted();
    let arguments = json!({"path": "{HERE}", "recursive": true});
    let all = scene.names(&arguments);
    for most in 0..=all.len() + 1 {
        let limits = FileLimits::new().max_entries(most);
        let context = scene.context.clone().with_extension(limits);
        let path = scene.filled("{IN}");
        let listing = list_directory(&path, true, false, &context).expect("a listing");
        let names: Vec<&str> = listing.entries().iter().map(|entry| entry.name()).collect();
        assert_eq!(names, all[..most.min(all.len())]);
        assert_eq!(listing.is_truncated(), most < all.len(), "{most}");
    }
}

#[test]
fn a_folder_of_very_many_entries_is_cut_in_order() {
    let scene = Scene::new().with_limits(FileLimits::new().max_entries(50));
    for number in 0..3_000 {
        scene.file(&format!("many/{:04}", (number * 7) % 3_000), "");
    }
    let listing = scene.list(&json!({"path": "{HERE}/many"}));
    assert_eq!(listing["truncated"], true);
    let names = scene.names(&json!({"path": "{HERE}/many"}));
    let expected: Vec<String> = (0..50).map(|number| format!("{number:04}")).collect();
    assert_eq!(names, expected);
}

#[test]
fn what_is_neither_file_nor_folder_has_no_type() {
    let scene = Scene::new();
    crate::files::special::pipe(&scene.inside("pipe"));
    let listing = scene.list(&json!({"path": "{HERE}"}));
    assert_eq!(listing["entries"], json!([{"name": "pipe", "size": 0}]));
}

#[test]
fn names_that_are_not_unicode_are_left_out() {
    let scene = Scene::new();
    fs::write(scene.inside("").join(OsStr::from_bytes(b"\xff.txt")), "").expect("a file");
    scene.file("new\nline", "").file("\u{202e}txt", "");
    let listing = scene.list(&json!({"path": "{HERE}"}));
    assert_eq!(listing["truncated"], true);
    let names = scene.names(&json!({"path": "{HERE}"}));
    assert_eq!(names, ["new\nline", "\u{202e}txt"]);
}

#[test]
fn a_deep_tree_is_entered_so_far() {
    let scene = Scene::new();
    let path = vec!["d"; 300].join("/");
    scene.file(&format!("{path}/end"), "");
    let listing = scene.list(&json!({"path": "{HERE}", "recursive": true}));
    assert_eq!(listing["truncated"], true);
    let depth = listing["entries"].as_array().expect("entries").len();
    assert_eq!(depth, 64);
    // What is deeper can be listed by itself.
    let path = vec!["d"; 280].join("/");
    let names = scene.names(&json!({"path": format!("{{HERE}}/{path}"), "recursive": true}));
    assert_eq!(names.len(), 21);
    assert!(names[20].ends_with("d/end"));
}

#[test]
fn an_empty_folder_is_empty() {
    let scene = Scene::new();
    let expected = json!({"entries": [], "truncated": false});
    assert_eq!(scene.list(&json!({"path": "{HERE}"})), expected);
    assert_eq!(
        scene.list(&json!({"path": "{IN}/.", "recursive": true, "gitignore": true})),
        expected
    );
}

#[test]
fn a_program_reads_a_listing_by_its_accessors() {
    let scene = planted();
    let path = scene.filled("{IN}");
    let listing = list_directory(&path, false, false, &scene.context).expect("a listing");
    let last = listing.entries().last().expect("entries");
    assert_eq!(
        (last.name(), last.entry_type(), last.size()),
        ("link", Some(EntryType::Link), 1)
    );
}
