/// Adds two numbers.
fn add(a: i64, b: i64) -> i64 {
    a + b
}
#[doc(hidden)]
#[allow(
    non_camel_case_types,
    missing_debug_implementations,
    missing_copy_implementations
)]
pub(crate) struct add {}
const _: () = {
    #[allow(unused_imports)]
    use ::agent_runtime::__private::{self as __rt, fallback::*};
    impl add {
        /// The tool's type signature in gram, on one line.
        pub const SIGNATURE: &'static __rt::str = __rt::signature_text::<Self>();
        /// The tool in gram.
        pub const GRAM: &'static __rt::str = __rt::gram_text::<Self>();
    }
    #[automatically_derived]
    impl __rt::StaticTool for add {
        const TOOL: Self = Self {};
        const SLOTS: &'static [__rt::Slot] = &[
            __rt::slot(
                <i64 as __rt::ToolParameter>::KIND,
                "a",
                __rt::None,
                __rt::Some("The first."),
            ),
            __rt::slot(
                <i64 as __rt::ToolParameter>::KIND,
                "b",
                __rt::Some(const { &__rt::Value::Integer(1i128) }),
                __rt::None,
            ),
        ];
        const DESCRIPTOR: &'static __rt::ToolDescriptor = &__rt::descriptor(
            "add",
            "Adds two numbers.",
            __rt::arguments_of(
                const {
                    &[__rt::param(Self::SLOTS, 0usize), __rt::param(Self::SLOTS, 1usize)]
                },
                Self::SLOTS,
            ),
            __rt::ReturnType::<i64>::TYPE,
            __rt::ToolSettings::DEFAULT,
        );
        const MAY_BE_PRIVATE: __rt::bool = true;
        #[allow(deprecated)]
        fn invoke<'a>(
            __text: &'a __rt::str,
            __context: &'a __rt::ToolContext,
        ) -> __rt::ToolFuture<'a> {
            __rt::call_blocking(
                (Self::DESCRIPTOR, __text, __context),
                move |__arguments| {
                    let __p0 = <__rt::OwnedParameter<
                        i64,
                    >>::take(__arguments, "a", __rt::None)?;
                    let __p1 = <__rt::OwnedParameter<
                        i64,
                    >>::take(__arguments, "b", __rt::Some("1"))?;
                    __rt::Ok(move || __rt::outcome(
                        __rt::Returned(add(__p0, __p1)).into_result(),
                    ))
                },
            )
        }
    }
    const _: () = __rt::check_own_default(
        __rt::argument_type(<i64 as __rt::ToolParameter>::KIND),
        const { &__rt::Value::Integer(1i128) },
    );
    const _: () = __rt::check_result(<add as __rt::StaticTool>::DESCRIPTOR);
};
