//! Access that the system denies.

use crate::files::scene::{Scene, error, format_error};
use agent_builtin::{list_directory, read_file, write_file};
use rustix::process::{Uid, geteuid};
use serde_json::json;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

/// Runs a function as a user without rights, because root may access everything. It runs on a thread of its
/// own, because Linux has a user for each thread.
fn unprivileged<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    if !geteuid().is_root() {
        return act();
    }
    let nobody = || {
        rustix::thread::set_thread_uid(Uid::from_raw(65_534)).expect("root can be anybody");
        act()
    };
    std::thread::scope(|scope| scope.spawn(nobody).join().expect("no panic"))
}

fn closed(scene: &Scene, path: &str) {
    fs::set_permissions(scene.inside(path), Permissions::from_mode(0o000)).expect("permissions");
}

#[test]
fn reports_denied_permission_to_read() {
    let scene = Scene::new();
    scene
        .file("closed.txt", "text")
        .file("shut/a.txt", "text")
        .file("open.txt", "text");
    closed(&scene, "closed.txt");
    closed(&scene, "shut");
    let read = |path: &str| {
        let path = scene.filled(path);
        let result = unprivileged(|| read_file(&path, None, None, &scene.context));
        result.map(|content| content.content().to_owned())
    };
    assert_eq!(read("{IN}/open.txt"), Ok("text".to_owned()));
    for path in ["{IN}/closed.txt", "{IN}/shut/a.txt"] {
        let expected = format!("execution: Permission denied: {}", scene.filled(path));
        assert_eq!(
            format_error(&read(path).expect_err("it is closed")),
            expected
        );
    }
}

#[test]
fn reports_denied_permission_to_write() {
    let scene = Scene::new();
    scene.file("a.txt", "text").file("fixed/b.txt", "text");
    // The folder may be written, so that the file could be replaced, but the file may not.
    fs::set_permissions(scene.inside(""), Permissions::from_mode(0o777)).expect("permissions");
    for path in ["{IN}/a.txt", "{IN}/fixed/b.txt", "{IN}/fixed/new.txt"] {
        let path = scene.filled(path);
        for append in [false, true] {
            let result = unprivileged(|| write_file(&path, "new", append, false, &scene.context));
            let error = result.expect_err("it belongs to another");
            assert_eq!(
                format_error(&error),
                format!("execution: Permission denied: {path}")
            );
        }
    }
    assert_eq!(scene.content("a.txt"), "text");
    assert_eq!(scene.names(&json!({"path": "{IN}/fixed"})), ["b.txt"]);
}

#[test]
fn reports_denied_permission_to_list() {
    let scene = Scene::new();
    scene.file("a/x", "").file("shut/x", "").file("z", "");
    closed(&scene, "shut");
    let list = |path: &str, recursive| {
        let path = scene.filled(path);
        unprivileged(|| list_directory(&path, recursive, false, &scene.context))
    };
    let error = list("{IN}/shut", false).expect_err("it is closed");
    assert_eq!(
        format_error(&error),
        scene.filled("execution: Permission denied: {IN}/shut")
    );
    // In the listing of its parent, the folder is an entry, and the listing is truncated.
    let listing = list("{IN}", true).expect("a listing");
    let names: Vec<&str> = listing.entries().iter().map(|entry| entry.name()).collect();
    assert_eq!(names, ["a", "a/x", "shut", "z"]);
    assert!(listing.is_truncated());
}

#[test]
fn refuses_a_path_through_a_file() {
    let scene = Scene::new();
    scene.file("a.txt", "text");
    assert_eq!(
        error(&scene, scene.read("{HERE}/a.txt/b")),
        "execution: `{HERE}/a.txt/b` cannot be read: a part of its path is not a folder"
    );
}
