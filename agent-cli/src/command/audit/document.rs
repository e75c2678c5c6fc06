//! The audit for programs, and as gram.

use super::{Audited, Denied};
use crate::gram_value::gram_value;
use agent_gram::{Pattern, Subject, ValueError, print};
use agent_project::reach::{Reach, way_of};
use serde_json::{Map, Value as Json, json};

/// Returns the audits of agents, and what is denied, as JSON.
pub(super) fn json(audited: &[Audited<'_>], denied: &[Denied<'_>]) -> Json {
    let agents: Vec<Json> = audited
        .iter()
        .map(|agent| Json::Object(members(agent)))
        .collect();
    let denied = denied.iter().map(|found| {
        let agent = found.audited;
        json!({"file": agent.file, "agent": agent.audit.name, "word": found.word, "text": found.text})
    });
    json!({"agents": agents, "denied": denied.collect::<Vec<_>>()})
}

/// Returns the audits of agents as a gram document: a pattern for each agent.
///
/// # Errors
/// Returns an error if a text cannot be a value of gram.
pub(super) fn gram(audited: &[Audited<'_>]) -> Result<String, ValueError> {
    let patterns = audited.iter().map(|agent| {
        let mut subject = Subject::default().with_label("Audit");
        for (key, value) in members(agent) {
            if !value.is_null() {
                subject.properties.insert(key, gram_value(&value)?)?;
            }
        }
        Pattern::new(subject, Vec::new())
    });
    Ok(print(&patterns.collect::<Result<Vec<_>, _>>()?))
}

fn members(agent: &Audited<'_>) -> Map<String, Json> {
    let audit = &agent.audit;
    let leak = audit.leak.as_ref().map(|found| {
        json!({
            "isOpen": found.leak.is_open(),
            "private": found.private,
            "words": found.words,
            "wayOut": found.way_out,
            "cuts": found.cuts,
            "text": found.text,
        })
    });
    let destructive = audit.destructive.iter();
    let destructive = destructive.map(|(tool, text)| json!({"tool": tool, "text": text}));
    let members = [
        ("file", json!(agent.file)),
        ("agent", json!(audit.name)),
        ("line", json!(agent.line)),
        ("column", json!(agent.column)),
        ("requests", json!(audit.bound.requests)),
        ("calls", json!(audit.bound.calls)),
        (
            "dollars",
            json!(audit.bound.dollars.filter(|dollars| dollars.is_finite())),
        ),
        ("unbounded", json!(audit.unbounded)),
        ("reach", reach_json(&agent.reach)),
        ("leak", json!(leak)),
        ("destructive", Json::Array(destructive.collect())),
        ("unknown", json!(audit.unknown)),
        ("whenTainted", json!(audit.when_tainted.as_str())),
    ];
    members
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

fn reach_json(reach: &Reach<'_>) -> Json {
    let grants = reach.grants.map(|grants| {
        let parts = grants.parts().into_iter();
        let parts = parts.map(|(key, texts)| {
            let texts: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
            (key.to_owned(), json!(texts))
        });
        Json::Object(parts.collect())
    });
    let servers = reach.servers.iter().map(|server| {
        let (way, variables) = way_of(server);
        json!({"name": server.name(), "reachedBy": way, "variables": variables})
    });
    json!({"grants": grants, "servers": servers.collect::<Vec<_>>()})
}
