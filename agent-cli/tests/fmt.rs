//! `agent fmt`: files that are written, reported and ignored.

use crate::support;
use crate::support::{CommandOutput, Folder, agent, agent_with};
use serde_json::json;
use std::fs;
use std::path::Path;

const ROUGH: &str = "( a ) --> (b) // why\n";
const SMOOTH: &str = "(a)-->(b) // why\n";
const WRONG: &str = "( a ) -> (b)\n";

fn read(path: &str) -> String {
    fs::read_to_string(path).expect("the file can be read")
}

/// Returns the names of the files in a folder, including hidden ones.
fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect("the folder can be read");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn writes_only_changed_files() {
    let folder = Folder::new();
    let rough = folder.file("rough.gram", ROUGH);
    let smooth = folder.file("smooth.gram", SMOOTH);
    let before = fs::metadata(&smooth).unwrap().modified().unwrap();
    let ended = agent(&["fmt", &rough, &smooth]).expect(0);
    assert_eq!(ended.stdout, "");
    assert_eq!(ended.stderr, format!("{rough}: formatted\n"));
    assert_eq!(read(&rough), SMOOTH);
    assert_eq!(read(&smooth), SMOOTH);
    assert_eq!(fs::metadata(&smooth).unwrap().modified().unwrap(), before);
    assert_eq!(names(&folder), ["rough.gram", "smooth.gram"]);
    let ended = agent(&["fmt", &rough, &smooth]).expect(0);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
}

#[test]
fn formats_standard_input_to_standard_output() {
    for (source, formatted) in [
        (ROUGH, SMOOTH),
        (SMOOTH, SMOOTH),
        ("", ""),
        ("\u{feff}(a)\r\n", "(a)\n"),
    ] {
        let ended = agent_with(&["fmt", "-"], source).expect(0);
        assert_eq!(ended.stdout, formatted);
        assert_eq!(ended.stderr, "");
    }
    let ended = agent_with(&["fmt", "-"], WRONG).expect(1);
    assert_eq!(ended.stdout, "");
    assert!(
        ended.stderr.contains("<stdin>: 1 error"),
        "{}",
        ended.stderr
    );
}

#[test]
fn check_names_files_that_would_change() {
    let folder = Folder::new();
    let rough = folder.file("rough.gram", ROUGH);
    let smooth = folder.file("smooth.gram", SMOOTH);
    let ended = agent(&["fmt", "--check", &rough, &smooth]).expect(1);
    assert_eq!(ended.stdout, format!("{rough}\n"));
    assert_eq!(ended.stderr, "");
    assert_eq!(read(&rough), ROUGH);
    agent(&["fmt", "--check", &smooth]).expect(0);
    let ended = agent_with(&["fmt", "--check", "-"], ROUGH).expect(1);
    assert_eq!(ended.stdout, "<stdin>\n");
    let ended = agent_with(&["fmt", "--check", "-"], SMOOTH).expect(0);
    assert_eq!(ended.stdout, "");
    // The byte order mark is removed, and CRLF becomes LF.
    for text in ["\u{feff}(a)\n", "(a)\r\n", "(a)"] {
        agent_with(&["fmt", "--check", "-"], text).expect(1);
    }
}

