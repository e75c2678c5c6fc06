use agent_runtime::agent;

mod places {
    /// Says where we are
    #[agent_runtime::tool]
    fn get_place() -> String {
        "here".to_owned()
    }

    pub mod inner {
        /// Says how far it is
        #[agent_runtime::tool]
        #[deprecated]
        pub(super) fn get_distance(to: &str) -> String {
            format!("{to} is far")
        }
    }

}

use places::get_place;

fn main() {
    let _ = agent! {
        tools: [get_place, places::inner::get_distance],
        [guide:Agent { instruction: "Say where we are.", model: "OpenAI/gpt-6-luna" } | getPlace]
    };
    let _ = agent_runtime::tools![places::get_place];
    let _ = agent_runtime::tools![places::inner::get_distance];
}
