//! `textDocument/documentSymbol` and `workspace/symbol`: declarations.

use crate::language::symbols::{Symbol, SymbolKind, cut, declarations, symbols};
use crate::server::state::{RequestError, State};
use crate::server::text::Text;
use crate::server::workspace::Workspace;
use agent_gram::Span;
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
        flatten(text, document.uri(), &symbols, None, &mut flat);
        DocumentSymbolResponse::SymbolInformationList(flat)
    }))
}

/// Returns the agents and tools of all documents whose names contain the letters of the query in order.
/// The best matches come first.
pub(super) fn workspace_symbol(
    state: &State,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, RequestError> {
    let workspace = Workspace::filtered(state, None, |_| true);
    let query = params.query.to_lowercase();
    let mut found = Vec::new();
    for (index, document) in workspace.documents().iter().enumerate() {
        for declaration in declarations(&document.analyze()) {
            if let Some(rank) = rank(declaration.name, &query) {
                found.push(Found {
                    place: (rank, index, declaration.span),
                    name: cut(declaration.name),
                    kind: declaration.kind,
                    container: declaration.container.map(cut),
                });
            }
        }
    }
    found.sort_by_key(|found| found.place);
    let symbols = found.into_iter().filter_map(|found| {
        let (_, document, span) = found.place;
        let location = workspace.location(document, span)?;
        let Found {
            name,
            kind,
            container,
            ..
        } = found;
        Some(information(location, name, kind, container))
    });
    Ok(Some(WorkspaceSymbolResponse::SymbolInformationList(
        symbols.collect(),
    )))
}

/// A declaration that matches a query.
struct Found {
    /// The rank, the index of the document and the span, by which the answer is sorted.
    place: (u8, usize, Span),
    name: String,
    kind: SymbolKind,
    container: Option<String>,
}

/// Returns the rank of a name for a query in lower case; 0 is the best. From the best to the worst, the name
/// is the query, begins with it, contains it, or contains its letters in order, with any letters between
/// them.
fn rank(name: &str, query: &str) -> Option<u8> {
    if query.is_empty() {
        return Some(0);
    }
    let mut letters = name.chars().flat_map(char::to_lowercase);
    if !query.chars().all(|wanted| letters.any(|c| c == wanted)) {
        return None;
    }
    let name = name.to_lowercase();
    Some(match name.find(query) {
        Some(0) if name.len() == query.len() => 0,
        Some(0) => 1,
        Some(_) => 2,
        None => 3,
    })
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

/// Appends the symbols to `out`, at any depth.
fn flatten(
    text: &Text,
    uri: &Uri,
    symbols: &[Symbol],
    container: Option<&str>,
    out: &mut Vec<SymbolInformation>,
) {
    for symbol in symbols {
        let location = Location {
            uri: uri.clone(),
            range: text.range(symbol.span),
        };
        let container = container.map(str::to_owned);
        let name = symbol.name.clone();
        out.push(information(location, name, symbol.kind, container));
        flatten(text, uri, &symbol.children, Some(&symbol.name), out);
    }
}

fn information(
    location: Location,
    name: String,
    kind_found: SymbolKind,
    container_name: Option<String>,
) -> SymbolInformation {
    #[expect(deprecated, reason = "the type has the member")]
    SymbolInformation {
        deprecated: None,
        location,
        base_symbol_information: BaseSymbolInformation {
            name,
            kind: kind(kind_found),
            tags: None,
            container_name,
        },
    }
}
