//! Tags of enums: what the schema refuses because of one is not read.

use super::{Schemas, call, types};
use agent_runtime::Tool;
use agent_runtime::serde_json::{Value, json};

fn check(tool: &dyn Tool, tag: &str, good: &[Value]) {
    let schemas = Schemas::of(tool);
    for good in good {
        let arguments = json!({"value": good});
        assert!(schemas.strict.is_valid(&arguments), "{arguments}");
        assert!(call(tool, &arguments).is_ok(), "{arguments}");
        let mut without = arguments.clone();
        without["value"]
            .as_object_mut()
            .expect("it is a record")
            .remove(tag);
        let wrong = [
            json!("unheard-of"),
            json!(""),
            json!(1),
            json!(null),
            json!(["a"]),
        ];
        let wrong = wrong.map(|wrong| {
            let mut arguments = arguments.clone();
            arguments["value"][tag] = wrong;
            arguments
        });
        for arguments in wrong.iter().chain([&without]) {
            assert!(!schemas.strict.is_valid(arguments), "{arguments}");
            assert!(!schemas.arguments.is_valid(arguments), "{arguments}");
            let error = call(tool, arguments).expect_err("the tag is wrong");
            assert!(error.contains(tag), "{arguments}: {error}");
        }
    }
}

#[test]
fn a_tag_that_is_missing_or_unknown_is_not_read() {
    let internal = [
        json!({"kind": "circle", "radius": 1.5}),
        json!({"kind": "square", "side": 2.0, "name": "a"}),
        json!({"kind": "nothing"}),
    ];
    check(&types::internal {}, "kind", &internal);
    let adjacent = [
        json!({"t": "Circle", "c": {"radius": 1.5}}),
        json!({"t": "Square", "c": {"side": 2.0, "radius": 1.0}}),
        json!({"t": "Nothing"}),
    ];
    check(&types::adjacent {}, "t", &adjacent);
    check(&types::same {}, "t", &[json!({"t": "A", "c": 3})]);
}
