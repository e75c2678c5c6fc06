//! `textDocument/documentSymbol` and `workspace/symbol`: declarations.

use crate::language::symbols::{Symbol, SymbolKind, symbols};
use crate::server::state::{RequestError, State};
use crate::server::text::Text;
use crate::server::workspace::Workspace;
use gen_lsp_types::{
    BaseSymbolInformation, DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location,
    SymbolInformation, SymbolKind as Kind, Uri, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

/// Returns the declarations of a document, as a tree if the client supports it.
pub(super) fn document_symbol(
    state: &State,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, RequestError> {
    let document = state.document(&params.text_document.uri)?;
    let text = document.text();
    let symbols = symbols(document.analysis(&state.tools));
    Ok(Some(if state.client.symbol_tree {
        let tree = symbols.into_iter().map(|symbol| tree(text, symbol));
        DocumentSymbolResponse::DocumentSymbolList(tree.collect())
    } else {
        let mut flat = Vec::new();
        flatten(text, document.uri(), &symbols, None, &|_| true, &mut flat);
        DocumentSymbolResponse::SymbolInformationList(flat)
    }))
}

/// Returns the agents and tools of all documents whose names contain the letters of the query in order.
pub(super) fn workspace_symbol(
    state: &State,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, RequestError> {
    let workspace = Workspace::filtered(state, None, |_| true);
    let mut symbols_found = Vec::new();
    for document in workspace.documents() {
        let (text, uri) = (document.text(), document.uri());
        flatten(
            text,
            uri,
            &symbols(document.analysis()),
            None,
            &|symbol| {
                let is_declaration = matches!(symbol.kind, SymbolKind::Agent | SymbolKind::Tool);
                is_declaration && matches(&symbol.name, &params.query)
            },
            &mut symbols_found,
        );
    }
    Ok(Some(WorkspaceSymbolResponse::SymbolInformationList(
        symbols_found,
    )))
}

/// Returns whether a name contains the letters of a query in order, with any letters between them.
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
        range: text.range(symbol.span),
        selection_range: text.range(symbol.name_span),
        children: (!children.is_empty()).then_some(children),
    }
}

/// Appends the symbols that pass the filter to `out`, at any depth.
fn flatten(
    text: &Text,
    uri: &Uri,
    symbols: &[Symbol],
    container: Option<&str>,
    filter: &dyn Fn(&Symbol) -> bool,
    out: &mut Vec<SymbolInformation>,
) {
    for symbol in symbols {
        if filter(symbol) {
            out.push(information(text, uri, symbol, container));
        }
        flatten(text, uri, &symbol.children, Some(&symbol.name), filter, out);
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
            range: text.range(symbol.span),
        },
        base_symbol_information: BaseSymbolInformation {
            name: symbol.name.clone(),
            kind: kind(symbol.kind),
            tags: None,
            container_name: container.map(str::to_owned),
        },
    }
}
