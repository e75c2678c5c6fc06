//! Fetching the list of tools of a server, page by page.

use super::session::{RequestError, Session};
use super::tool_list::ToolList;
use agent_runtime::media::Sha256;
use agent_runtime::redact::Redactor;
use agent_runtime::serde_json::{Map, Value};
use rmcp::ServiceError;
use rmcp::model::{
    ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerPeerInfo, ServerResult, Tool,
};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// The maximum number of pages of a list of tools. A hostile server can send a new cursor with each empty page, so that
/// connecting would not end.
const MAX_PAGES: usize = 200;

/// The reasons for which the next page of a list is not read. Each is a part of a warning.
const SAME_TOOLS: &str = "repeats the tools of earlier pages";
const SAME_CURSOR: &str = "gives the same cursor again";
const MANY_PAGES: &str = "has more than 200 pages";

impl Session {
    /// Fetches the list of tools. A list without an end is read only while its pages contain new tools.
    pub(crate) async fn list(&self) -> Result<ToolList, RequestError> {
        let mut list = ToolList::default();
        let has_tools = |info: &ServerPeerInfo| info.capabilities.tools.is_some();
        if !self.peer().peer_info().is_some_and(|info| has_tools(&info)) {
            return Ok(list);
        }
        let mut cursor = None;
        // Contains digests, because a cursor may be as long as a message.
        let mut cursors = HashSet::new();
        for _ in 0..MAX_PAGES {
            let params =
                cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let request = ListToolsRequest {
                method: Default::default(),
                params,
                extensions: Default::default(),
            };
            let request = ClientRequest::ListToolsRequest(request);
            let result = self.request(request, None).await?;
            let ServerResult::ListToolsResult(page) = result else {
                return Err(ServiceError::UnexpectedResponse.into());
            };
            let tools = page.tools.into_iter();
            let tools: Vec<Tool> = tools.map(|tool| redacted(tool, &self.redactor)).collect();
            let ordered = self.page.take().renamed(|name| self.redactor.text(name));
            let next = page.next_cursor.filter(|cursor| !cursor.is_empty());
            // A server that ignores cursors answers each request with its first page.
            if next.is_some() && list.has_all(&tools, &ordered) {
                list.endless = Some(SAME_TOOLS);
                return Ok(list);
            }
            let has_room = list.add(tools, ordered);
            let Some(next) = next.filter(|_| has_room) else {
                return Ok(list);
            };
            if !cursors.insert(Sha256::of(next.as_bytes()).to_string()) {
                list.endless = Some(SAME_CURSOR);
                return Ok(list);
            }
            cursor = Some(next);
        }
        list.endless = Some(MANY_PAGES);
        Ok(list)
    }
}

/// Replaces the secrets in a tool, which models, documents and errors get.
fn redacted(mut tool: Tool, redactor: &Redactor) -> Tool {
    let text = |text: &mut Option<Cow<'static, str>>| {
        if let Some(text) = text {
            *text = redactor.text(text).into();
        }
    };
    let schema = |schema: &mut Arc<Map<String, Value>>| {
        if let Value::Object(masked) = redactor.value(&Value::Object((**schema).clone()))
            && masked != **schema
        {
            *schema = Arc::new(masked);
        }
    };
    tool.name = redactor.text(&tool.name).into();
    tool.title = tool.title.map(|title| redactor.text(&title));
    text(&mut tool.description);
    schema(&mut tool.input_schema);
    if let Some(output) = &mut tool.output_schema {
        schema(output);
    }
    tool
}
