//! Attacks by a model, each with the error that it must get. Nothing outside of the folder is read or
//! written: the canary is checked after each attack.

use crate::files::refused_calls::{arguments, refused, tool};
use crate::files::scene::{Scene, error};
use crate::files::special_files;
use serde_json::json;
use std::os::unix::net::UnixListener;

const OUTSIDE: &str = "outside ";
const PARENT: &str = "outside , a path with `..`";
const LINK: &str = "outside , where a link leads elsewhere";
const NOT_FOUND: &str = "execution: File not found: {PATH}";
const NO_DIRECTORY: &str = "execution: Directory not found: {PATH}";
const NO_FOLDER: &str = "cannot its folder does not exist; set `createParents` to create it";

#[test]
fn refuses_paths_outside_the_folder() {
    let scene = Scene::new();
    scene.file("a.txt", "text").file("dir/inner.txt", "text");
    refused(
        &scene,
        &[
            ("rwapl", "..", PARENT),
            ("rwapl", "../outside/canary", PARENT),
            ("rwapl", "{HERE}/../outside/canary", PARENT),
            ("rwapl", "{IN}/../outside/canary", PARENT),
            ("rwapl", "{IN}/dir/../../outside/canary", PARENT),
            ("rwapl", "{IN}//..//outside/canary", PARENT),
            ("rwapl", "{IN}/./.././outside/canary", PARENT),
            ("rwapl", "{IN}/nowhere/../../outside/canary", PARENT),
            ("rwapl", "{IN}/dir/../a.txt", PARENT),
            ("rwapl", "{IN}/..", PARENT),
            ("rwapl", "{IN}/../", PARENT),
            ("rwapl", "/../../../../etc/passwd", PARENT),
            ("rwapl", "../../../../../../../../etc/passwd", PARENT),
            ("rwapl", "{OUT}/canary", OUTSIDE),
            ("rwapl", "{NAME}/outside/canary", OUTSIDE),
            ("rwapl", "{OUT}", OUTSIDE),
            ("rwapl", "/etc/passwd", OUTSIDE),
            ("rwapl", "//etc/passwd", OUTSIDE),
            ("rwapl", "///etc///passwd", OUTSIDE),
            ("rwapl", "/", OUTSIDE),
            ("rwapl", "//", OUTSIDE),
            ("rwapl", ".", OUTSIDE),
            ("rwapl", "/proc/self/environ", OUTSIDE),
            ("rwapl", "/proc/self/root/etc/passwd", OUTSIDE),
            ("rwapl", "/proc/self/cwd", OUTSIDE),
            ("rwapl", "/proc/self/fd/0", OUTSIDE),
            ("rwapl", "/dev/stdin", OUTSIDE),
            ("rwapl", "/dev/tty", OUTSIDE),
            ("rwapl", "/dev/zero", OUTSIDE),
            ("rwapl", "{IN}x", OUTSIDE),
            ("rwapl", "{IN}.", OUTSIDE),
            ("rwapl", "~", OUTSIDE),
            ("rwapl", "~root/.ssh/id_rsa", OUTSIDE),
            ("rwapl", "$HOME/.ssh/id_rsa", OUTSIDE),
            ("rwapl", "file:///etc/passwd", OUTSIDE),
            ("rwapl", "C:\\Windows\\win.ini", OUTSIDE),
            ("rwapl", "\\\\server\\share", OUTSIDE),
            ("rwapl", "\\..\\..\\etc\\passwd", OUTSIDE),
        ],
    );
}

