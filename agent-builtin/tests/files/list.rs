//! `listDirectory`.

use crate::files::scene::Scene;
use agent_builtin::{FileLimits, list_directory};
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
fn lists_name_type_and_size() {
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
                {"name": "link", "size": 1, "link": true},
            ],
            "truncated": false,
        })
    );
}

#[test]
fn lists_the_contents_of_a_folder_after_the_folder() {
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
    // The listed path itself may be a link.
    assert_eq!(
        scene.names(&json!({"path": "{HERE}/link", "recursive": true})),
        below
    );
}

#[test]
fn reports_that_a_listing_is_truncated() {
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
fn truncates_a_large_folder_in_order() {
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
fn lists_special_files_without_a_type() {
    let scene = Scene::new();
    crate::files::special_files::pipe(&scene.inside("pipe"));
    let listing = scene.list(&json!({"path": "{HERE}"}));
    assert_eq!(listing["entries"], json!([{"name": "pipe", "size": 0}]));
}

#[test]
fn leaves_out_names_that_are_not_unicode() {
    let scene = Scene::new();
    fs::write(scene.inside("").join(OsStr::from_bytes(b"\xff.txt")), "").expect("a file");
    scene.file("new\nline", "").file("\u{202e}txt", "");
    let listing = scene.list(&json!({"path": "{HERE}"}));
    assert_eq!(listing["truncated"], true);
    let names = scene.names(&json!({"path": "{HERE}"}));
    assert_eq!(names, ["new\nline", "\u{202e}txt"]);
}

#[test]
fn limits_the_depth_of_folders() {
    let scene = Scene::new();
    let path = vec!["d"; 300].join("/");
    scene.file(&format!("{path}/end"), "");
    let listing = scene.list(&json!({"path": "{HERE}", "recursive": true}));
    assert_eq!(listing["truncated"], true);
    let depth = listing["entries"].as_array().expect("entries").len();
    assert_eq!(depth, 64);
    // A deeper folder can be listed by its own path.
    let path = vec!["d"; 280].join("/");
    let names = scene.names(&json!({"path": format!("{{HERE}}/{path}"), "recursive": true}));
    assert_eq!(names.len(), 21);
    assert!(names[20].ends_with("d/end"));
}

#[test]
fn lists_an_empty_folder() {
    let scene = Scene::new();
    let expected = json!({"entries": [], "truncated": false});
    assert_eq!(scene.list(&json!({"path": "{HERE}"})), expected);
    assert_eq!(
        scene.list(&json!({"path": "{IN}/.", "recursive": true, "gitignore": true})),
        expected
    );
}

#[test]
fn a_listing_has_accessors() {
    let scene = planted();
    let path = scene.filled("{IN}");
    let listing = list_directory(&path, false, false, &scene.context).expect("a listing");
    let last = listing.entries().last().expect("entries");
    assert_eq!(
        (last.name(), last.entry_type(), last.size(), last.is_link()),
        ("link", None, 1, true)
    );
}
