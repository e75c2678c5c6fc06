//! `writeFile`.

use crate::files::scene::{Scene, error};
use agent_builtin::{FileLimits, write_file};
use agent_runtime::Cancellation;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

#[test]
fn creates_and_replaces_a_file() {
    let scene = Scene::new();
    assert_eq!(
        scene.write("{HERE}/a.txt", "Grüße"),
        Ok(json!({"bytesWritten": 7}))
    );
    assert_eq!(scene.content("a.txt"), "Grüße");
    assert_eq!(
        scene.write("{IN}/a.txt", ""),
        Ok(json!({"bytesWritten": 0}))
    );
    assert_eq!(scene.content("a.txt"), "");
}

#[test]
fn readers_see_the_old_or_the_new_content() {
    let scene = Scene::new();
    scene.file("a.txt", "old");
    fs::hard_link(scene.inside("a.txt"), scene.inside("kept")).expect("another name");
    scene.write("{HERE}/a.txt", "new").expect("it is written");
    // An open file, or another hard link, still has the old content.
    assert_eq!(scene.content("kept"), "old");
    assert_eq!(scene.content("a.txt"), "new");
    assert_eq!(scene.names(&json!({"path": "{HERE}"})), ["a.txt", "kept"]);
}

#[test]
fn keeps_permissions() {
    let scene = Scene::new();
    scene.file("a.txt", "old");
    for (before, after) in [(0o600, 0o600), (0o755, 0o755), (0o4711, 0o711)] {
        let path = scene.inside("a.txt");
        fs::set_permissions(&path, fs::Permissions::from_mode(before)).expect("permissions");
        scene.write("{HERE}/a.txt", "new").expect("it is written");
        let mode = fs::metadata(&path).expect("a file").mode();
        assert_eq!(mode & 0o7777, after, "{before:o}");
    }
}

#[test]
fn keeps_the_owner_and_the_group() {
    let scene = Scene::new();
    scene.file("a.txt", "old");
    let path = scene.inside("a.txt");
    // Only root may give a file away.
    let other = chown(&path, Some(12345), Some(23456)).is_ok();
    let before = fs::metadata(&path).expect("a file");
    scene.write("{HERE}/a.txt", "new").expect("it is written");
    let after = fs::metadata(&path).expect("a file");
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    assert!(!other || after.uid() == 12345);
}

#[test]
fn appends_text() {
    let scene = Scene::new();
    let append = |content: &str| {
        let arguments = json!({"path": "{HERE}/log", "content": content, "append": true});
        scene.call(&write_file {}, &arguments)
    };
    assert_eq!(append("one\n"), Ok(json!({"bytesWritten": 4})));
    let inode = fs::metadata(scene.inside("log")).expect("a file").ino();
    assert_eq!(append("two\n"), Ok(json!({"bytesWritten": 4})));
    assert_eq!(scene.content("log"), "one\ntwo\n");
    assert_eq!(
        fs::metadata(scene.inside("log")).expect("a file").ino(),
        inode
    );
}

#[test]
fn creates_folders_on_request() {
    let scene = Scene::new();
    assert_eq!(
        error(&scene, scene.write("{HERE}/new/deep/a.txt", "text")),
        "execution: `{HERE}/new/deep/a.txt` cannot be written: its folder does not exist; set \
        `createParents` to create it"
    );
    assert!(!scene.inside("new").exists());
    for content in ["text", "again"] {
        let path = "{HERE}/new/deep/a.txt";
        let arguments = json!({"path": path, "content": content, "createParents": true});
        scene
            .call(&write_file {}, &arguments)
            .expect("it is written");
        assert_eq!(scene.content("new/deep/a.txt"), content);
    }
}

#[test]
fn refuses_content_that_is_too_long() {
    let scene = Scene::new().with_limits(FileLimits::new().max_file_size(10));
    assert_eq!(
        error(&scene, scene.write("{HERE}/a.txt", "eleven byte")),
        "validation: `content` has 11 bytes, and the maximum is 10; write the rest with `append`"
    );
    assert!(!scene.inside("a.txt").exists());
    scene.write("{HERE}/a.txt", "ten bytes.").expect("it fits");
}

#[test]
fn a_cancelled_call_changes_nothing() {
    let mut scene = Scene::new();
    scene.file("a.txt", "old");
    let cancellation = Cancellation::new();
    cancellation.cancel();
    scene.context = scene.context.clone().with_cancellation(cancellation);
    let path = scene.filled("{IN}/a.txt");
    let result = write_file(&path, "new", false, false, &scene.context);
    assert!(result.is_err(), "{result:?}");
    assert_eq!(scene.content("a.txt"), "old");
    assert_eq!(fs::read_dir(scene.inside("")).expect("a folder").count(), 1);
}

#[test]
fn a_failure_leaves_no_temporary_file() {
    let scene = Scene::new();
    scene.file("taken/a.txt", "text");
    error(&scene, scene.write("{HERE}/taken", "text"));
    error(&scene, scene.write("{HERE}/{LONG}", "text"));
    assert_eq!(
        scene.names(&json!({"path": "{HERE}", "recursive": true})),
        ["taken", "taken/a.txt"]
    );
}