#[test]
fn takes_special_characters_in_paths_literally() {
    let scene = Scene::new();
    scene.file("a.txt", "text");
    refused(
        &scene,
        &[
            ("r", "{IN}/%2e%2e/outside/canary", NOT_FOUND),
            ("wa", "{IN}/%2e%2e/outside/canary", NO_FOLDER),
            ("l", "{IN}/%2e%2e", NO_DIRECTORY),
            ("r", "{IN}/..%2foutside%2fcanary", NOT_FOUND),
            ("r", "{IN}/..\\outside\\canary", NOT_FOUND),
            ("r", "{IN}/.../outside/canary", NOT_FOUND),
            ("wa", "{IN}/.../outside/canary", NO_FOLDER),
            ("r", "{IN}/.. /outside/canary", NOT_FOUND),
            ("r", "{IN}/\u{ff0e}\u{ff0e}/outside/canary", NOT_FOUND),
            ("r", "{IN}/\u{2024}\u{2024}/outside/canary", NOT_FOUND),
            ("r", "{IN}/..\u{2215}outside/canary", NOT_FOUND),
            ("r", "{IN}/..;/outside/canary", NOT_FOUND),
            ("r", "{IN}/$(cat ../outside/canary", NOT_FOUND),
            ("r", "{IN}/`id`", NOT_FOUND),
            ("r", "{IN}/*", NOT_FOUND),
            ("r", "{IN}/A.TXT", NOT_FOUND),
            ("r", "{IN}/a.txt ", NOT_FOUND),
            ("r", " {IN}/a.txt", "outside "),
            ("r", "{IN}/a.txt::$DATA", NOT_FOUND),
            ("r", "{IN}/CON", NOT_FOUND),
            ("r", "{IN}/nul.txt", NOT_FOUND),
            ("r", "{IN}/COM1", NOT_FOUND),
            ("r", "{IN}/-rf", NOT_FOUND),
            ("l", "{IN}/--help", NO_DIRECTORY),
            ("r", "{IN}/\u{202e}txt.a", NOT_FOUND),
            ("r", "{IN}/a.txt\u{feff}", NOT_FOUND),
            ("r", "{IN}/\r\n", NOT_FOUND),
        ],
    );
}

#[test]
fn refuses_invalid_paths() {
    let scene = Scene::new();
    scene.file("a.txt", "text");
    let empty = "validation: the path is empty; `.` is the current folder";
    let nul = "validation: a path has no NUL characters";
    let long = "cannot a name in it is too long";
    refused(
        &scene,
        &[
            ("rwapl", "", empty),
            ("rwapl", "\0", nul),
            ("rwapl", "{IN}/a.txt\0", nul),
            ("rwapl", "{IN}/a.txt\0.png", nul),
            ("rwapl", "/etc/passwd\0{IN}/a.txt", nul),
            ("rwal", "{IN}/{LONG}", long),
            ("rwapl", "{IN}/{LONG}/a.txt", long),
        ],
    );
    let path = scene.filled("{HUGE}");
    for letter in "rwapl".chars() {
        let found = error(&scene, scene.call(tool(letter), &arguments(letter, &path)));
        assert_eq!(
            found,
            "validation: the path is 8000 bytes long; at most 4096 are possible"
        );
    }
    for path in [
        json!(null),
        json!(7),
        json!(["a.txt"]),
        json!({"path": "a.txt"}),
        json!(true),
    ] {
        for letter in "rwapl".chars() {
            let mut arguments = arguments(letter, "");
            arguments["path"] = path.clone();
            let found = error(&scene, scene.call(tool(letter), &arguments));
            assert!(
                found.starts_with("validation: "),
                "{letter} {path}: {found}"
            );
        }
    }
}

#[test]
fn refuses_links_that_lead_out_of_the_folder() {
    let scene = Scene::new();
    scene.file("a.txt", "text").file("dir/inner.txt", "text");
    scene
        .link("out", "../outside/canary")
        .link("out_absolute", scene.outside("canary"));
    scene
        .link("out_new", "../outside/new")
        .link("out_dir", "../outside");
    scene
        .link("out_dir_absolute", scene.outside(""))
        .link("up", "..")
        .link("root", "/");
    scene
        .link("passwd", "/etc/passwd")
        .link("environ", "/proc/self/environ");
    scene
        .link("fds", "/proc/self/fd")
        .link("null", "/dev/null")
        .link("back", scene.inside("a.txt"));
    scene
        .link("chain", "chain_2")
        .link("chain_2", "dir/chain_3")
        .link("dir/chain_3", "../out");
    scene
        .link("round", "../inside/a.txt")
        .link("dir/far", "../../../../../../../../etc/passwd");
    refused(
        &scene,
        &[
            ("rwapl", "{IN}/out", LINK),
            ("rwapl", "{IN}/out_absolute", LINK),
            ("rwapl", "{IN}/out_new", LINK),
            ("rl", "{IN}/out_dir", LINK),
            ("rwapl", "{IN}/out_dir/canary", LINK),
            ("rwapl", "{IN}/out_dir/new", LINK),
            ("rwapl", "{IN}/out_dir/new/er", LINK),
            ("rwapl", "{IN}/out_dir_absolute/canary", LINK),
            ("rwapl", "{IN}/up/outside/canary", LINK),
            ("rwapl", "{IN}/up/inside/a.txt", LINK),
            ("rwapl", "{IN}/root/etc/passwd", LINK),
            ("rwapl", "{IN}/passwd", LINK),
            ("rwapl", "{IN}/environ", LINK),
            ("rwapl", "{IN}/fds/0", LINK),
            ("rwapl", "{IN}/null", LINK),
            ("rwapl", "{IN}/back", LINK),
            ("rwapl", "{IN}/chain", LINK),
            ("rwapl", "{IN}/round", LINK),
            ("rwapl", "{IN}/dir/far", LINK),
        ],
    );
}

