//! Names that are taken where the macro expands.

#![allow(dead_code, non_camel_case_types, non_upper_case_globals)]

mod names {
    pub struct Option;
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Vec;
    pub struct Box;
    pub struct String;
    pub struct str;
    pub struct Agent;
    pub const AGENT: u8 = 1;
    pub const FUNCTION: u8 = 1;
    pub const TOOLS: u8 = 1;
    pub mod agent_runtime {}
    pub mod std {}
    pub mod core {}
    pub const runtime: u8 = 1;

    #[::agent_runtime::agent_fn(model = "OpenAI/m", instruction = "Help with {{text}} and {{call}}.")]
    pub async fn help(
        engine: &::agent_runtime::Runtime,
        text: &::std::primitive::str,
        call: ::std::primitive::u8,
    ) -> ::std::result::Result<::std::string::String, ::agent_runtime::Error>;
}

macro_rules! helper {
    ($(#[$meta:meta])* $name:ident, $ty:ty, $instruction:literal, $param:ident) => {
        $(#[$meta])*
        #[agent_runtime::agent_fn(model = "OpenAI/m", instruction = $instruction)]
        async fn $name(
            runtime: &agent_runtime::Runtime,
            $param: $ty,
            inner: u8,
        ) -> Result<String, agent_runtime::Error>;
    };
}

helper! {
    /// Helps
    help, &str, "Help with {{what}} and {{inner}}.", what
}

pub fn main() {
    let runtime = agent_runtime::Runtime::offline();
    drop((names::help(&runtime, "x", 1), help(&runtime, "x", 1)));
    assert_eq!(help::AGENT.signature().params().len(), 2);
    assert_eq!(names::help::AGENT.signature().params().len(), 2);
}
