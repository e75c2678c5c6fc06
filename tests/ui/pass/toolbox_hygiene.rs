// Names that generated code might trip over.
#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types)]
#![deny(warnings)]

use ::agent_runtime::{ToolContext, agent, toolbox, tools};
use ::std::{assert, assert_eq};

type String = ::std::string::String;
struct Some;
struct Ok;

/// A toolbox with the name of a type of the standard library.
pub struct Option;

trait Find {
    fn find(&self) -> u8;
    fn call(&self) -> u8;
}

impl Find for Option {
    fn find(&self) -> u8 {
        1
    }
    fn call(&self) -> u8 {
        2
    }
}

#[toolbox]
impl Option {
    /// Has the name of a method of a trait
    #[tool]
    pub(crate) fn find(&self) -> u8 {
        10
    }

    /// Has the name of what the library calls
    #[tool]
    async fn call(&self, text: &str, context: &str) -> String {
        ::std::format!("{text}{context}")
    }

    /// Has a keyword for a name
    #[tool(inline)]
    fn r#match(&self, r#type: bool) -> bool {
        r#type
    }

    /// Has one letter
    #[tool]
    fn f(&self, x: i64) -> i64 {
        x
    }

    /// Is named like a constant
    #[tool]
    #[allow(non_snake_case)]
    fn SHOUT(&self) {}

    /// Should not be used
    #[deprecated]
    #[tool]
    fn old(&self) {}

    /// Takes the names of the library's own
    #[tool]
    fn clone(&self, __this: u8, into_result: u8) -> u8 {
        __this + into_result
    }
}

mod inner {
    use ::agent_runtime::toolbox;

    pub(crate) struct Hidden(pub(crate) u8);

    #[toolbox]
    impl self::Hidden {
        /// Is in a module
        #[tool]
        pub(super) fn hidden(&self) -> u8 {
            self.0
        }
    }
}

macro_rules! make {
    ($name:ident, $method:ident, $ty:ty, $value:expr) => {
        struct $name;

        #[toolbox]
        impl $name {
            /// Is made by a macro
            #[tool]
            fn $method(&self, value: $ty, #[tool(default = $value)] other: $ty) -> $ty {
                value + other
            }
        }
    };
}

make!(Made, made, u8, 3);

pub(crate) fn main() {
    let runtime = ::tokio::runtime::Builder::new_current_thread().build();
    if let ::std::result::Result::Ok(runtime) = runtime {
        runtime.block_on(run());
    }
}

async fn run() {
    struct Local<'a>(&'a str);

    #[::agent_runtime::toolbox]
    impl Local<'static> {
        /// Is in a function
        #[::agent_runtime::tool]
        fn local(&self) -> &str {
            self.0
        }
    }

    let agent = agent! {
        tools: [Option::find, Option::f, Option::SHOUT, Option::r#match, inner::Hidden::hidden, Made::made, ..Local<'static>],
        [a:Agent {instruction: "i", model: "OpenAI/m"} | find, match, f, sHOUT, hidden, made, local]
    };
    assert_eq!(agent.tools().len(), 7);
    let library = tools![..Option, ..inner::Hidden(7), ..Made, ..Local("here")];
    let context = ToolContext::detached();
    for (name, arguments, result) in [
        ("find", "{}", "10"),
        ("call", r#"{"text":"a","context":"b"}"#, r#""ab""#),
        ("match", r#"{"type":true}"#, "true"),
        ("clone", r#"{"__this":1,"intoResult":2}"#, "3"),
        ("hidden", "{}", "7"),
        ("made", r#"{"value":4}"#, "7"),
        ("local", "{}", r#""here""#),
    ] {
        let tool = library.lookup(name);
        assert!(tool.is_some(), "{name}");
        if let ::std::option::Option::Some(tool) = tool {
            let called = tool.call(arguments, &context).await;
            let shown = called.map(|value| ::std::string::ToString::to_string(&value));
            assert_eq!(shown, ::std::result::Result::Ok(::std::convert::Into::into(result)), "{name}");
        }
    }
}
