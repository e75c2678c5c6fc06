//! The names of the documents and ours: the table in `docs/design-documents.md`.

use std::collections::HashMap;

/// Every name that the documents declare, once. The documents are not part of the repository, so the list was
/// read from them.
const NAMES: &str = "
    ToolSpecification createToolSpecification toolSpecName toolSpecDescription toolSpecTypeSignature
    toolSpecSchema TypeSignature parseTypeSignature typeSignatureToJSONSchema Tool createTool ToolConfig
    toolConfigName toolConfigDescription toolConfigInputSchema toolConfigOutputSchema toolConfigExecute
    toolConfigTimeout toolConfigRetryable toolName toolDescription toolSchema toolRetryable toolInvoke
    ToolInput ToolOutput ToolLibrary emptyToolLibrary libraryTools registerTool lookupTool bindTool
    bindAgentTools validateToolArgs validateToolInput validateToolOutput invokeTool executeTool
    ToolExecutionError ToolTimeoutError ToolValidationError ToolAuthorizationError Agent AgentPattern
    createAgentPattern agentName agentDescription agentModel agentInstruction agentToolSpecs getAgentName
    setAgentName getToolSpecs ToolSpecPattern patternToAgent validateAgentPattern agentToPattern
    patternToToolSpec toolSpecToPattern Model createModel parseModel modelToString executeAgentWithLibrary
    executeAgent AgentError ValidationError ConfigurationError LLMAPIError detectToolCall LLMResponse
    AgentResponse responseContent responseToolsUsed ToolInvocation invocationToolName invocationArgs
    invocationResult ConversationContext emptyContext contextMessages Message messageRole messageContent
    MessageRole UserRole AssistantRole sayHelloSpec sayHelloTool helloWorldToolLibrary helloWorldAgent
    readFileTool writeFileTool listDirectoryTool calculatorTool webSearchTool wikipediaTool webScraperTool
    SearchConfig searchApiKey searchEngine searchMaxResults SearchEngine SerpAPI GoogleCustomSearch
    BingSearch
";

#[test]
fn the_table_has_every_name_of_the_documents_once() {
    let page = include_str!("../../docs/design-documents.md");
    let (_, table) = page
        .split_once("| there | here |")
        .expect("the table of names");
    let (table, _) = table
        .split_once("## Differences")
        .expect("the next section");
    let mut found: HashMap<&str, usize> = HashMap::new();
    for row in table.lines() {
        let theirs = row.split('|').nth(1).unwrap_or_default();
        for name in theirs.split('`').skip(1).step_by(2) {
            // `ToolError` is two types there: of a run and of a call.
            if name != "ToolError" {
                let name = name.split_whitespace().next().unwrap_or_default();
                *found.entry(name).or_default() += 1;
            }
        }
    }
    for name in NAMES.split_whitespace() {
        assert_eq!(found.get(name), Some(&1), "{name}");
    }
    assert_eq!(found.get("FunctionRole"), Some(&1));
    assert_eq!(found.len(), NAMES.split_whitespace().count() + 1);
}
