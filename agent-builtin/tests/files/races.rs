//! Links that are swapped in while the tools are at work.

use crate::files::scene::{CANARY, Scene};
use agent_builtin::{FileLimits, list_directory, read_file, write_file};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const DURATION: Duration = Duration::from_millis(1_200);

/// Does something again and again, while another thread swaps two names; says how often.
fn while_swapped(scene: &Scene, names: [&str; 2], mut act: impl FnMut()) -> usize {
    let is_over = AtomicBool::new(false);
    let [left, right] = names.map(|name| scene.inside(name));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, &left, CWD, &right, RenameFlags::EXCHANGE).expect("a swap");
            }
        });
        let began = Instant::now();
        let mut count = 0;
        while began.elapsed() < DURATION {
            act();
            count += 1;
        }
        is_over.store(true, Ordering::Relaxed);
        count
    })
}

#[test]
fn a_file_that_becomes_a_link_is_not_read() {
    let scene = Scene::new();
    scene.file("a", "text").link("b", "../outside/canary");
    let path = scene.filled("{IN}/a");
    let (mut read, mut refused) = (0, 0);
    while_swapped(&scene, ["a", "b"], || {
        match read_file(&path, None, None, &scene.context) {
            Ok(content) => {
                assert_eq!(content.content(), "text");
                read += 1;
            }
            Err(_) => refused += 1,
        }
    });
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
    scene.assert_untouched();
}

#[test]
fn a_folder_that_becomes_a_link_leads_nowhere() {
    let scene = Scene::new();
    scene.file("dir/canary", "text").link("way", "../outside");
    let path = scene.filled("{IN}/dir/canary");
    let mut read = 0;
    while_swapped(&scene, ["dir", "way"], || {
        if let Ok(content) = read_file(&path, None, None, &scene.context) {
            assert_ne!(content.content(), CANARY);
            read += 1;
        }
    });
    assert!(read > 0);
    scene.assert_untouched();
}

#[test]
fn nothing_is_written_through_a_folder_that_becomes_a_link() {
    let scene = Scene::new();
    scene.file("dir/canary", "text").link("way", "../outside");
    let paths =
        ["{IN}/dir/canary", "{IN}/dir/new", "{IN}/dir/deep/er"].map(|path| scene.filled(path));
    let (mut written, mut count) = (0, 0_usize);
    while_swapped(&scene, ["dir", "way"], || {
        let (append, create) = (count % 2 == 0, count % 3 == 0);
        let path = &paths[count % paths.len()];
        let result = write_file(path, "new", append, create, &scene.context);
        written += usize::from(result.is_ok());
        count += 1;
    });
    assert!(written > 0);
    scene.assert_untouched();
}

#[test]
fn nothing_is_written_through_a_file_that_becomes_a_link() {
    let scene = Scene::new();
    scene.file("a", "text").link("b", "../outside/canary");
    let path = scene.filled("{IN}/a");
    let mut written = 0;
    while_swapped(&scene, ["a", "b"], || {
        let result = write_file(&path, "more", true, false, &scene.context);
        written += usize::from(result.is_ok());
    });
    assert!(written > 0);
    scene.assert_untouched();
}

#[test]
fn replacing_a_file_that_becomes_a_link_replaces_the_link() {
    let scene = Scene::new();
    let path = scene.filled("{IN}/a");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (link, file) = (scene.inside("link"), scene.inside("a"));
            while !is_over.load(Ordering::Relaxed) {
                let _ = std::os::unix::fs::symlink("../outside/canary", &link);
                let _ = std::fs::rename(&link, &file);
                let _ = std::fs::remove_file(&file);
            }
        });
        let began = Instant::now();
        let mut written = 0;
        while began.elapsed() < DURATION {
            let result = write_file(&path, "new", false, false, &scene.context);
            written += usize::from(result.is_ok());
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(written > 0);
    });
    scene.assert_untouched();
}

#[test]
fn a_listing_does_not_go_through_a_folder_that_becomes_a_link() {
    let scene = Scene::new();
    scene.file("top/dir/text", "").link("way", "../../outside");
    std::fs::rename(scene.inside("way"), scene.inside("top/way")).expect("a link");
    let path = scene.filled("{IN}/top");
    while_swapped(&scene, ["top/dir", "top/way"], || {
        let listing = list_directory(&path, true, true, &scene.context).expect("a listing");
        let mut names = listing.entries().iter().map(|entry| entry.name());
        assert!(names.all(|name| !name.contains("canary")), "{listing:?}");
    });
    scene.assert_untouched();
}

#[test]
fn a_folder_that_is_asked_for_and_becomes_a_link_is_not_listed() {
    let scene = Scene::new();
    scene.file("dir/text", "").link("way", "../outside");
    let path = scene.filled("{IN}/dir");
    let mut listed = 0;
    while_swapped(&scene, ["dir", "way"], || {
        if let Ok(listing) = list_directory(&path, true, false, &scene.context) {
            let names: Vec<&str> = listing.entries().iter().map(|entry| entry.name()).collect();
            assert_eq!(names, ["text"]);
            listed += 1;
        }
    });
    assert!(listed > 0);
}

#[test]
fn a_file_that_grows_is_read_up_to_the_bound() {
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
