//! Virtual file systems and devices, with everything granted.

use crate::files::refused_calls::{arguments, tool};
use crate::files::scene::{Scene, error};
use agent_builtin::FileLimits;
use agent_runtime::Grants;
use serde_json::json;
use std::fs;

#[test]
fn refuses_virtual_file_systems_and_devices() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let everything = Grants::new().read("/").write("/");
    let scene = Scene::new().with_grants(&everything);
    let refusal = "it is on a virtual file system such as /proc";
    for (letters, path) in [
        ("r", "/proc/self/environ"),
        ("r", "/proc/self/status"),
        ("r", "/proc/1/cmdline"),
        ("r", "/proc/version"),
        ("r", "/proc/self/mem"),
        ("wa", "/proc/self/comm"),
        ("wa", "/proc/self/oom_score_adj"),
        ("wa", "/proc/new"),
        ("l", "/proc"),
        ("l", "/proc/self/task"),
        ("l", "/sys"),
        ("wap", "/sys/new"),
        ("p", "/sys/fs/new/folder/file"),
        ("p", "/proc/new/file"),
    ] {
        for letter in letters.chars() {
            let found = error(&scene, scene.call(tool(letter), &arguments(letter, path)));
            assert!(
                found.contains(refusal) || found.contains("link"),
                "{letter} {path}: {found}"
            );
        }
    }
    let magic = "links form a cycle, or lead to a file that a process has open";
    let device = "it is a device and not a regular file";
    for (letters, path, expected) in [
        ("rwap", "/dev/zero", device),
        ("rwap", "/dev/null", device),
        ("rwap", "/dev/full", device),
        ("rwap", "/dev/random", device),
        ("rwap", "/dev/tty", device),
        ("rwapl", "/dev/fd/0", "a link leads elsewhere"),
        ("rwap", "/dev/stdin", "a link leads elsewhere"),
        ("rwapl", "/proc/self/root/etc/passwd", magic),
        ("rwapl", "/proc/self/cwd/x", magic),
        ("r", "/proc/self/exe", magic),
    ] {
        if fs::symlink_metadata(path).is_err() && !path.starts_with("/proc/self") {
            continue;
        }
        for letter in letters.chars() {
            let found = error(&scene, scene.call(tool(letter), &arguments(letter, path)));
            assert!(found.contains(expected), "{letter} {path}: {found}");
        }
    }
    // A listing does not enter them, and is truncated.
    let scene = scene.with_limits(FileLimits::new().max_entries(usize::MAX));
    let listing = scene.list(&json!({"path": "/"}));
    assert_eq!(listing["truncated"], false);
}
