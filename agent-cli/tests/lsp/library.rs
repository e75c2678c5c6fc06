//! The client library `async-lsp` as client.

use crate::session::command;
use async_lsp::lsp_types::notification::{
    DidChangeTextDocument, DidOpenTextDocument, Exit, Initialized, PublishDiagnostics,
};
use async_lsp::lsp_types::request::{Formatting, Initialize, Shutdown};
use async_lsp::lsp_types::{
    DidChangeTextDocumentParams, DidOpenTextDocumentParams, DocumentFormattingParams,
    FormattingOptions, InitializeParams, InitializedParams, Position, PublishDiagnosticsParams,
    Range, TextDocumentContentChangeEvent, TextDocumentIdentifier, TextDocumentItem, TextEdit, Url,
    VersionedTextDocumentIdentifier, WorkDoneProgressParams,
};
use async_lsp::router::Router;
use async_lsp::{MainLoop, ServerSocket};
use std::ops::ControlFlow;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

/// An editor with one document.
struct Editor {
    server: ServerSocket,
    child: Child,
    published: UnboundedReceiver<PublishDiagnosticsParams>,
    running: JoinHandle<async_lsp::Result<()>>,
    uri: Url,
    text: String,
    version: i32,
}

impl Editor {
    async fn open(text: String) -> Self {
        let (sender, published) = unbounded_channel();
        let (client, server) = MainLoop::new_client(|_| {
            let mut router = Router::new(sender);
            router.notification::<PublishDiagnostics>(|sender, params| {
                // The receiver is gone if the test has ended.
                let _ = sender.send(params);
                ControlFlow::Continue(())
            });
            router
        });
        let mut child = Command::from(command(&[])).spawn().expect("it starts");
        let stdout = child.stdout.take().expect("its output is a pipe").compat();
        let stdin = child.stdin.take().expect("its input is a pipe");
        let running = tokio::spawn(client.run_buffered(stdout, stdin.compat_write()));
        let result = server.request::<Initialize>(InitializeParams::default());
        let result = result.await.expect("an answer");
        assert_eq!(result.server_info.expect("a name").name, "agent");
        server
            .notify::<Initialized>(InitializedParams {})
            .expect("it runs");
        let editor = Self {
            server,
            child,
            published,
            running,
            uri: Url::parse("file:///agents/long.gram").expect("an address"),
            text,
            version: 1,
        };
        let text_document = TextDocumentItem {
            uri: editor.uri.clone(),
            language_id: "gram".to_owned(),
            version: editor.version,
            text: editor.text.clone(),
        };
        editor
            .server
            .notify::<DidOpenTextDocument>(DidOpenTextDocumentParams { text_document })
            .expect("it runs");
        editor
    }

    /// Edits the text and sends the change.
    fn edit(&mut self, range: Range, new: &str) {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        self.text.replace_range(start..end, new);
        self.version += 1;
        let params = DidChangeTextDocumentParams {
            text_document: VersionedTextDocumentIdentifier {
                uri: self.uri.clone(),
                version: self.version,
            },
            content_changes: vec![TextDocumentContentChangeEvent {
                range: Some(range),
                range_length: None,
                text: new.to_owned(),
            }],
        };
        self.server
            .notify::<DidChangeTextDocument>(params)
            .expect("it runs");
    }

    fn offset(&self, position: Position) -> usize {
        let lines = self.text.split_inclusive('\n');
        let before: usize = lines.take(position.line as usize).map(str::len).sum();
        let mut units = 0;
        let in_line = self.text[before..].chars().take_while(|c| {
            units += c.len_utf16();
            units <= position.character as usize
        });
        before + in_line.map(char::len_utf8).sum::<usize>()
    }

    /// Returns the number of diagnostics of the current text.
    async fn diagnostics_count(&mut self) -> usize {
        loop {
            let published = self.published.recv().await.expect("it runs");
            assert_eq!(published.uri, self.uri);
            if published.version == Some(self.version) {
                return published.diagnostics.len();
            }
        }
    }

    async fn formatting(&self) -> Option<Vec<TextEdit>> {
        let params = DocumentFormattingParams {
            text_document: TextDocumentIdentifier {
                uri: self.uri.clone(),
            },
            options: FormattingOptions::default(),
            work_done_progress_params: WorkDoneProgressParams::default(),
        };
        let answer = self.server.request::<Formatting>(params);
        answer.await.expect("an answer")
    }

    async fn close(mut self) {
        let answer = self.server.request::<Shutdown>(()).await;
        answer.expect("an answer");
        self.server.notify::<Exit>(()).expect("it runs");
        // The loop of the client ends with an error, because the server closes the pipe first.
        let ended = self.running.await.expect("it does not panic");
        assert!(matches!(ended, Err(async_lsp::Error::Eof)), "{ended:?}");
        assert!(self.child.wait().await.expect("it ends").success());
    }
}

/// Returns the range of some characters of a line.
fn at(line: u32, character: u32, length: u32) -> Range {
    Range::new(
        Position::new(line, character),
        Position::new(line, character + length),
    )
}

/// Returns a document with tools of three lines each, one in a hundred with an error, not formatted.
fn document(tools: usize) -> String {
    let tool = |number: usize| {
        let ty = if number.is_multiple_of(100) {
            "Txt"
        } else {
            "Text"
        };
        format!(
            "[tool{number}:Tool {{description: \"👋 does e\u{301}\"}} |\n (a::{ty})==>(::String)\n ]\n"
        )
    };
    (0..tools).map(tool).collect()
}

#[tokio::test]
async fn edits_and_formats_a_long_document() {
    let tools = 3334;
    let mut editor = Editor::open(document(tools)).await;
    let wrong = tools.div_ceil(100);
    assert_eq!(editor.diagnostics_count().await, wrong);
    // A hundred edits without a pause: the types of tools without errors are typed again, with a letter
    // too many at the end.
    for number in 1..=25 {
        let tool = number * 131;
        let line = tool * 3 + 1;
        for (range, new) in [
            (at(line, 5, 4), "T"),
            (at(line, 6, 0), "ex"),
            (at(line, 8, 0), "t"),
            (at(line, 9, 0), "x"),
        ] {
            editor.edit(range, new);
        }
    }
    assert_eq!(editor.version, 101);
    let wrong = wrong + 25;
    assert_eq!(editor.diagnostics_count().await, wrong);
    let edits = editor.formatting().await.expect("there is no syntax error");
    let expected = agent_gram::format_source(&editor.text).expect("there is none");
    assert_ne!(editor.text, expected);
    // In reverse order, so that no edit moves the range of another.
    for edit in edits.iter().rev() {
        editor.edit(edit.range, &edit.new_text);
    }
    assert_eq!(editor.text, expected);
    assert_eq!(editor.formatting().await, Some(Vec::new()));
    assert_eq!(editor.diagnostics_count().await, wrong);
    editor.edit(at(0, 0, 0), "(");
    assert_eq!(editor.formatting().await, None);
    editor.close().await;
}
