//! Checks of witnesses with the validator and with a library at run time.

use crate::{Change, Evidence, Stage, Verdict, Version, Witness};
use agent_runtime::tool::{ToolDescriptor, ToolFuture};
use agent_runtime::{Tool, ToolContext, ToolLibrary};
use agent_spec::check::Checked;
use agent_spec::{Agent, Contract, Signature, ToolSettings, ToolSpec};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// A tool that declares the signature of a spec.
struct Declared(ToolDescriptor);

impl Tool for Declared {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.0
    }

    fn call<'a>(&'a self, _arguments: &'a str, _context: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async { Ok(Value::Null) })
    }
}

/// Returns the tools that a document defines or names.
pub(super) fn specs(of: &Checked) -> Vec<&ToolSpec> {
    let own = of.tools.iter().map(|node| &node.spec);
    let named = of.agents.iter().flat_map(|node| node.agent.tools());
    let mut names = HashSet::new();
    own.chain(named)
        .filter(|spec| names.insert(spec.name()))
        .collect()
}

/// Returns a library whose tools declare the signatures of a document.
pub(super) fn library(of: &Checked) -> ToolLibrary {
    let mut library = ToolLibrary::new();
    for spec in specs(of) {
        let tool = Declared(ToolDescriptor::new(
            spec.name().to_owned().into(),
            spec.description().to_owned().into(),
            Contract::Signature(spec.signature().clone()),
            ToolSettings::default(),
        ));
        library.add(tool).expect("the checker took the name");
    }
    library
}

/// Whether a signature accepts a call with all of its arguments.
pub(super) fn takes(signature: &Signature, args: &Map<String, Value>) -> bool {
    let text = Value::Object(args.clone()).to_string();
    let checked = signature.check_arguments(&text, None);
    checked.is_ok_and(|arguments| arguments.dropped().is_empty())
}

/// Fails unless every breaking verdict of a change has a witness that shows it.
pub(super) fn assert_shown(change: &Change, old: &Checked, new: &Checked) {
    for verdict in [&change.implementation, &change.caller] {
        if let Verdict::Breaking(Evidence::Missing(reason)) = verdict {
            panic!("{reason}: {change:#?}");
        }
    }
    assert_shown_or_missing(change, old, new);
}

/// Fails unless every witness of a change shows that it is breaking.
pub(super) fn assert_shown_or_missing(change: &Change, old: &Checked, new: &Checked) {
    for verdict in [&change.implementation, &change.caller] {
        if let Verdict::Breaking(Evidence::Witness(witness)) = verdict {
            assert!(is_shown(witness, change, old, new), "{change:#?}");
        }
    }
}

fn is_shown(witness: &Witness, change: &Change, old: &Checked, new: &Checked) -> bool {
    let spec = |of: Version| {
        let document = if of == Version::Old { old } else { new };
        specs(document)
            .into_iter()
            .find(|spec| spec.name() == witness.tool)
    };
    if witness.refused_at == Stage::Lookup && change.agent.as_ref() == Some(&witness.tool) {
        let agent = |of: &Checked| {
            let mut agents = of.agents.iter().map(|node| node.agent.clone());
            agents.find(|agent| agent.name() == witness.tool)
        };
        let is_taken = |agent: Agent| takes(agent.signature(), &witness.args);
        return agent(old).is_some_and(is_taken) && agent(new).is_none();
    }
    let (by, other) = (spec(witness.accepted_by), spec(witness.accepted_by.other()));
    let Some(by) = by else {
        return false;
    };
    let is_taken = || takes(by.signature(), &witness.args);
    match (witness.refused_at, &witness.result) {
        (Stage::Arguments, None) => {
            is_taken() && other.is_some_and(|other| !takes(other.signature(), &witness.args))
        }
        (Stage::Result, Some(result)) => {
            let allows = |spec: &ToolSpec| spec.signature().returns().ty().validate(result).is_ok();
            // The side that refuses the result accepts the call.
            other.is_some_and(|other| takes(other.signature(), &witness.args) && !allows(other))
                && allows(by)
        }
        (Stage::Lookup, None) => {
            let offers = |of: &Checked| {
                let agent = change.agent.as_deref().unwrap_or_default();
                let agent = of.agents.iter().find(|node| node.agent.name() == agent);
                agent.is_some_and(|node| node.agent.tool(&witness.tool).is_some())
            };
            is_taken() && (other.is_none() || offers(old) && !offers(new))
        }
        (Stage::Binding, None) => {
            is_taken() && witness.accepted_by == Version::New && library(old).bind(by).is_err()
        }
        _ => false,
    }
}
