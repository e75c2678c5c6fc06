//! Contents and files that are too large.

use crate::files::refused_calls::refused;
use crate::files::scene::{Scene, error};
use agent_builtin::{read_file, write_file};
use serde_json::json;
use std::fs::File;
use std::time::{Duration, Instant};

#[test]
fn refuses_very_large_contents() {
    let scene = Scene::new();
    let content = "c".repeat(50_000_000);
    for append in [false, true] {
        let arguments = json!({"path": "{IN}/big", "content": content, "append": append});
        assert_eq!(
            error(&scene, scene.call(&write_file {}, &arguments)),
            "validation: `content` has 50000000 bytes, and the maximum is 16777216; write the rest with \
            `append`"
        );
    }
    assert!(!scene.inside("big").exists());
    let file = File::create(scene.inside("sparse")).expect("a file");
    file.set_len(50_000_000).expect("a hole");
    refused(
        &scene,
        &[(
            "r",
            "{IN}/sparse",
            "cannot it has 50000000 bytes, and the maximum is 16777216; read some of its lines with \
            `offset` and `limit`",
        )],
    );
    // Without a line end, the line is as long as the file.
    for arguments in [
        json!({"path": "{IN}/sparse", "limit": 1}),
        json!({"path": "{IN}/sparse", "offset": 1}),
    ] {
        let found = error(&scene, scene.call(&read_file {}, &arguments));
        assert_eq!(
            found,
            "execution: `{IN}/sparse` cannot be read: line 1 alone has more than 16777216 bytes, the \
            maximum of a call"
        );
    }
    let arguments = json!({"path": "{IN}/sparse", "offset": u64::MAX});
    let found = error(&scene, scene.call(&read_file {}, &arguments));
    assert!(
        found.contains("it has 1 lines") || found.starts_with("validation"),
        "{found}"
    );
}

#[test]
fn stops_a_search_at_the_deadline() {
    let mut scene = Scene::new();
    let file = File::create(scene.inside("hole")).expect("a file");
    file.set_len(1 << 43).expect("a hole");
    let deadline = Instant::now() + Duration::from_millis(300);
    scene.context = scene.context.clone().with_deadline(deadline);
    let result = scene.call(&read_file {}, &json!({"path": "{IN}/hole", "offset": 2}));
    assert_eq!(
        error(&scene, result),
        "timeout: the call took too long and was stopped"
    );
}
