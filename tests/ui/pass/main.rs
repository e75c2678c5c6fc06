//! Code that the macros accept: a module a case, whose `main` is run as a test.

#![forbid(non_ascii_idents)]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "these are asked for here, and not in the programs that the cases stand for"
)]
#![allow(
    clippy::needless_arbitrary_self_type,
    reason = "the macros must also accept the spellings that clippy would shorten"
)]

/// Declares the modules, and a test for each.
macro_rules! cases {
    ($($name:ident,)+) => {
        $(
            #[doc = "A case."]
            pub mod $name;
        )+

        $(
            #[test]
            fn $name() {
                $name::main();
            }
        )+

        const CASES: &[&str] = &[$(stringify!($name)),+];
    };
}

#[test]
fn every_file_is_a_case() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/pass");
    let files = std::fs::read_dir(folder).expect("the folder can be listed");
    let mut files: Vec<String> = files
        .map(|file| file.expect("the folder can be listed").file_name())
        .filter_map(|name| Some(name.to_str()?.strip_suffix(".rs")?.to_owned()))
        .filter(|name| name != "main")
        .collect();
    files.sort();
    assert_eq!(files, CASES);
}

cases! {
    agent_as_an_item,
    agent_denials,
    agent_dynamic,
    agent_fn_as_tools,
    agent_fn_hygiene,
    agent_fn_in_an_attribute,
    agent_fn_in_functions,
    agent_fn_parameters,
    agent_fn_results,
    agent_fn_sources,
    agent_function_names,
    agent_lists_of_tools,
    agent_mcp,
    agent_models,
    agent_nested_types,
    agent_one_of_several,
    agent_providers,
    agent_reference_in_a_file,
    agent_spellings,
    agent_through_a_macro,
    agent_wider_results,
    agents,
    cfg_on_a_parameter,
    default_characters,
    derive_enums,
    derive_flatten,
    derive_hygiene,
    derive_in_functions,
    derive_merged,
    derive_structs,
    docs,
    every_parameter_kind,
    every_result_kind,
    from_a_file,
    gram_values,
    hygiene,
    hygiene_attributes,
    hygiene_conditions,
    hygiene_instrument,
    hygiene_lints,
    hygiene_macros_by_example,
    hygiene_names_in_scope,
    hygiene_no_prelude,
    hygiene_places,
    hygiene_raw_names,
    hygiene_std_names,
    hygiene_unused,
    media,
    parameter_kinds,
    results,
    settings,
    toolbox_conditions,
    toolbox_facade,
    toolbox_generic,
    toolbox_hygiene,
    toolbox_parts,
    toolbox_receivers,
    toolbox_self_types,
    toolbox_settings,
    tools_no_prelude,
    tools_of_every_kind,
    tools_that_clash,
    types_duration,
    types_narrowed,
    types_of_std,
}
