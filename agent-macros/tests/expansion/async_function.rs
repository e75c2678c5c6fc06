/// Reads a page.
pub async fn read_page(address: &str, context: &ToolContext) -> Result<String, Error> {
    fetch(address, context).await
}
#[doc(hidden)]
#[allow(
    non_camel_case_types,
    missing_debug_implementations,
    missing_copy_implementations
)]
pub struct read_page {}
const _: () = {
    #[allow(unused_imports)]
    use ::agent_runtime::__private::{self as __rt, fallback::*};
    impl read_page {
        /// The tool's type signature in gram, on one line.
        pub const SIGNATURE: &'static __rt::str = __rt::signature_text::<Self>();
        /// The tool in gram.
        pub const GRAM: &'static __rt::str = __rt::gram_text::<Self>();
    }
    #[automatically_derived]
    impl __rt::StaticTool for read_page {
        const TOOL: Self = Self {};
        const SLOTS: &'static [__rt::Slot] = &[
            __rt::slot(
                <str as __rt::ToolReference>::KIND,
                "address",
                __rt::None,
                __rt::None,
            ),
            __rt::slot(
                <ToolContext as __rt::ToolReference>::KIND,
                "context",
                __rt::None,
                __rt::None,
            ),
        ];
        const DESCRIPTOR: &'static __rt::ToolDescriptor = &__rt::descriptor(
            "readPage",
            "Reads a page.",
            __rt::arguments_of(
                const {
                    &[__rt::param(Self::SLOTS, 0usize), __rt::param(Self::SLOTS, 1usize)]
                },
                Self::SLOTS,
            ),
            __rt::ReturnType::<Result<String, Error>>::TYPE,
            __rt::ToolSettings::DEFAULT,
        );
        #[allow(deprecated)]
        fn invoke<'a>(
            __text: &'a __rt::str,
            __context: &'a __rt::ToolContext,
        ) -> __rt::ToolFuture<'a> {
            __rt::call_async(
                (Self::DESCRIPTOR, __text, __context),
                move |__arguments| {
                    let __p0 = <__rt::BorrowedParameter<
                        str,
                    >>::take(__arguments, "address", __rt::None)?;
                    let __p1 = <__rt::BorrowedParameter<
                        ToolContext,
                    >>::take(__arguments, "context", __rt::None)?;
                    __rt::Ok(move || async move {
                        __rt::outcome(
                            __rt::Returned(
                                    read_page(
                                            <__rt::BorrowedParameter<str>>::borrow(&__p0),
                                            <__rt::BorrowedParameter<ToolContext>>::borrow(&__p1),
                                        )
                                        .await,
                                )
                                .into_result(),
                        )
                    })
                },
            )
        }
    }
    const _: () = __rt::check_result(<read_page as __rt::StaticTool>::DESCRIPTOR);
};
