//! Findings about tools, and about several tools together.

use super::Examples::Documents;
use super::Explanation;

pub(super) const MISSING_DESCRIPTION: Explanation = Explanation::of(
    Documents,
    "\
A tool must have a `description`, and it must say something. It is what the model reads to
decide whether and when to call the tool; a name and some types leave it to guess, and it will
guess wrong.

Say in a sentence or two what the tool does, what it returns, and when it is the right one.
Where the tool is a Rust function with `#[tool]`, the same text is the function's doc comment.
In the form with annotations it is written `@description(\"…\")`.",
    "[greet:Tool | (personName::Text)==>(::String)]",
    r#"[greet:Tool {description: "Returns a friendly greeting for a person"} |
  (personName::Text)==>(::String)
]"#,
);

pub(super) const MISSING_SIGNATURE: Explanation = Explanation::of(
    Documents,
    "\
A tool has exactly one element, after the `|`: its signature, which says what it takes and what
it returns. The schema that the model is given is made of it, calls are checked against it, and
it is what a function must fit. Without one nothing of this can be done; with two it is open
which counts.

Parameters stand one after another in the same signature, not in signatures of their own. A tool
that takes nothing is written `()==>(::String)`.",
    r#"[greet:Tool {description: "Greets a person"}]"#,
    r#"[greet:Tool {description: "Greets a person"} |
  (personName::Text)==>(::String)
]"#,
);

pub(super) const CONFLICTING_TOOLS: Explanation = Explanation::of(
    Documents,
    "\
The document defines one tool twice, and the two definitions differ. A name stands for one thing
in a document: a reference to it could mean either, and only one of them can fit the function
behind it.

Define the tool once, and let every agent refer to it by its name. Two definitions that are
equal are allowed, so that agents can be copied between documents. When the two are different
tools, give them different names.",
    r#"[greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]
[greet:Tool {description: "Greets all"} | (names::Array {elementType: "Text"})==>(::String)]"#,
    r#"[greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]
[greetAll:Tool {description: "Greets all"} | (names::Array {elementType: "Text"})==>(::String)]"#,
);

pub(super) const DIFFERING_PARAMETER: Explanation = Explanation::of(
    Documents,
    "\
Two tools of a document use one name for parameters of different types. It works; but the tools
of a document share a vocabulary, and a model that has seen `userId` as a number in one tool
will give a number to the next. It is therefore a warning, which `agent check --deny-warnings`
makes an error.

Use one type where both mean the same thing, and two names where they do not.",
    r#"[findUser:Tool {description: "Finds a user"} | (userId::Int)==>(::Object)]
[greetUser:Tool {description: "Greets a user"} | (userId::Text)==>(::String)]"#,
    r#"[findUser:Tool {description: "Finds a user"} | (userId::Int)==>(::Object)]
[greetUser:Tool {description: "Greets a user"} | (userId::Int)==>(::String)]"#,
);
