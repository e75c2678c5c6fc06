//! `wikipedia` against a MediaWiki that `tests/real/mediawiki/run` starts and fills with pages.

use crate::web::calls::{call, granting, only};
use agent_builtin::Wikipedia;
use agent_runtime::ToolError;
use serde_json::json;

/// The variable with the base URL of the wiki's `api.php`.
const VARIABLE: &str = "AGENT_TEST_MEDIAWIKI";

#[tokio::test]
#[ignore = "needs a MediaWiki, which tests/real/mediawiki/run starts"]
async fn understands_a_real_wiki() {
    let base_url = std::env::var(VARIABLE).expect("the variable says where the wiki is");
    let tool = only(Wikipedia::default().base_url(&base_url).expect("a URL"));
    let grants = granting(&["127.0.0.1"]);
    let ask = async |query: &str| call(&tool, &json!({"query": query}), &grants).await;

    let ada = ask("Ada Lovelace").await.expect("a page");
    assert_eq!(
        ada["summary"],
        "Ada Lovelace was an English mathematician who wrote of the Analytical Engine."
    );
    assert!(
        ada["url"]
            .as_str()
            .is_some_and(|url| url.ends_with("Ada_Lovelace")),
        "{ada}"
    );
    // Words of the text find the page, too.
    assert_eq!(ask("mathematician").await.expect("a page"), ada);
    // The title of a redirect finds the page that it leads to.
    assert_eq!(ask("Countess of Lovelace").await.expect("a page"), ada);

    let mercury = ask("Mercury (disambiguation)").await.expect("a page");
    assert_eq!(
        mercury["summary"],
        "`Mercury (disambiguation)` may mean several things; ask for one of them: Mercury (element); \
         Mercury (planet)"
    );
    let without_introduction = ask("List of engines").await.expect("a page");
    let summary = without_introduction["summary"].as_str().expect("a text");
    assert!(summary.contains("Difference Engine"), "{summary}");
    let nothing = ask("qqzzxx").await;
    assert!(
        matches!(&nothing, Err(ToolError::Execution(text)) if text.contains("`qqzzxx`")),
        "{nothing:?}"
    );
    for query in [
        "\"",
        "'",
        "<b>",
        "a:b|c",
        "%",
        "\\",
        "ß 漢字 🐝",
        "prefix:x",
        "-",
        "*",
    ] {
        match ask(query).await {
            Ok(_) => {}
            Err(ToolError::Execution(text)) if text.starts_with("no page in") => {}
            other => panic!("{query}: {other:?}"),
        }
    }
}