#[test]
fn a_diff_in_a_pipe_has_the_bytes_of_the_document_for_patch() {
    let folder = Folder::new();
    let rough = folder.file("rough.gram", "( a ) // \u{202e}\u{9b}\u{200b}\n");
    let ended = agent(&["fmt", "--diff", &rough]).expect(0);
    let lines: Vec<&str> = ended.stdout.lines().skip(3).collect();
    let expected = [
        "-( a ) // \u{202e}\u{9b}\u{200b}",
        "+(a) // \u{202e}\u{9b}\u{200b}",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn diff_shows_the_changes() {
    let folder = Folder::new();
    let rough = folder.file("rough.gram", ROUGH);
    let diff = format!(
        "--- {rough}\n+++ {rough}\n@@ -1 +1 @@\n-( a ) --> (b) // why\n+(a)-->(b) // why\n"
    );
    let ended = agent(&["fmt", "--diff", &rough]).expect(0);
    assert_eq!(ended.stdout, diff);
    let ended = agent(&["fmt", "--diff", "--check", &rough]).expect(1);
    assert_eq!(ended.stdout, diff);
    assert_eq!(read(&rough), ROUGH);
    let ended = agent_with(&["fmt", "--diff", "--check", "-"], SMOOTH).expect(0);
    assert_eq!(ended.stdout, "");
}

#[test]
fn leaves_files_with_errors_and_formats_the_others() {
    let folder = Folder::new();
    let wrong = folder.file("wrong.gram", WRONG);
    let rough = folder.file("rough.gram", ROUGH);
    let ended = agent(&["fmt", &wrong, &rough]).expect(1);
    assert_eq!(ended.stdout, "");
    for part in [
        "error[gram::bad-arrow]: found `->`, expected an arrow",
        "wrong.gram:1:7",
        "wrong.gram: 1 error\n",
        "rough.gram: formatted\n",
        "run `agent explain bad-arrow`\n",
    ] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
    assert_eq!(read(&wrong), WRONG);
    assert_eq!(read(&rough), SMOOTH);
    let ended = agent(&["fmt", &wrong, "--format", "short"]).expect(1);
    assert_eq!(
        ended.stdout,
        format!("{wrong}:1:7: gram::bad-arrow: found `->`, expected an arrow\n")
    );
    assert_eq!(ended.stderr, "");
}

#[test]
fn json_output_is_exact() {
    let folder = Folder::new();
    let rough = folder.file("rough.gram", ROUGH);
    let wrong = folder.file("wrong.gram", WRONG);
    let ended = agent_with(&["fmt", "--format=json", &rough, &wrong, "-"], "( a )").expect(1);
    assert_eq!(
        ended.json(),
        json!({
            "files": [
                {"file": rough, "changed": true},
                {"file": "-", "changed": true, "text": "(a)\n"},
            ],
            "diagnostics": [{
                "code": "gram::bad-arrow",
                "severity": "error",
                "message": "found `->`, expected an arrow",
                "file": wrong,
                "line": 1, "column": 7, "endLine": 1, "endColumn": 9,
                "help": "write `-->`",
            }],
        })
    );
    assert_eq!(ended.stderr, "");
    assert_eq!(read(&rough), SMOOTH);
    let ended = agent_with(&["fmt", "--format=json", "--diff", "-"], "( a )\n").expect(0);
    assert_eq!(
        ended.json(),
        json!({
            "files": [{
                "file": "-",
                "changed": true,
                "diff": "--- <stdin>\n+++ <stdin>\n@@ -1 +1 @@\n-( a )\n+(a)\n",
            }],
            "diagnostics": [],
        })
    );
    let ended = agent_with(&["fmt", "--format=json", "--check", "-"], "(a)\n").expect(0);
    assert_eq!(
        ended.json(),
        json!({"files": [{"file": "-", "changed": false}], "diagnostics": []})
    );
}

/// Creates a folder with files in folders.
fn tree(files: &[&str]) -> Folder {
    let folder = Folder::new();
    for file in files {
        let path = Path::new(&folder.path()).join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        folder.file(file, ROUGH);
    }
    folder
}

/// Returns the files that `--check` names, without the folder.
fn found(folder: &Folder, paths: &[&str]) -> Vec<String> {
    let mut args = vec!["fmt", "--check"];
    args.extend(paths);
    let ended = agent(&args).expect(1);
    let lines = ended.stdout.lines();
    let prefix = format!("{}/", folder.path());
    lines.map(|line| line.replace(&prefix, "")).collect()
}

#[test]
fn searches_directories_for_gram_files() {
    let folder = tree(&[
        "b.gram",
        "a.gram",
        "sub/deep/c.gram",
        "dir.gram/d.gram",
        "notes.txt",
        "gram",
        ".hidden.gram",
        ".git/e.gram",
        "target/f.gram",
        "sub/skipped.gram",
    ]);
    folder.file(".gitignore", "target/\n");
    folder.file("sub/.gitignore", "skipped*\n");
    // The ignore files of other tools have no effect.
    folder.file(".ignore", "a.gram\n");
    let path = folder.path();
    assert_eq!(
        found(&folder, &[&path]),
        ["a.gram", "b.gram", "dir.gram/d.gram", "sub/deep/c.gram"]
    );
    // A file that is given itself is formatted under any name.
    for named in [".hidden.gram", "target/f.gram", "notes.txt"] {
        assert_eq!(found(&folder, &[&format!("{path}/{named}")]), [named]);
    }
    let ended = agent(&["fmt", &path]).expect(0);
    assert_eq!(ended.stderr.lines().count(), 4, "{}", ended.stderr);
    assert_eq!(read(&format!("{path}/sub/deep/c.gram")), SMOOTH);
    assert_eq!(read(&format!("{path}/target/f.gram")), ROUGH);
}

#[test]
fn leaves_out_what_each_file_with_patterns_of_git_excludes() {
    let folder = tree(&[
        "home/x",
        "project/.git/info/x",
        "project/a.gram",
        "project/all.gram",
        "project/excluded.gram",
        "project/log.gram",
        "project/sub/a.gram",
        "project/sub/kept.gram",
        "project/sub/log.gram",
        "project/inner/.git/x",
        "project/inner/a.gram",
        "project/inner/all.gram",
        "project/inner/log.gram",
        "trees/further/info/x",
        "project/linked/log.gram",
        "project/linked/elsewhere.gram",
    ]);
    let path = folder.path();
    folder.file("home/.gitconfig", "[core]\n  excludesFile = ~/patterns\n");
    folder.file("home/patterns", "all.gram\n/sub/a.gram\n");
    folder.file(".gitignore", "a.gram\n");
    folder.file("project/.git/info/exclude", "excluded.gram\n!/kept.gram\n");
    folder.file("project/.gitignore", "\u{feff}log.gram\r\n**/kept.gram\n");
    folder.file("project/sub/.gitignore", "!kept.gram\n");
    // A further work tree, whose repository is elsewhere.
    folder.file(
        "project/linked/.git",
        format!("gitdir: {path}/trees/further\n"),
    );
    folder.file("trees/further/commondir", "../common\n");
    fs::create_dir_all(format!("{path}/trees/common/info")).unwrap();
    folder.file("trees/common/info/exclude", "elsewhere.gram\n");
    let found = |folder: &str, environment: &[(&str, &str)]| {
        let mut command = support::command(&["fmt", "--check", folder]);
        command.env("HOME", format!("{path}/home"));
        command.envs(environment.iter().copied());
        let ended = CommandOutput::of(command.output().expect("the command starts")).expect(1);
        let prefix = format!("{path}/project/");
        let lines = ended.stdout.lines();
        let lines = lines.map(|line| line.replace(&prefix, ""));
        lines.collect::<Vec<String>>()
    };
    // In a repository, the patterns around it do not apply.
    let all = [
        "a.gram",
        "inner/a.gram",
        "inner/log.gram",
        "linked/log.gram",
        "sub/kept.gram",
    ];
    assert_eq!(found(&format!("{path}/project"), &[]), all);
    assert_eq!(
        found(&format!("{path}/project/sub"), &[]),
        ["sub/kept.gram"]
    );
    // Without patterns of the user.
    assert_eq!(
        found(&format!("{path}/project/inner"), &[("HOME", &path)]),
        ["inner/a.gram", "inner/all.gram", "inner/log.gram"]
    );
}

#[cfg(unix)]
#[test]
fn the_errors_of_folders_have_a_bound() {
    let folder = tree(&["a.gram"]);
    for at in 0..150 {
        let path = format!("{}/{at}", folder.path());
        fs::create_dir(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", format!("{path}/.gitignore")).unwrap();
    }
    let ended = agent(&["fmt", "--check", &folder.path()]).expect(2);
    assert_eq!(ended.stderr.lines().count(), 101, "{}", ended.stderr);
    let last = "\nerror: 50 more errors\n";
    assert!(ended.stderr.ends_with(last), "{}", ended.stderr);
    assert!(ended.stdout.contains("a.gram"), "{}", ended.stdout);
}

#[test]
fn formats_a_file_that_is_given_twice_once() {
    let folder = tree(&["a.gram", "sub/b.gram"]);
    let path = folder.path();
    let again = format!("{path}/sub/../a.gram");
    let file = format!("{path}/a.gram");
    assert_eq!(
        found(&folder, &[&file, &again, &path, &file]),
        ["a.gram", "sub/b.gram"]
    );
}

#[test]
fn searches_a_directory_that_is_given_twice_once() {
    let folder = Folder::new();
    let empty = format!("{}/empty", folder.path());
    fs::create_dir(&empty).unwrap();
    let again = format!("{empty}/../empty");
    let ended = agent(&["fmt", &empty, &again]).expect(2);
    let found = ended.stderr.matches("there is no `*.gram` file in").count();
    assert_eq!(found, 1, "{}", ended.stderr);
}

#[test]
fn reports_unreadable_files_and_formats_the_rest() {
    let folder = Folder::new();
    let rough = folder.file("rough.gram", ROUGH);
    let latin = folder.file("latin.gram", b"(a) // \xe9\n");
    let missing = format!("{}/missing.gram", folder.path());
    let empty = format!("{}/empty", folder.path());
    fs::create_dir(&empty).unwrap();
    let ended = agent(&["fmt", &missing, &latin, &empty, &rough]).expect(2);
    for part in [
        format!("error: cannot read `{missing}`: there is no such file\n"),
        format!("error: cannot read `{latin}`: it is not UTF-8 text: byte 0xe9 at offset 7"),
        format!("error: there is no `*.gram` file in `{empty}`"),
        format!("{rough}: formatted\n"),
    ] {
        assert!(ended.stderr.contains(&part), "{part}: {}", ended.stderr);
    }
    assert_eq!(read(&rough), SMOOTH);
    assert_eq!(fs::read(&latin).unwrap(), b"(a) // \xe9\n");
}

#[test]
fn examples_are_formatted() {
    agent(&["fmt", "--check", "."]).expect(0);
}

#[test]
fn rejects_wrong_usage() {
    agent(&["fmt"]).expect(2);
    let ended = agent_with(&["fmt", "-", "-"], ROUGH).expect(2);
    assert!(ended.stderr.contains("only once"), "{}", ended.stderr);
}

#[test]
fn does_not_change_a_read_only_file() {
    let folder = Folder::new();
    let rough = folder.file("rough.gram", ROUGH);
    let mut permissions = fs::metadata(&rough).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&rough, permissions).unwrap();
    let ended = agent(&["fmt", &rough]).expect(2);
    assert_eq!(
        ended.stderr,
        format!("error: cannot write `{rough}`: it is read-only\n")
    );
    assert_eq!(read(&rough), ROUGH);
    assert_eq!(names(&folder), ["rough.gram"]);
    agent(&["fmt", "--check", &rough]).expect(1);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use rustix::fs::{CWD, Mode, mkfifoat};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    #[test]
    fn keeps_permissions() {
        let folder = Folder::new();
        let rough = folder.file("rough.gram", ROUGH);
        for mode in [0o600, 0o640, 0o755] {
            fs::write(&rough, ROUGH).unwrap();
            fs::set_permissions(&rough, fs::Permissions::from_mode(mode)).unwrap();
            agent(&["fmt", &rough]).expect(0);
            assert_eq!(read(&rough), SMOOTH);
            let found = fs::metadata(&rough).unwrap().permissions().mode();
            assert_eq!(found & 0o777, mode);
        }
    }

    #[test]
    fn keeps_the_owner_and_the_group() {
        let folder = Folder::new();
        let rough = folder.file("rough.gram", ROUGH);
        // Only root may give a file away.
        let other = chown(&rough, Some(12345), Some(23456)).is_ok();
        let before = fs::metadata(&rough).unwrap();
        agent(&["fmt", &rough]).expect(0);
        let after = fs::metadata(&rough).unwrap();
        assert_eq!(read(&rough), SMOOTH);
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert!(!other || after.uid() == 12345);
    }

    #[test]
    fn formats_the_target_of_a_link() {
        let folder = Folder::new();
        let other = Folder::new();
        let rough = other.file("rough.gram", ROUGH);
        let link = format!("{}/link.gram", folder.path());
        symlink(&rough, &link).unwrap();
        agent(&["fmt", &link]).expect(0);
        assert_eq!(read(&rough), SMOOTH);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(&folder), ["link.gram"]);
        assert_eq!(names(&other), ["rough.gram"]);
    }

    #[test]
    fn ignores_links_in_directories() {
        let folder = tree(&["a.gram", "sub/b.gram"]);
        let other = tree(&["c.gram"]);
        let path = folder.path();
        symlink(format!("{}/c.gram", other.path()), format!("{path}/l.gram")).unwrap();
        symlink("nowhere", format!("{path}/broken.gram")).unwrap();
        symlink("..", format!("{path}/sub/loop")).unwrap();
        assert_eq!(found(&folder, &[&path]), ["a.gram", "sub/b.gram"]);
        let ended = agent(&["fmt", &format!("{path}/broken.gram")]).expect(2);
        assert!(ended.stderr.contains("no such file"), "{}", ended.stderr);
    }

    #[test]
    fn leaves_out_folders_whose_patterns_are_a_pipe_or_a_device() {
        let folder = tree(&[
            "good/a.gram",
            "zero/b.gram",
            "info/.git/info/x",
            "info/c.gram",
        ]);
        let path = folder.path();
        symlink("/dev/zero", format!("{path}/zero/.gitignore")).unwrap();
        symlink("/dev/zero", format!("{path}/info/.git/info/exclude")).unwrap();
        fs::create_dir(format!("{path}/pipe")).unwrap();
        let pipe = format!("{path}/pipe/.gitignore");
        mkfifoat(CWD, &pipe, Mode::RUSR).expect("a pipe");
        // As git does, a folder of that name and a broken link are left out.
        fs::create_dir(format!("{path}/.gitignore")).unwrap();
        symlink("nowhere", format!("{path}/good/.gitignore")).unwrap();
        let ended = agent(&["fmt", "--check", &path]).expect(2);
        assert_eq!(ended.stdout, format!("{path}/good/a.gram\n"));
        for (file, kind) in [
            ("zero/.gitignore", "a device"),
            ("pipe/.gitignore", "a pipe"),
            ("info/.git/info/exclude", "a device"),
        ] {
            let error = format!(
                "error: cannot read `{path}/{file}`: it is {kind}, and only ordinary files are read\n"
            );
            assert!(ended.stderr.contains(&error), "{error}: {}", ended.stderr);
        }
    }

    #[test]
    fn does_not_replace_pipes_and_devices() {
        let ended = support::agent_with(&["fmt", "/dev/stdin"], ROUGH).expect(2);
        assert!(ended.stderr.contains("it is a pipe"), "{}", ended.stderr);
    }
}
