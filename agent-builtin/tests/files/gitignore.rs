//! `listDirectory` with `gitignore`.

use crate::files::scene::{Scene, error};
use agent_builtin::list_directory;
use serde_json::json;
use std::fs;

fn names(scene: &Scene, path: &str) -> Vec<String> {
    scene.names(&json!({"path": path, "recursive": true, "gitignore": true}))
}

#[test]
fn leaves_out_ignored_entries() {
    let scene = Scene::new();
    scene.file(
        ".gitignore",
        "# comment\n\n*.log\n!keep.log\n/target/\nbuild/\n\\#odd\n**/deep/*.tmp\n[\n",
    );
    for path in [
        ".git/config",
        "a.log",
        "keep.log",
        "target/a",
        "src/target/b",
        "src/build/c",
        "src/a.log",
        "src/main.rs",
        "#odd",
        "x/y/deep/a.tmp",
        "x/y/deep/a.txt",
        "build.rs",
    ] {
        scene.file(path, "");
    }
    assert_eq!(
        names(&scene, "{HERE}"),
        [
            ".gitignore",
            "build.rs",
            "keep.log",
            "src",
            "src/main.rs",
            "src/target",
            "src/target/b",
            "x",
            "x/y",
            "x/y/deep",
            "x/y/deep/a.txt"
        ]
    );
    // Without `gitignore`, everything is listed.
    assert_eq!(scene.names(&json!({"path": "{HERE}"})).len(), 9);
}

#[test]
fn applies_the_patterns_of_outer_folders_innermost_first() {
    let scene = Scene::new();
    scene.file(".gitignore", "*.log\n/a/only\nskipped/\n");
    scene.file("a/.gitignore", "!special.log\n*.txt\n");
    for path in [
        "a/b/x.log",
        "a/b/special.log",
        "a/b/y.txt",
        "a/only",
        "a/b/only",
        "a/b/skipped/z",
    ] {
        scene.file(path, "");
    }
    assert_eq!(
        names(&scene, "{HERE}/a"),
        [".gitignore", "b", "b/only", "b/special.log"]
    );
    assert_eq!(names(&scene, "{HERE}/a/b"), ["only", "special.log"]);
    // The listed folder itself is never ignored.
    assert_eq!(names(&scene, "{HERE}/a/b/skipped"), ["z"]);
    scene.file(".git/HEAD", "");
    assert_eq!(names(&scene, "{HERE}/.git"), ["HEAD"]);
}

#[test]
fn a_nested_repository_has_only_its_own_patterns() {
    let scene = Scene::new();
    scene
        .file(".gitignore", "*.log\n")
        .file("inner/.git/HEAD", "")
        .file("inner/a.log", "");
    assert_eq!(
        names(&scene, "{HERE}"),
        [".gitignore", "inner", "inner/a.log"]
    );
    assert_eq!(names(&scene, "{HERE}/inner"), ["a.log"]);
}

#[test]
fn ignores_patterns_outside_the_folder_and_behind_links() {
    let scene = Scene::new();
    scene.file("a.log", "").file("b/b.log", "");
    fs::write(scene.inside("").join("../.gitignore"), "*\n").expect("a file");
    scene
        .link("b/.gitignore", "../patterns")
        .file("patterns", "*\n");
    assert_eq!(
        names(&scene, "{HERE}"),
        ["a.log", "b", "b/.gitignore", "b/b.log", "patterns"]
    );
    scene.link(".gitignore", scene.outside("canary"));
    assert_eq!(names(&scene, "{HERE}").len(), 6);
    crate::files::special_files::pipe(&scene.inside("b/pipe"));
    fs::rename(scene.inside("b/pipe"), scene.inside("b/.gitignore")).expect("a pipe");
    assert_eq!(names(&scene, "{HERE}").len(), 6);
}

#[test]
fn refuses_a_gitignore_file_that_is_too_large() {
    let scene = Scene::new();
    scene.file("a/.gitignore", "pattern\n".repeat(70_000));
    let arguments = json!({"path": "{HERE}", "recursive": true, "gitignore": true});
    assert_eq!(
        error(&scene, scene.call(&list_directory {}, &arguments)),
        "execution: `{HERE}` cannot be listed: the files `.gitignore` around a folder have more than 524288 bytes; \
         without `gitignore` they are not read"
    );
}

#[test]
fn refuses_too_many_patterns_around_a_folder() {
    let scene = Scene::new();
    let patterns = "pattern\n".repeat(16_000);
    let mut path = String::new();
    for _ in 0..62 {
        scene.file(&format!("{path}.gitignore"), &patterns);
        path.push_str("d/");
    }
    let arguments = json!({"path": "{HERE}", "recursive": true, "gitignore": true});
    let refused = error(&scene, scene.call(&list_directory {}, &arguments));
    assert!(refused.contains("have more than 524288 bytes"), "{refused}");
    // The folders of a repository do not have the patterns around it, which are kept all the same.
    for depth in 0..62 {
        scene.file(&format!("{}.git/HEAD", "d/".repeat(depth)), "");
    }
    let refused = error(&scene, scene.call(&list_directory {}, &arguments));
    assert!(refused.contains("have more than 524288 bytes"), "{refused}");
    // Without `gitignore`, they are not read.
    let all = scene.names(&json!({"path": "{HERE}", "recursive": true}));
    assert_eq!(all.len(), 62 + 61 + 2 * 62);
}

#[test]
fn refuses_patterns_that_take_too_much_memory() {
    let scene = Scene::new();
    scene.file(".gitignore", "*a*b*c*d\n".repeat(14_000));
    let arguments = json!({"path": "{HERE}", "recursive": true, "gitignore": true});
    let refused = error(&scene, scene.call(&list_directory {}, &arguments));
    assert!(
        refused.contains("the patterns of a file `.gitignore` cannot be matched"),
        "{refused}"
    );
}

#[test]
fn braces_in_patterns_mean_themselves() {
    let scene = Scene::new();
    scene.file(".gitignore", "{a,b}\n\\{c\n");
    scene.file("a", "").file("{a,b}", "").file("{c", "");
    assert_eq!(names(&scene, "{HERE}"), [".gitignore", "a"]);
}

#[test]
fn patterns_with_many_asterisks_take_linear_time() {
    let scene = Scene::new();
    scene.file(".gitignore", "*a*a*a*a*a*a*a*a*ab\n".repeat(5_500));
    for at in 0..20 {
        scene.file(&format!("{}{at}", "a".repeat(200)), "");
    }
    assert_eq!(names(&scene, "{HERE}").len(), 21);
}
