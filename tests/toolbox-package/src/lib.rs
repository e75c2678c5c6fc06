//! A package of tools that depends on `agent-tool` alone: every macro of tools is used here, and the tests of the product
//! give the tools to agents.

use agent_tool::serde::{Deserialize, Serialize};
use agent_tool::{Agent, GramType, ToolContext, ToolError, agent, tool, tool_set, toolbox};
use std::collections::BTreeMap;

/// A place on a map.
#[derive(Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_tool::serde")]
pub struct Place {
    /// Degrees to the north.
    #[gram(minimum = -90, maximum = 90)]
    pub latitude: f64,
    /// Degrees to the east.
    pub longitude: f64,
}

/// Returns the hemisphere of a place
#[tool]
pub fn hemisphere(place: Place, #[tool(default = "en")] language: &str) -> String {
    let name = match (place.latitude < 0.0, language) {
        (true, "de") => "Süden",
        (true, _) => "south",
        (false, "de") => "Norden",
        (false, _) => "north",
    };
    name.to_owned()
}

/// Returns the name of the call's own tool
#[tool]
pub async fn own_name(context: &ToolContext) -> String {
    context.tool().to_owned()
}

/// A list of places by their names.
#[derive(Debug, Default)]
pub struct Atlas {
    /// The places.
    pub places: BTreeMap<String, Place>,
}

#[toolbox]
impl Atlas {
    /// Finds a place by its name
    #[tool]
    pub fn find(&self, name: &str) -> Result<Place, ToolError> {
        let place = self.places.get(name);
        let place =
            place.ok_or_else(|| ToolError::retry(format!("no place is called `{name}`")))?;
        Ok(Place { ..*place })
    }
}

tool_set! {
    /// The functions of this package.
    pub MAP_TOOLS = [hemisphere, own_name]
}

/// An agent that is checked against the functions of this package.
pub static GUIDE: Agent = agent! {
    tools: MAP_TOOLS,
    [guide:Agent {instruction: "Tell where places are.", model: "Offline/any"} | hemisphere, ownName]
};

#[cfg(test)]
mod tests {
    use super::*;
    use agent_tool::serde_json::json;
    use agent_tool::tool::invoke_tool;
    use agent_tool::tools;

    #[tokio::test]
    async fn tools_are_called_in_tests_of_the_package() {
        let mut atlas = Atlas::default();
        let quito = Place {
            latitude: -0.22,
            longitude: -78.5,
        };
        atlas.places.insert("Quito".to_owned(), quito);
        let library = tools![hemisphere, ..atlas];

        let context = ToolContext::detached();
        let find = library.lookup("find").expect("a method");
        let place = invoke_tool(&**find, r#"{"name": "Quito"}"#, &context).await;
        let place = place.expect("it is there");
        assert_eq!(place, json!({"latitude": -0.22, "longitude": -78.5}));

        let hemisphere = library.lookup("hemisphere").expect("a function");
        let arguments = json!({"place": place}).to_string();
        let found = invoke_tool(&**hemisphere, &arguments, &context).await;
        assert_eq!(found.expect("a place"), "south");
    }
}
