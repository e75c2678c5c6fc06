//! `textDocument/documentSymbol` and `workspace/symbol`: what is declared.

use super::Failure;
use crate::language::symbols::{Symbol, SymbolKind, symbols};
use crate::server::main_loop::Server;
use crate::server::text::Text;
use crate::server::workspace::Workspace;
use gen_lsp_types::{
    BaseSymbolInformation, DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location,
    SymbolInformation, SymbolKind as Kind, Uri, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

/// What a document declares: a tree, for a client that takes one.
pub(super) fn of_document(
    server: &Server,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, Failure> {
    let document = server.document(&params.text_document.uri)?;
    let text = document.text();
    let symbols = symbols(document.analysis(&server.known));
    Ok(Some(if server.client().symbol_tree {
        let tree = symbols.into_iter().map(|symbol| tree(text, symbol));
        DocumentSymbolResponse::DocumentSymbolList(tree.collect())
    } else {
        let mut flat = Vec::new();
        flatten(text, document.uri(), &symbols, None, &|_| true, &mut flat);
        DocumentSymbolResponse::SymbolInformationList(flat)
    }))
}

/// The agents and tools of all documents whose names hold the letters of the query, in this order.
pub(super) fn of_workspace(
    server: &Server,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, Failure> {
    let workspace = Workspace::of(server, None, |_| true);
    let mut found = Vec::new();
    for member in workspace.members() {
        let (text, uri) = (member.text(), member.uri());
        flatten(
            text,
            uri,
            &symbols(member.analysis()),
            None,
            &|symbol| {
                let is_own = matches!(symbol.kind, SymbolKind::Agent | SymbolKind::Tool);
                is_own && matches(&symbol.name, &params.query)
            },
            &mut found,
        );
    }
    Ok(Some(WorkspaceSymbolResponse::SymbolInformationList(found)))
}

/// Whether a name has the letters of a query, in this order, with others between them.
fn matches(name: &str, query: &str) -> bool {
    let mut name = name.chars().flat_map(char::to_lowercase);
    let mut query = query.chars().flat_map(char::to_lowercase);
    query.all(|wanted| name.any(|c| c == wanted))
}

fn kind(kind: SymbolKind) -> Kind {
    match kind {
        SymbolKind::Agent => Kind::Class,
        SymbolKind::Tool => Kind::Function,
        SymbolKind::Reference => Kind::Method,
        SymbolKind::Parameter => Kind::Variable,
    }
}

fn tree(text: &Text, symbol: Symbol) -> DocumentSymbol {
    let children: Vec<_> = symbol
        .children
        .into_iter()
        .map(|child| tree(text, child))
        .collect();
    #[expect(deprecated, reason = "the type has the member")]
    DocumentSymbol {
        name: symbol.name,
        detail: symbol.detail,
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: text.range(symbol.whole),
        selection_range: text.range(symbol.place),
        children: (!children.is_empty()).then_some(children),
    }
}

/// The symbols that are wanted, and those in them, one after another.
fn flatten(
    text: &Text,
    uri: &Uri,
    symbols: &[Symbol],
    container: Option<&str>,
    is_wanted: &dyn Fn(&Symbol) -> bool,
    found: &mut Vec<SymbolInformation>,
) {
    for symbol in symbols {
        if is_wanted(symbol) {
            found.push(information(text, uri, symbol, container));
        }
        flatten(
            text,
            uri,
            &symbol.children,
            Some(&symbol.name),
            is_wanted,
            found,
        );
    }
}

fn information(
    text: &Text,
    uri: &Uri,
    symbol: &Symbol,
    container: Option<&str>,
) -> SymbolInformation {
    #[expect(deprecated, reason = "the type has the member")]
    SymbolInformation {
        deprecated: None,
        location: Location {
            uri: uri.clone(),
            range: text.range(symbol.whole),
        },
        base_symbol_information: BaseSymbolInformation {
            name: symbol.name.clone(),
            kind: kind(symbol.kind),
            tags: None,
            container_name: container.map(str::to_owned),
        },
    }
}
