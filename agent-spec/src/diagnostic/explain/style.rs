//! Findings about changing the style of a document.

use super::Examples::Portable;
use super::Explanation;

pub(super) const NOT_PORTABLE: Explanation = Explanation::of(
    Portable,
    "\
The document was to be written in the style `portable`, which the official tools of gram can read,
and this part cannot. It stays as it is: nothing that it says is lost, but those tools will not
read the document.

In that style the types of fields and elements are type expressions, such as `\"Maybe [Text]\"`.
These have no words for descriptions, defaults and limits of fields. Official gram has no place
for empty lists, for lists and maps inside lists, for maps inside maps, and for measurements with
a fraction, and it takes a text that begins with `//` for a comment.

Keep the style `list` when only these tools read the document. Otherwise say it flat: a limit or a
default can be a parameter's instead of a field's, and a description of a field can stand in the
description of its parameter.",
    r#"[greet:Tool {description: "Greets a person"} |
  (person::Object {fields: [{name: "name", type: "Text", description: "Given name"}]})==>(::String)
]"#,
    r#"[greet:Tool {description: "Greets a person"} |
  (person::Object {description: "With the given name", fields: {name: "Text"}})==>(::String)
]"#,
);

pub(super) const COMMENT_IN_TYPE: Explanation = Explanation::of(
    Portable,
    "\
The document was to be written in another style, and a type in it has to be written anew for that.
A comment stands in the middle of it. There is no place for the comment in the other form, and
comments are never lost, so the type stays as it is.

Move the comment out of the value: before the tool, before the parameter, or after it. What a
model should know belongs in a `description`.",
    r#"[greet:Tool {description: "Greets a person"} |
  (person::Object {fields: [
    // as in the passport
    {name: "name", type: "Text"}
  ]})==>(::String)
]"#,
    r#"[greet:Tool {description: "Greets a person"} |
  // as in the passport
  (person::Object {fields: [{name: "name", type: "Text"}]})==>(::String)
]"#,
);
