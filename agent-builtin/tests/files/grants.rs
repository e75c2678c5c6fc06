//! The paths that grants cover.

use crate::files::scene::{Scene, error};
use agent_builtin::FileLimits;
use agent_runtime::{Grants, ToolContext};
use serde_json::json;
use std::fs;

fn grants(scene: &Scene, read: &[&str], write: &[&str]) -> Grants {
    let grants = read.iter().fold(Grants::new(), |grants, folder| {
        grants.read(scene.filled(folder))
    });
    write
        .iter()
        .fold(grants, |grants, folder| grants.write(scene.filled(folder)))
}

#[test]
fn does_nothing_without_grants() {
    let mut scene = Scene::new();
    scene.file("a.txt", "text");
    scene.context = ToolContext::detached();
    assert_eq!(
        error(&scene, scene.read("{HERE}/a.txt")),
        "authorization: not allowed: reading `{HERE}/a.txt`; granted for reading: nothing"
    );
    assert_eq!(
        error(&scene, scene.write("{HERE}/a.txt", "new")),
        "authorization: not allowed: writing `{HERE}/a.txt`; granted for writing: nothing"
    );
    assert_eq!(scene.content("a.txt"), "text");
}

#[test]
fn grants_reading_and_writing_separately() {
    let scene = Scene::new();
    scene.file("in/a.txt", "text").file("out/b.txt", "text");
    let grants = grants(&scene, &["{HERE}/in"], &["{IN}/out"]);
    let scene = scene.with_grants(&grants);
    scene.read("{HERE}/in/a.txt").expect("it may be read");
    scene
        .write("{HERE}/out/b.txt", "new")
        .expect("it may be written");
    assert_eq!(
        error(&scene, scene.write("{HERE}/in/a.txt", "new")),
        "authorization: not allowed: writing `{HERE}/in/a.txt`; granted for writing: `{IN}/out`"
    );
    assert_eq!(
        error(&scene, scene.read("{HERE}/out/b.txt")),
        "authorization: not allowed: reading `{HERE}/out/b.txt`; granted for reading: `{HERE}/in`"
    );
    assert_eq!(scene.content("in/a.txt"), "text");
}

#[test]
fn applies_the_widest_grant() {
    let scene = Scene::new();
    scene.file("a.txt", "text").file("dir/b.txt", "other");
    scene.link("dir/up", "../a.txt");
    let both = grants(&scene, &["{IN}/dir", "{IN}"], &[]);
    let scene = scene.with_grants(&both);
    scene
        .read("{HERE}/dir/up")
        .expect("the link leads to what is granted");
    let inner = grants(&scene, &["{IN}/dir"], &[]);
    let scene = scene.with_grants(&inner);
    scene.read("{HERE}/dir/b.txt").expect("it is granted");
    assert_eq!(
        error(&scene, scene.read("{HERE}/dir/up")),
        "authorization: not allowed: reading `{HERE}/dir/up`, where a link leads elsewhere; granted for \
         reading: `{IN}/dir`"
    );
}

#[test]
fn accepts_both_paths_of_a_folder_granted_through_a_link() {
    let scene = Scene::new();
    scene.file("dir/a.txt", "text").link("way", "dir");
    let grants = grants(&scene, &["{HERE}/way"], &[]);
    let scene = scene.with_grants(&grants);
    for path in [
        "{HERE}/way/a.txt",
        "{IN}/way/a.txt",
        "{HERE}/dir/a.txt",
        "{IN}/dir/a.txt",
    ] {
        assert_eq!(scene.read(path).expect("text")["content"], "text", "{path}");
    }
    // The grant is for the folder that the link led to when it was granted.
    fs::remove_file(scene.inside("way")).expect("a link");
    scene.link("way", scene.outside(""));
    assert_eq!(
        scene.read("{HERE}/way/a.txt").expect("text")["content"],
        "text"
    );
    error(&scene, scene.read("{HERE}/way/canary"));
}

#[test]
fn refuses_a_folder_whose_name_begins_like_a_granted_one() {
    let scene = Scene::new();
    scene
        .file("dir/a.txt", "text")
        .file("directory/a.txt", "text");
    let grants = grants(&scene, &["{HERE}/dir"], &[]);
    let scene = scene.with_grants(&grants);
    assert_eq!(
        error(&scene, scene.read("{HERE}/directory/a.txt")),
        "authorization: not allowed: reading `{HERE}/directory/a.txt`; granted for reading: `{HERE}/dir`"
    );
}

#[test]
fn resolves_relative_paths_from_the_current_folder() {
    let scene = Scene::new();
    scene.file("a.txt", "text");
    let limits = FileLimits::new().max_entries(usize::MAX);
    let scene = scene
        .with_grants(&Grants::new().read("."))
        .with_limits(limits);
    assert_eq!(scene.read("{HERE}/a.txt").expect("text")["content"], "text");
    assert_eq!(
        error(&scene, scene.read("../a.txt")),
        "authorization: not allowed: reading `../a.txt`, a path with `..`; granted for reading: `.`"
    );
    assert!(
        scene
            .names(&json!({"path": "."}))
            .contains(&scene.filled("{NAME}"))
    );
}

#[test]
fn a_granted_link_keeps_the_target_it_was_granted_for() {
    let scene = Scene::new();
    scene.file("here/a.txt", "a").file("target/b.txt", "b");
    scene.link("here/data", "../target");
    scene.file("here/near/c.txt", "c");
    scene.link("here/absolute", scene.inside("here/near"));
    scene.link("here/ungranted", "../target");
    let folders = ["{HERE}/here", "{HERE}/here/data", "{IN}/here/absolute"];
    let all = grants(&scene, &folders, &folders);
    let scene = scene.with_grants(&all);
    for (path, content) in [
        ("{HERE}/here/a.txt", "a"),
        ("{HERE}/here/data/b.txt", "b"),
        ("{IN}/here/data/b.txt", "b"),
        ("{IN}/target/b.txt", "b"),
        ("{HERE}/here/absolute/c.txt", "c"),
    ] {
        let read = scene.read(path);
        assert_eq!(read.expect("text")["content"], content, "{path}");
    }
    scene
        .write("{HERE}/here/data/new.txt", "new")
        .expect("it is granted for writing");
    assert_eq!(scene.content("target/new.txt"), "new");
    assert_eq!(scene.names(&json!({"path": "{HERE}/here/data"})).len(), 2);
    // A link that was not granted itself is still refused.
    let found = error(&scene, scene.read("{HERE}/here/ungranted/b.txt"));
    assert!(found.contains(", where a link leads elsewhere;"), "{found}");
}

#[test]
fn names_the_absolute_path_of_a_folder_granted_with_dots() {
    let scene = Scene::new();
    scene.file("a.txt", "text");
    let grants = grants(&scene, &["{HERE}/../inside"], &[]);
    let scene = scene.with_grants(&grants);
    assert_eq!(scene.read("{IN}/a.txt").expect("text")["content"], "text");
    assert_eq!(
        error(&scene, scene.read("{HERE}/../inside/a.txt")),
        "authorization: not allowed: reading `{HERE}/../inside/a.txt`, a path with `..`; granted for \
         reading: `{IN}`"
    );
}
