use agent_runtime::{Error, Runtime, agent_fn, tool, tools};

mod inner {
    use agent_runtime::{Error, Runtime};

    #[agent_runtime::agent_fn(model = "OpenAI/m", instruction = "Help.")]
    #[must_use]
    #[doc = "Helps"]
    pub async fn help(runtime: &Runtime, what: &str) -> Result<String, Error>;

    #[cfg(any())]
    #[agent_runtime::agent_fn(file = "gram/there_is_none.gram")]
    pub async fn absent(runtime: &Runtime, what: &Nothing) -> Result<String, Error>;
}

#[agent_fn(model = "OpenAI/m", instruction = "Help.", type_name = Renamed)]
#[cfg(not(any()))]
#[allow(dead_code)]
async fn under_another_name(runtime: &Runtime, what: &str) -> Result<String, Error>;

// A type of the function's name.
#[allow(dead_code, non_camel_case_types)]
type under_another_name = u8;

pub fn main() {
    /// Looks a word up
    #[tool]
    fn look_up(word: &str) -> String {
        word.to_owned()
    }

    /// Helps
    #[agent_fn(model = "OpenAI/m", instruction = "Help.", tools = [look_up, inner::help])]
    async fn help(runtime: &Runtime, what: &str) -> Result<String, Error>;

    let runtime = Runtime::offline();
    assert_eq!(help::AGENT.tools().len(), 2);
    assert_eq!(inner::help::AGENT.description(), Some("Helps"));
    assert_eq!(Renamed::AGENT.name(), "underAnotherName");
    assert_eq!(tools![help, look_up].len(), 2);
    drop((help(&runtime, "x"), inner::help(&runtime, "x")));
}
