//! The derive under names that would break it if it used them.

#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types)]

extern crate agent_runtime;
extern crate serde;

mod facade {
    pub use ::agent_runtime::*;
}

mod shadows {
    pub struct Type;
    pub struct Field;
    pub struct Option<T>(T);
    pub struct String;
    pub struct Some;
    pub trait GramType {}
    pub mod core {}
    pub mod std {}
}

mod inner {
    #[allow(unused_imports)]
    use super::shadows::*;

    #[derive(::serde::Deserialize, ::agent_runtime::GramType)]
    #[gram(crate = super::facade)]
    pub(super) struct r#struct {
        r#match: ::std::string::String,
        #[gram(minimum = 1, default = 2, description = "d")]
        r#type: u8,
        #[gram(opaque)]
        rest: ::std::option::Option<::std::boxed::Box<r#struct>>,
    }

    #[derive(::serde::Deserialize, ::agent_runtime::GramType)]
    #[serde(tag = "t")]
    pub(super) enum OWN0 {
        A { #[gram(maximum = 3)] a: u8 },
    }
}

pub(crate) fn main() {
    use ::agent_runtime::spec::GramType;

    fn text<T: GramType>() -> ::std::string::String {
        let returns = ::agent_runtime::spec::Returns::new(::std::clone::Clone::clone(T::TYPE));
        ::std::string::ToString::to_string(&::agent_runtime::Signature::new(::std::vec::Vec::new(), returns))
    }

    ::std::assert_eq!(
        text::<inner::r#struct>(),
        "()==>(::Object {fields: [{name: \"match\", type: \"Text\"}, \
         {name: \"type\", type: \"Int\", default: 2, description: \"d\", minimum: 1}, \
         {name: \"rest\", type: \"Any\", optional: true}]})"
    );
    ::std::assert_eq!(
        text::<inner::OWN0>(),
        "()==>(::Object {fields: [{name: \"t\", type: \"Text\", enum: [\"A\"]}, {name: \"a\", type: \"Int\", maximum: 3}]})"
    );
}
