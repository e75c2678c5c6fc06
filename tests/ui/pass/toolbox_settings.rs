// The settings of a block and of its methods reach the tools; the texts are constants.

use agent_runtime::tool::StaticTools;
use agent_runtime::{toolbox, tools};
use std::time::Duration;

struct Db;

#[toolbox(prefix = "db", require_descriptions)]
impl Db {
    /// Finds a row.
    ///
    /// # Errors
    /// None.
    #[tool(timeout = "5s", read_only, idempotent, retryable = false)]
    fn find(
        &self,
        /// Which one
        id: u64,
        #[tool(name = "upTo", description = "How many", default = 1)] limit: u8,
    ) -> u64 {
        id + u64::from(limit)
    }

    /// Is overridden
    #[tool(name = "drop_all", description = "Drops all", destructive, requires_approval, sequential)]
    async fn clear(&self) {}
}

const GRAM: &str = <Db as StaticTools>::GRAM;

pub(crate) fn main() {
    let library = tools![..Db];
    assert_eq!(
        GRAM,
        "[dbFind:Tool {description: \"Finds a row.\", readOnly: true} |\n  \
         (id::Int {description: \"Which one\"})==>\
         (upTo::Int {default: 1, description: \"How many\"})==>(::Int)\n]\n\n\
         [drop_all:Tool {description: \"Drops all\", destructive: true} |\n  ()==>(::Null)\n]\n"
    );
    assert_eq!(library.to_gram(), GRAM);
    let settings = |name| library.lookup(name).expect("a tool").descriptor().settings();
    let find = settings("dbFind");
    assert_eq!(find.timeout, Some(Duration::from_secs(5)));
    assert!(find.read_only && find.idempotent && !find.retryable && !find.sequential);
    let clear = settings("drop_all");
    assert!(clear.destructive && clear.requires_approval && clear.sequential && clear.retryable);
    assert_eq!(Db::TOOLS.iter().map(|tool| tool.name()).collect::<Vec<_>>(), ["dbFind", "drop_all"]);
}
