#![no_implicit_prelude]

/// Says what time it is
#[::agent_runtime::tool]
fn get_time() -> ::std::string::String {
    ::std::convert::From::from("noon")
}

::agent_runtime::tool_set! { CLOCKS = [get_time] }

::agent_runtime::agent! {
    static CLOCK, export, tools: CLOCKS,
    [clock:Agent {instruction: "Tell the time.", model: "OpenAI/m"} | getTime]
}

pub(crate) fn main() {
    let library = ::agent_runtime::tools![..CLOCKS {}];
    ::std::assert_eq!(library.len(), CLOCK.tools().len());
    ::std::assert_eq!(::agent_runtime::gram! { (a) }, "(a)\n");
}
