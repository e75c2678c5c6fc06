//! Expands the function of an agent.

use super::check::{CheckedAgentFn, crate_path, type_name};
use super::parse::ParsedAgentFn;
use super::settings::AgentSettings;
use crate::agent::{
    Document, FunctionAgent, GramSource, GramText, Input, Locks, Models, errors,
    expand_function_agent,
};
use crate::doc::Description;
use crate::export::expand_export;
use crate::import::in_scope;
use crate::report::Report;
use crate::tokens::{Tokens, call_at, option, respanned};
use crate::tool::{
    expand_broken_tool, expand_params, expand_slots, expand_type, imports, type_visibility, wrap,
};
use crate::tool_list::{constants, paths_of};
use agent_gram::value::Text;
use agent_spec::Agent;
use agent_spec::case::camel_case;
use agent_spec::check::{Options as CheckOptions, check};
use agent_spec::instruction::variables;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::BTreeSet;
use syn::LitStr;
use syn::spanned::Spanned as _;

/// The function with its body, and the type beside it. For
///
/// ```ignore
/// /// Translates a text
/// #[agent_fn(file = "agents/translate.gram", tools = [look_up])]
/// async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error>;
/// ```
///
/// this is
///
/// ```ignore
/// /// Translates a text
/// async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error> {
///     use ::agent_runtime::__private::{self as __rt, …};
///     let mut __call = __rt::AgentCall::new(<translate as __rt::StaticTool>::SLOTS);
///     __rt::Passed(runtime).to(&mut __call, "runtime");
///     __rt::Passed(text).to(&mut __call, "text");
///     <__rt::AnswerOf<Result<String, Error>>>::answer(__call, translate::AGENT, translate::__library()).await
/// }
///
/// struct translate {}
/// const _: () = {
///     use ::agent_runtime::__private::{self as __rt, …};
///     impl translate {
///         pub const AGENT: __rt::Agent = …;       // as `agent!` makes it
///         pub const GRAM: &'static str = "…";
///         fn __library() -> &'static __rt::ToolLibrary { … }
///     }
///     impl __rt::StaticTool for translate { … }   // with the signature of the agent
///     const __FUNCTION: &__rt::ToolDescriptor = …; // with the signature of the function
///     const __AGENT: &__rt::Agent = &<translate>::AGENT;
///     const _: () = __rt::check_call(__AGENT, __FUNCTION, …);   // at the gram token
/// };
/// ```
pub(super) fn expand(report: &Report, checked: &CheckedAgentFn<'_>) -> Option<TokenStream> {
    let krate = &checked.krate;
    let path = quote!(#krate::__private);
    let agent = match &checked.parsed.settings.gram {
        Some(source) => of_gram(report, checked, source, &path)?,
        None => of_attribute(report, checked, &path)?,
    };
    if !report.is_empty() {
        return None;
    }
    let function = expand_function(checked);
    let items = expand_items(checked, &agent);
    let name = &checked.parsed.function.signature.ident;
    let items = wrap(krate, name, &items);
    Some(quote!(#function #items))
}

/// Expands an agent that is written in gram.
fn of_gram(
    report: &Report,
    checked: &CheckedAgentFn<'_>,
    source: &GramSource,
    rt: &TokenStream,
) -> Option<FunctionAgent> {
    let input = Input {
        krate: checked.krate.clone(),
        item: None,
        options: checked.parsed.settings.options.clone(),
        source: source.clone(),
        locks: Locks::default(),
        models: Models::default(),
    };
    expand_function_agent(report, &input, &checked.name, rt)
}

/// A description that only rustc knows, in the text of an agent.
const UNKNOWN: &str = "the description of the function";

/// Expands an agent that is written in the attribute.
fn of_attribute(
    report: &Report,
    checked: &CheckedAgentFn<'_>,
    rt: &TokenStream,
) -> Option<FunctionAgent> {
    let settings = &checked.parsed.settings;
    let properties = &settings.properties;
    let place = checked.parsed.function.signature.ident.span();
    let description = checked.description.as_ref().map(|text| match text {
        Description::Known(text) => text.as_str(),
        Description::Computed(_) => UNKNOWN,
    });
    let is_chosen = properties
        .others
        .iter()
        .any(|found| found.key == "toolChoice");
    let tools = match is_chosen {
        true => references(settings),
        false => Vec::new(),
    };
    let text = |variables: &[LitStr]| {
        GramText::of_tokens(properties.tokens(place, description, &tools, variables))
    };
    let printed = text(properties.variables.as_deref().unwrap_or_default()).text;
    let document = Document::Tokens(text(&[]));
    let agent = checked_agent(report, settings, &document)?;
    let tokens = Tokens { rt };
    let value = attribute_value(checked, &agent, &tokens);
    let templates = expand_template_checks(checked);
    let described = checked
        .description
        .as_ref()
        .and_then(|text| text.expand_check(&quote!(__rt), place));
    Some(FunctionAgent {
        value,
        gram: attribute_gram(checked, &printed),
        descriptor: None,
        has_description: checked.description.is_some(),
        settings: tokens.agent_settings(&agent),
        checks: quote!(#templates #described),
    })
}

/// Returns the names of the tools that are functions, derived from their names in Rust.
fn references(settings: &AgentSettings) -> Vec<Ident> {
    let tools = settings.options.tools.iter();
    let names = tools.filter_map(|tool| {
        let name = &tool.path()?.segments.last()?.ident;
        Some(Ident::new(&camel_case(&name.to_string()), name.span()))
    });
    names.collect()
}

/// Reads the agent of an attribute. Reports its errors.
fn checked_agent(report: &Report, settings: &AgentSettings, document: &Document) -> Option<Agent> {
    let providers: Vec<&str> = settings
        .options
        .providers
        .iter()
        .map(String::as_str)
        .collect();
    let checked = check(
        document.text(),
        CheckOptions {
            providers: &providers,
            keep_unknown_references: true,
            model_rules: Some(Models::default().rules()),
            ..CheckOptions::default()
        },
    );
    let errors = errors(&checked);
    document.report(report, &errors);
    match checked.agents.as_slice() {
        [node] if errors.is_empty() => Some(node.agent.clone()),
        _ => None,
    }
}

/// Returns the agent as an expression for a `const`.
fn attribute_value(
    checked: &CheckedAgentFn<'_>,
    agent: &Agent,
    tokens: &Tokens<'_>,
) -> TokenStream {
    let rt = tokens.rt;
    let settings = &checked.parsed.settings;
    let type_name = &checked.type_name;
    let (name, instruction) = (&checked.name, agent.instruction());
    let description = checked.description.as_ref();
    let description = option(rt, description.map(|text| text.expand(rt)));
    let model = tokens.model(agent.model());
    let run_settings = tokens.settings(agent.settings());
    let extra = tokens.record(agent.extra());
    let own = quote!(#rt::signature_of(<#type_name as #rt::AgentFn>::FUNCTION));
    let variables = settings.properties.variables.as_ref().map(|names| {
        let names = names.iter().map(|name| Text::from(name.value()));
        names.collect::<Vec<_>>()
    });
    let function = tokens.agent_function(agent, Some(own), variables.as_deref());
    let (constants, specs) = match settings.options.tools.as_slice() {
        [] => (TokenStream::new(), quote!(&[])),
        tools => {
            let constants = constants(rt, tools, "agent");
            let specs = quote!(const { &#rt::specs_of::<{ TOOLS.len() }>(TOOLS) });
            (constants, specs)
        }
    };
    let body = quote! {
        #constants
        #rt::Agent::from_static(
            #name, #description, #instruction, #model, #run_settings, #specs, &[], #extra,
            #function, &[],
        )
    };
    let value = in_scope(rt, &paths_of(&settings.options.tools), &[], &body);
    quote!({ #value })
}

/// Returns the checks of the variables in the templates, at their literals.
fn expand_template_checks(checked: &CheckedAgentFn<'_>) -> TokenStream {
    let properties = &checked.parsed.settings.properties;
    let listed = properties.variables.as_deref().unwrap_or_default();
    let texts = ["instruction", "prompt"].into_iter();
    let texts = texts.filter_map(|key| properties.text(key));
    let check = |text: &LitStr| -> TokenStream {
        let template = text.value();
        let names: BTreeSet<&str> = variables(&template).into_iter().collect();
        let checks = names.iter().map(|name| {
            let arguments = quote!(#name, __FUNCTION, &[#(#listed),*]);
            call_at(text.span(), quote!(__rt::check_filled), arguments)
        });
        quote!(#(const _: () = #checks;)*)
    };
    let host = listed.iter().map(|name| {
        let arguments = quote!(#name, __FUNCTION);
        let check = call_at(name.span(), quote!(__rt::check_host_fills), arguments);
        quote!(const _: () = #check;)
    });
    texts.map(|text| check(&text)).chain(host).collect()
}

/// Returns the gram of an agent whose signature only rustc knows, as an expression.
fn attribute_gram(checked: &CheckedAgentFn<'_>, text: &str) -> TokenStream {
    let formatted = agent_gram::format::format_source(text).unwrap_or_default();
    let end = formatted.rfind('}').map_or(0, |at| at + 1);
    let name = agent_gram::print::writer::to_string(|writer| writer.identity(&checked.name));
    let head = formatted[..end].strip_prefix("[agent").unwrap_or_default();
    let head = format!("[{name}{head}");
    let unknown = format!("\"{UNKNOWN}\"");
    let (before, description, after) = match (&checked.description, head.split_once(&unknown)) {
        (Some(text @ Description::Computed(_)), Some((before, after))) => {
            let text = text.expand(&quote!(__rt));
            let description = quote!(__rt::Some(#text));
            (before.to_owned(), description, after.to_owned())
        }
        _ => (head, quote!(__rt::None), String::new()),
    };
    let agent_type = &checked.type_name;
    quote!({
        const __THIS: &__rt::Agent = &<#agent_type>::AGENT;
        const __TEXT: &__rt::AgentText = &__rt::AgentText {
            before: #before,
            description: #description,
            after: #after,
            signature: __THIS.signature(),
            tools: __THIS.tools(),
        };
        const __BYTES: [__rt::u8; __rt::agent_len(__TEXT)] = __rt::agent_bytes(__TEXT);
        __rt::text_of(&__BYTES)
    })
}

/// Returns the function with its body.
fn expand_function(checked: &CheckedAgentFn<'_>) -> TokenStream {
    let imports = imports(&checked.krate);
    let type_name = &checked.type_name;
    let call = &Ident::new("__call", Span::mixed_site());
    let parameters = checked.parameters.iter().zip(&checked.idents);
    let given = parameters.map(|(parameter, ident)| {
        let (name, conditions) = (&parameter.name, &parameter.conditions);
        let value = match parameter.is_reference {
            true => quote!(#ident),
            false => quote!(&#ident),
        };
        // rustc marks the type if serde cannot write it.
        let given = quote!(__rt::Passed(#value).to(&mut #call, #name));
        let given = respanned(given, parameter.ty.span());
        quote!(#(#conditions)* #given;)
    });
    // rustc marks the type if the answer or the error cannot be of it.
    let returns = &checked.returns;
    let answer = quote_spanned!(returns.span()=> <__rt::AnswerOf<#returns>>::answer);
    let arguments = quote!((#call, <#type_name>::AGENT, <#type_name>::__library()));
    let arguments = respanned(arguments, returns.span());
    let awaited = respanned(quote!(.await), returns.span());
    body(
        checked.parsed,
        &quote! {
            #imports
            let mut #call = __rt::AgentCall::new(<#type_name as __rt::StaticTool>::SLOTS);
            #(#given)*
            #answer #arguments #awaited
        },
    )
}

/// Returns the function with a body.
fn body(parsed: &ParsedAgentFn, body: &TokenStream) -> TokenStream {
    let function = &parsed.function;
    let (attributes, visibility) = (&function.attributes, &function.visibility);
    let signature = &function.signature;
    quote! {
        #(#attributes)*
        #visibility #signature {
            #body
        }
    }
}

/// Returns the type beside the function, with the agent.
fn expand_items(checked: &CheckedAgentFn<'_>, agent: &FunctionAgent) -> TokenStream {
    let CheckedAgentFn {
        type_name,
        conditions,
        returns,
        ..
    } = checked;
    let allowed = checked.parsed.function.allowed();
    let rt = &quote!(__rt);
    let function = &checked.parsed.function;
    let names = (type_name, &function.signature.ident);
    let (visibility, listed) = type_visibility(&function.visibility, names, rt);
    let the_type = expand_type(&visibility, type_name, conditions);
    let imports = imports(&checked.krate);
    let (slots, slot_checks) = expand_slots(&checked.parameters, rt);
    let this = quote!(<#type_name as #rt::StaticTool>);
    let function = expand_signature(checked, agent, &this);
    let descriptor = match &agent.descriptor {
        Some(descriptor) => quote!(&#descriptor),
        None => quote!(<Self as #rt::AgentFn>::FUNCTION),
    };
    let has_description = agent.has_description;
    let place = checked.parsed.function.signature.ident.span();
    let described = quote!(#rt::check_agent_described);
    let described = call_at(place, described, quote!(#has_description));
    let shown = quote_spanned! {returns.span()=>
        <#rt::Shown<<#returns as #rt::AgentResult>::Error>>::IS_SHOWN
    };
    let error_check = call_at(returns.span(), quote!(#rt::check_agent_error), shown);
    let answer_check = quote!(#rt::check_answer);
    let answer_check = call_at(returns.span(), answer_check, quote!(__FUNCTION));
    let host = quote!(#rt::count_host(#this::SLOTS));
    let runtime_check = call_at(place, quote!(#rt::check_one_runtime), host);
    let library = expand_library(checked);
    let FunctionAgent {
        value,
        gram,
        checks,
        ..
    } = agent;
    let export = expand_export_of(checked);
    quote! {
        #the_type
        #(#conditions)*
        #(#allowed)*
        const _: () = {
            #imports
            impl #type_name {
                /// The agent.
                pub const AGENT: #rt::Agent = #value;
                /// The document of the agent in gram.
                pub const GRAM: &'static #rt::str = #gram;

                /// The tools of the agent.
                fn __library() -> &'static #rt::ToolLibrary {
                    static LIBRARY: #rt::OnceLock<#rt::ToolLibrary> = #rt::OnceLock::new();
                    LIBRARY.get_or_init(|| { #library })
                }
            }
            #[automatically_derived]
            impl #rt::AgentFn for #type_name {
                const FUNCTION: &'static #rt::ToolDescriptor = #function;
            }
            #[automatically_derived]
            impl #rt::StaticTool for #type_name {
                const TOOL: Self = Self {};
                const SLOTS: &'static [#rt::Slot] = #slots;
                const DESCRIPTOR: &'static #rt::ToolDescriptor = {
                    #described;
                    #error_check;
                    #descriptor
                };
                #listed
                fn invoke<'a>(
                    __text: &'a #rt::str, __context: &'a #rt::ToolContext,
                ) -> #rt::ToolFuture<'a> {
                    match <Self as #rt::StaticTool>::agent() {
                        #rt::Some(__agent) => #rt::call_agent(__agent, __text, __context),
                        #rt::None => #rt::broken_call(),
                    }
                }
                fn agent() -> #rt::Option<#rt::AgentTool> {
                    #rt::agent_tool(Self::AGENT, Self::__library())
                }
            }
            #(#slot_checks)*
            const _: () = #answer_check;
            const _: () = #runtime_check;
            const __FUNCTION: &#rt::ToolDescriptor = <#type_name as #rt::AgentFn>::FUNCTION;
            const __AGENT: &#rt::Agent = &<#type_name>::AGENT;
            #checks
        };
        #export
    }
}

/// Returns the descriptor of the function with its own signature, which is compared with the agent's.
fn expand_signature(
    checked: &CheckedAgentFn<'_>,
    agent: &FunctionAgent,
    this: &TokenStream,
) -> TokenStream {
    let rt = &quote!(__rt);
    let (name, returns) = (&checked.name, &checked.returns);
    let description = match &checked.description {
        Some(text) => text.expand(rt),
        None => quote!(""),
    };
    let params = expand_params(checked.parameters.len(), this, rt);
    let answer = quote_spanned! {returns.span()=>
        <<#returns as #rt::AgentResult>::Answer as #rt::GramType>::TYPE
    };
    let settings = &agent.settings;
    quote!(&#rt::descriptor(#name, #description, #params, #answer, #settings))
}

/// Returns the library of the agent's tools.
fn expand_library(checked: &CheckedAgentFn<'_>) -> TokenStream {
    let tools = &checked.parsed.settings.options.tools;
    let krate = &checked.krate;
    let rt = &quote!(#krate::__private);
    if tools.is_empty() {
        return quote!(#rt::ToolLibrary::new());
    }
    let library = &Ident::new("__library", Span::mixed_site());
    let added = tools.iter().map(|tool| tool.add(rt, library));
    let body = quote! {
        let mut #library = #rt::ToolLibrary::new();
        #(#added)*
        #library
    };
    in_scope(rt, &paths_of(tools), &[], &body)
}

/// Returns the test that writes the gram of the agent to a file, or compares it.
fn expand_export_of(checked: &CheckedAgentFn<'_>) -> Option<TokenStream> {
    let (folder, place) = checked.parsed.settings.options.export.as_ref()?;
    let (krate, type_name) = (&checked.krate, &checked.type_name);
    Some(expand_export(
        &quote!(#krate::__private),
        *place,
        &checked.conditions,
        &format_ident!("export_{}", checked.parsed.function.signature.ident),
        &quote!(export_agent),
        &quote!(#folder, &<#type_name>::AGENT),
    ))
}

/// Expands a function with errors, so that its uses are not reported, too.
pub(super) fn expand_skeleton(parsed: &ParsedAgentFn) -> TokenStream {
    let krate = crate_path(&parsed.settings);
    let rt = quote!(#krate::__private);
    let name = type_name(parsed);
    let conditions = parsed.function.conditions();
    let function = body(parsed, &quote!(::core::panic!("the agent did not compile")));
    // The body that would use the parameters is missing, so that warnings about them would only hide the error.
    let function = quote!(#[allow(unused_variables, unused_mut)] #function);
    // A type is not allowed beside a method.
    if parsed.function.is_associated() {
        return function;
    }
    let the_type = expand_type(&parsed.function.visibility, &name, &conditions);
    let broken = expand_broken_tool(&rt, &name, &conditions);
    quote! {
        #function
        #the_type
        #(#conditions)*
        impl #name {
            #[doc(hidden)]
            pub const AGENT: #rt::Agent = #rt::BROKEN_AGENT;
            #[doc(hidden)]
            pub const GRAM: &'static #rt::str = "";
        }
        #broken
    }
}
