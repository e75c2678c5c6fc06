// Tools in functions, blocks, modules and closures, and of every visibility.
#![deny(warnings, missing_docs, unreachable_pub)]
//! Tools in all places.

use agent_runtime::{tool, tools};

mod outer {
    pub(crate) mod inner {
        use agent_runtime::tool;

        /// Is seen in the crate
        #[tool]
        pub(crate) fn of_crate() {}

        /// Is seen above
        #[tool]
        pub(super) fn of_super() {}

        /// Is seen in a path
        #[tool(timeout = "1s")]
        pub(in crate::hygiene_places::outer) async fn of_path(#[tool(default = 1)] number: u8) -> u8 {
            number
        }

        /// Is seen here
        #[tool]
        fn private() {}

        pub(crate) fn len() -> usize {
            agent_runtime::tools![private, of_path].len()
        }
    }

    pub(crate) fn len() -> usize {
        agent_runtime::tools![inner::of_crate, inner::of_super, inner::of_path].len()
    }
}

/// Is seen everywhere
#[tool]
pub fn of_all() {}

/// Is behind a module of its name
#[tool(type_name = ListTool, name = "list")]
fn list() -> u8 {
    list::one()
}

mod list {
    pub(crate) fn one() -> u8 {
        1
    }
}

impl std::fmt::Debug for of_all {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("all")
    }
}

pub(crate) fn main() {
    /// Is in a function
    #[tool]
    fn local(#[tool(minimum = 1)] number: u8) -> u8 {
        number
    }
    let in_block = {
        /// Is in a block
        #[tool]
        fn local() {}
        tools![local].len()
    };
    let in_closure = || {
        /// Is in a closure
        #[tool]
        async fn local() {}
        tools![local].len()
    };
    assert_eq!(tools![local, ListTool, of_all, outer::inner::of_crate].len(), 4);
    assert_eq!(in_block + in_closure() + outer::len() + outer::inner::len(), 7);
    assert_eq!(format!("{:?}", of_all {}), "all");
}