#[test]
fn refuses_broken_links_and_writing_through_links() {
    let scene = Scene::new();
    scene.file("a.txt", "text").file("dir/inner.txt", "text");
    scene
        .link("link", "a.txt")
        .link("nowhere", "missing")
        .link("self", "self");
    scene
        .link("ping", "pong")
        .link("pong", "ping")
        .link("dir/again", ".")
        .link("dir_link", "dir");
    let link = "cannot it is a link; name the file that it leads to";
    let circle = "cannot its links form a cycle, or lead to a file that a process has open";
    refused(
        &scene,
        &[
            ("wap", "{IN}/link", link),
            ("wap", "{IN}/nowhere", link),
            ("wap", "{IN}/dir_link", link),
            ("wap", "{IN}/self", link),
            ("r", "{IN}/nowhere", NOT_FOUND),
            ("l", "{IN}/nowhere", NO_DIRECTORY),
            ("rl", "{IN}/self", circle),
            ("rwapl", "{IN}/ping/a.txt", circle),
            ("r", "{IN}/dir/again/again/again", "cannot it is a folder"),
        ],
    );
    assert_eq!(scene.content("a.txt"), "text");
    // A folder with a link to itself is listed, and the link is not followed.
    let names = scene.names(&json!({"path": "{IN}/dir", "recursive": true}));
    assert_eq!(names, ["again", "inner.txt"]);
    let circle = vec!["again"; 60].join("/");
    error(
        &scene,
        scene.read(&format!("{{IN}}/dir/{circle}/inner.txt")),
    );
}

#[test]
fn refuses_files_that_are_not_regular() {
    let scene = Scene::new();
    scene.file("a.txt", "text").file("dir/inner.txt", "text");
    special_files::pipe(&scene.inside("pipe"));
    let _listener = UnixListener::bind(scene.inside("socket")).expect("a socket");
    scene.link("pipe_link", "pipe");
    let (pipe, socket) = (
        "cannot it is a pipe and not a regular file",
        "cannot it is a socket and not a regular file",
    );
    let (folder, path) = (
        "cannot it is a folder",
        "cannot its path is that of a folder",
    );
    refused(
        &scene,
        &[
            ("rwap", "{IN}/pipe", pipe),
            ("r", "{IN}/pipe_link", pipe),
            ("l", "{IN}/pipe", "cannot it is not a directory"),
            (
                "wap",
                "{IN}/pipe/a.txt",
                "cannot a part of its path is not a folder",
            ),
            ("rwap", "{IN}/socket", socket),
            ("l", "{IN}/socket", "cannot it is not a directory"),
            ("rwap", "{IN}/dir", folder),
            ("rwap", "{IN}", folder),
            ("rwap", "{IN}/", path),
            ("rwap", "{IN}/dir/", path),
            ("rwap", "{IN}/a.txt/", path),
            ("rwap", "{IN}/.", folder),
            ("rwap", "{HERE}", folder),
            ("l", "{IN}/a.txt", "cannot it is not a directory"),
            ("l", "{IN}/a.txt/", "cannot it is not a directory"),
            (
                "rwap",
                "{IN}/a.txt/new",
                "cannot a part of its path is not a folder",
            ),
            ("l", "{IN}/a.txt/new", "cannot it is not a directory"),
            ("r", "{IN}/missing", NOT_FOUND),
            ("r", "{IN}/missing/a.txt", NOT_FOUND),
            ("l", "{IN}/missing", NO_DIRECTORY),
            ("wa", "{IN}/missing/a.txt", NO_FOLDER),
        ],
    );
    if special_files::endless(&scene.inside("zero")) {
        let device = "cannot it is a device and not a regular file";
        refused(&scene, &[("rwap", "{IN}/zero", device)]);
    }
}
