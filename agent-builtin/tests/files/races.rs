//! Files and folders that become links while the tools work.

use crate::files::scene::{CANARY, Scene};
use crate::with_timeout::ENDLESS;
use agent_builtin::{FileLimits, list_directory, read_file, write_file};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const DURATION: Duration = Duration::from_millis(1_200);

/// Repeats `act` while another thread repeats `disturb`: for [`DURATION`], and until `act` has had each of
/// the outcomes, because a busy machine may run the threads one after the other.
fn repeat_while(
    mut disturb: impl FnMut() + Send,
    mut act: impl FnMut() -> Outcome,
    outcomes: &[Outcome],
) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                disturb();
            }
        });
        // Ends the thread if `act` panics, too.
        let _over = SetOnDrop(&is_over);
        let start = Instant::now();
        let mut missing = outcomes.to_vec();
        while start.elapsed() < DURATION || !missing.is_empty() {
            assert!(start.elapsed() < ENDLESS, "never {missing:?}");
            let outcome = act();
            missing.retain(|other| *other != outcome);
        }
    });
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Success,
    Error,
}

impl Outcome {
    fn of<T, E>(result: &Result<T, E>) -> Self {
        match result {
            Ok(_) => Self::Success,
            Err(_) => Self::Error,
        }
    }
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Repeats `act` while another thread swaps two names.
fn while_swapped(
    scene: &Scene,
    names: [&str; 2],
    outcomes: &[Outcome],
    act: impl FnMut() -> Outcome,
) {
    let [left, right] = names.map(|name| scene.inside(name));
    let swap = || renameat_with(CWD, &left, CWD, &right, RenameFlags::EXCHANGE).expect("a swap");
    repeat_while(swap, act, outcomes);
}

#[test]
fn does_not_read_a_file_that_becomes_a_link() {
    let scene = Scene::new();
    scene.file("a", "text").link("b", "../outside/canary");
    let path = scene.filled("{IN}/a");
    let outcomes = [Outcome::Success, Outcome::Error];
    while_swapped(&scene, ["a", "b"], &outcomes, || {
        let result = read_file(&path, None, None, &scene.context);
        if let Ok(content) = &result {
            assert_eq!(content.content(), "text");
        }
        Outcome::of(&result)
    });
    scene.assert_untouched();
}

#[test]
fn does_not_read_through_a_folder_that_becomes_a_link() {
    let scene = Scene::new();
    scene.file("dir/canary", "text").link("way", "../outside");
    let path = scene.filled("{IN}/dir/canary");
    while_swapped(&scene, ["dir", "way"], &[Outcome::Success], || {
        let result = read_file(&path, None, None, &scene.context);
        if let Ok(content) = &result {
            assert_ne!(content.content(), CANARY);
        }
        Outcome::of(&result)
    });
    scene.assert_untouched();
}

#[test]
fn does_not_write_through_a_folder_that_becomes_a_link() {
    let scene = Scene::new();
    scene.file("dir/canary", "text").link("way", "../outside");
    let paths =
        ["{IN}/dir/canary", "{IN}/dir/new", "{IN}/dir/deep/er"].map(|path| scene.filled(path));
    let mut count = 0_usize;
    while_swapped(&scene, ["dir", "way"], &[Outcome::Success], || {
        let (append, create) = (count.is_multiple_of(2), count.is_multiple_of(3));
        let path = &paths[count % paths.len()];
        count += 1;
        Outcome::of(&write_file(path, "new", append, create, &scene.context))
    });
    scene.assert_untouched();
}

#[test]
fn does_not_write_through_a_file_that_becomes_a_link() {
    let scene = Scene::new();
    scene.file("a", "text").link("b", "../outside/canary");
    let path = scene.filled("{IN}/a");
    while_swapped(&scene, ["a", "b"], &[Outcome::Success], || {
        Outcome::of(&write_file(&path, "more", true, false, &scene.context))
    });
    scene.assert_untouched();
}

#[test]
fn replaces_the_link_that_a_file_becomes() {
    let scene = Scene::new();
    let path = scene.filled("{IN}/a");
    let (link, file) = (scene.inside("link"), scene.inside("a"));
    let replace_by_link = || {
        let _ = std::os::unix::fs::symlink("../outside/canary", &link);
        let _ = std::fs::rename(&link, &file);
        let _ = std::fs::remove_file(&file);
    };
    let write = || Outcome::of(&write_file(&path, "new", false, false, &scene.context));
    repeat_while(replace_by_link, write, &[Outcome::Success]);
    scene.assert_untouched();
}

#[test]
fn does_not_enter_a_folder_that_becomes_a_link() {
    let scene = Scene::new();
    scene.file("top/dir/text", "").link("way", "../../outside");
    std::fs::rename(scene.inside("way"), scene.inside("top/way")).expect("a link");
    let path = scene.filled("{IN}/top");
    while_swapped(&scene, ["top/dir", "top/way"], &[Outcome::Success], || {
        let listing = list_directory(&path, true, true, &scene.context).expect("a listing");
        let mut names = listing.entries().iter().map(|entry| entry.name());
        assert!(names.all(|name| !name.contains("canary")), "{listing:?}");
        Outcome::Success
    });
    scene.assert_untouched();
}

#[test]
fn does_not_list_a_folder_that_becomes_a_link() {
    let scene = Scene::new();
    scene.file("dir/text", "").link("way", "../outside");
    let path = scene.filled("{IN}/dir");
    while_swapped(&scene, ["dir", "way"], &[Outcome::Success], || {
        let result = list_directory(&path, true, false, &scene.context);
        if let Ok(listing) = &result {
            let names: Vec<&str> = listing.entries().iter().map(|entry| entry.name()).collect();
            assert_eq!(names, ["text"]);
        }
        Outcome::of(&result)
    });
}

#[test]
fn reads_a_growing_file_up_to_the_limit() {
    let scene = Scene::new().with_limits(FileLimits::new().max_file_size(1 << 20));
    scene.file("log", "");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut log = OpenOptions::new()
                .append(true)
                .open(scene.inside("log"))
                .expect("a file");
            for _ in 0..20_000 {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                log.write_all("a line of text\n".repeat(100).as_bytes())
                    .expect("room");
            }
        });
        // Each answer is a whole text or says that it is too large; none waits for the end.
        for _ in 0..200 {
            match scene.read("{HERE}/log") {
                Ok(result) => {
                    let content = result["content"].as_str().expect("text");
                    assert!(content.len() <= 1 << 20);
                    assert_eq!(json!(content.len()), result["size"]);
                }
                Err(error) => assert!(error.to_string().contains("`limit`"), "{error}"),
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
}
