//! A program uses a package of tools that depends on agent-tool alone.

use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::testing::ToolCalls as _;
use agent_runtime::{Runtime, agent, tools};
use toolbox_package::{Atlas, GUIDE, MAP_TOOLS, Place};

#[tokio::test]
async fn a_program_runs_agents_with_the_tools_of_a_package() {
    let agent = agent! {
        tools: [toolbox_package::hemisphere, Atlas::find],
        [guide:Agent {instruction: "Tell where places are.", model: "Scripted/any"} | hemisphere, find]
    };
    let mut atlas = Atlas::default();
    let place = Place {
        latitude: 59.9,
        longitude: 10.7,
    };
    atlas.places.insert("Oslo".to_owned(), place);
    let library = tools![toolbox_package::hemisphere, ..atlas];
    let place = r#"{"place": {"latitude": 59.9, "longitude": 10.7}, "language": "de"}"#;
    let model = Scripted::new([
        ModelReply::call("find", r#"{"name": "Oslo"}"#),
        ModelReply::calls([ToolCall::new("2", "hemisphere", place)]),
        ModelReply::text("In the north."),
    ]);
    let response = Runtime::with_model(model)
        .run(&agent, "Where is Oslo?")
        .tools(&library)
        .await
        .expect("an answer");
    response.assert_tool_called("find");
    assert_eq!(
        response.tools_used[1].result,
        Ok("Norden".into()),
        "{response:?}"
    );
}

#[tokio::test]
async fn an_agent_of_a_package_is_run_by_a_program() {
    let library = tools![..MAP_TOOLS {}];
    let runtime = Runtime::with_model(Scripted::new([
        ModelReply::call("ownName", "{}"),
        ModelReply::text("done"),
    ]));
    let response = runtime.run(&GUIDE, "Hello").tools(&library).await;
    let response = response.expect("an answer");
    assert_eq!(response.tools_used[0].result, Ok("ownName".into()));
}
