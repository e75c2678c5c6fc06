// A module without any prelude.
#![no_implicit_prelude]

extern crate agent_runtime;
extern crate std;

mod tools {
    use ::agent_runtime::tool;

    #[doc = ::std::concat!("Repeats", " a text")]
    #[tool(retryable = false, timeout = "2s")]
    pub(super) fn repeat(
        #[tool(max_length = 3)] text: &::std::primitive::str,
        #[tool(default = 2, minimum = 1)] times: ::std::primitive::u8,
        #[tool(default = ["a"])] more: ::std::vec::Vec<::std::string::String>,
        anything: ::std::option::Option<::agent_runtime::serde_json::Value>,
    ) -> ::std::result::Result<::std::string::String, ::std::fmt::Error> {
        let _ = (more, anything);
        ::std::result::Result::Ok(text.repeat(::std::convert::From::from(times)))
    }

    /// Waits
    #[tool(export)]
    pub(super) async fn wait(_: &::agent_runtime::ToolContext) {}
}

pub(crate) fn main() {
    let library = ::agent_runtime::tools![tools::repeat, tools::wait];
    ::std::assert_eq!(library.len(), 2);
    ::std::assert_eq!(tools::wait::SIGNATURE, "()==>(::Null)");
}
