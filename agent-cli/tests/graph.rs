//! `agent graph`: diagrams of agents and tools.

use crate::support::{agent, agent_with};

#[test]
fn prints_agents_tools_and_calls_as_mermaid() {
    let ended = agent(&["graph", "agents/support.gram"]).expect(0);
    assert_eq!(
        ended.stdout,
        "flowchart LR
  n0[\"support\"]
  n1[\"billing\"]
  n2[\"research\"]
  n3([\"calculator\"])
  n4([\"readFile\"])
  n0 -->|approval| n1
  n0 --> n2
  n1 --> n3
  n2 --> n4
  n2 --> n3
"
    );
}

#[test]
fn prints_the_same_as_dot() {
    let ended = agent(&["graph", "agents/support.gram", "--format", "dot"]).expect(0);
    assert_eq!(
        ended.stdout,
        "digraph agents {
  rankdir=LR;
  n0 [label=\"support\", shape=box];
  n1 [label=\"billing\", shape=box];
  n2 [label=\"research\", shape=box];
  n3 [label=\"calculator\", shape=box, style=rounded];
  n4 [label=\"readFile\", shape=box, style=rounded];
  n0 -> n1 [label=\"approval\"];
  n0 -> n2;
  n1 -> n3;
  n2 -> n4;
  n2 -> n3;
}
"
    );
}

#[test]
fn shows_nested_agents_circles_and_tools_that_nobody_calls() {
    let document = "[a:Agent {instruction: \"i\", model: \"OpenAI/m\"} |
          [b:Agent {description: \"d\", instruction: \"i\", model: \"OpenAI/m\"} | b]]
        [t:Tool {description: \"d\"} | ()==>(::Null)]";
    let ended = agent_with(&["graph", "-"], document).expect(0);
    assert_eq!(
        ended.stdout,
        "flowchart LR\n  n0[\"a\"]\n  n1[\"b\"]\n  n2([\"t\"])\n  n0 --> n1\n  n1 --> n1\n"
    );
}

#[test]
fn escapes_names() {
    let document = "[`a\"]; <b> & #quot; \\n\u{1b}[31m \\\\ é`:Agent {instruction: \"i\", model: \"OpenAI/m\"}]";
    let mermaid = agent_with(&["graph", "-"], document).expect(0).stdout;
    assert_eq!(
        mermaid,
        "flowchart LR\n  n0[\"a#34;#93;#59; #60;b#62; #38; #35;quot#59;   #91;31m #92; é\"]\n"
    );
    let dot = agent_with(&["graph", "-", "--format", "dot"], document)
        .expect(0)
        .stdout;
    assert!(
        dot.contains("  n0 [label=\"a\\\"]; <b> &amp; #quot;   [31m \\\\ é\", shape=box];\n"),
        "{dot}"
    );
}

#[test]
fn a_document_with_errors_has_no_diagram() {
    let ended = agent_with(&["graph", "-"], "[a:Agent {instruction: \"i\"} | b]").expect(1);
    assert_eq!(ended.stdout, "");
    assert!(
        ended.stderr.contains("agent::missing-model"),
        "{}",
        ended.stderr
    );
}
