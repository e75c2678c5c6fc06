//! Types that somebody stated, and types that have a schema of their own.

use super::{Schemas, call};
use agent_runtime::schemars::JsonSchema;
use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::{Json, tool};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "agent_runtime::serde")]
#[schemars(crate = "agent_runtime::schemars")]
struct Place {
    name: String,
    floor: i32,
}

/// Gives its arguments back
#[tool(inline)]
fn places(
    first: Json<Place>,
    #[tool(type = "{name: Text, floor: Int}")] second: Place,
    pair: Json<(u8, String)>,
    more: Option<Vec<Json<Place>>>,
) -> Value {
    json!({"first": first, "second": second, "pair": pair, "more": more})
}

#[test]
fn schemas_of_other_types_agree() {
    let schemas = Schemas::of(&places {});
    let place = json!({"name": "hall", "floor": 0});
    let good = json!({"first": place, "second": place, "pair": [1, "a"], "more": [place]});
    assert!(schemas.strict.is_valid(&good));
    assert_eq!(call(&places {}, &good), Ok(good.clone()));
    let replacements = [
        json!("hall"),
        json!({}),
        json!({"name": "hall"}),
        json!({"name": 1, "floor": 0}),
        json!({"name": "hall", "floor": 1.5}),
        json!({"name": "hall", "floor": -3}),
        json!({"name": "hall", "floor": null}),
        json!([]),
        json!([1]),
        json!([1, "a", 2]),
        json!([-1, "a"]),
        json!([255, ""]),
        json!([place, {"name": "hall"}]),
        json!([place, place]),
        json!(true),
    ];
    for name in ["first", "second", "pair", "more"] {
        for replacement in &replacements {
            let mut arguments = good.clone();
            arguments[name] = replacement.clone();
            let result = call(&places {}, &arguments);
            let is_valid = schemas.arguments.is_valid(&arguments);
            assert_eq!(result.is_ok(), is_valid, "{arguments}: {result:?}");
            if is_valid {
                assert_eq!(result, Ok(arguments));
            }
        }
        let mut without = good.clone();
        without
            .as_object_mut()
            .expect("it is a record")
            .remove(name);
        let is_valid = schemas.strict.is_valid(&without);
        assert_eq!(is_valid, name == "more");
        assert_eq!(call(&places {}, &without).is_ok(), is_valid, "{without}");
    }
}
