//! A report as JSON.

use super::{ArmReport, Comparison, ExperimentReport, notes};
use crate::figure::{FIGURES, Figure};
use crate::statistics::{CONFIDENCE, Estimate, RESAMPLES};
use crate::trial::Trial;
use agent_runtime::spec::terminal;
use serde_core::ser::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// The version of the JSON form. It changes when readers must change.
const VERSION: u32 = 1;

impl ExperimentReport {
    /// Returns the report for programs:
    ///
    /// | key | value |
    /// | --- | --- |
    /// | `version` | 1; another number means another form |
    /// | `agent`, `inputs`, `trialsPerInput`, `seed` | the set-up |
    /// | `planned`, `done`, `complete` | the number of planned and of completed runs, and whether they are equal |
    /// | `confidence`, `resamples` | the parameters of the intervals |
    /// | `arms` | a list of `{"name", "model", "runs", "answered", "unscored", "failures": {kind: number}, "usage", "cost", "figures"}` |
    /// | `comparisons` | a list of `{"base", "other", "differences"}`, with `other` - `base` |
    /// | `runs` | a list of `{"arm", "input", "trial", "answer" or "error" with "errorKind", "score" or "scoreError", "toolCalls", "failedCalls", "usage", "cost", "latency"}` |
    /// | `notes` | sentences for people |
    ///
    /// `figures` and `differences` have a key for each [`Figure`], with
    /// `{"value", "low", "high"}`, or null when it is unknown; `low` and `high` are null when there is
    /// no interval. Rates are from 0 to 1, costs in dollars or null, latencies in seconds;
    /// `arm` is the arm's name, `input` the index in `inputs`, from 0, and `trial` counts from 1.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "version": VERSION,
            "agent": self.agent,
            "inputs": self.inputs,
            "trialsPerInput": self.trials_per_input,
            "seed": self.seed,
            "planned": self.planned,
            "done": self.trials.len(),
            "complete": self.is_complete(),
            "confidence": CONFIDENCE,
            "resamples": RESAMPLES,
            "arms": self.arms.iter().map(arm_json).collect::<Value>(),
            "comparisons": self.comparisons.iter().map(comparison_json).collect::<Value>(),
            "runs": self.trials.iter().map(|trial| self.run_json(trial)).collect::<Value>(),
            "notes": notes(self),
        })
    }

    /// Returns the text of [`to_json`](Self::to_json), indented. Characters that control a terminal or change the
    /// direction of writing are escaped.
    #[must_use]
    pub fn to_json_text(&self) -> String {
        terminal::json(&format!("{:#}\n", self.to_json()))
    }

    fn run_json(&self, trial: &Trial) -> Value {
        let mut json = json!({
            "arm": self.arms[trial.arm].name,
            "input": trial.input,
            "trial": trial.number,
            "toolCalls": trial.tool_calls,
            "failedCalls": trial.failed_calls,
            "usage": trial.usage.to_json(),
            "cost": trial.cost,
            "latency": trial.latency.as_secs_f64(),
        });
        match &trial.answer {
            Ok(answer) => json["answer"] = self.masked(answer).into(),
            Err(error) => {
                json["error"] = self.chain(error).into();
                json["errorKind"] = error.kind_name().into();
            }
        }
        match &trial.score {
            Some(Ok(score)) => json["score"] = score.value().into(),
            Some(Err(error)) => json["scoreError"] = self.chain(error).into(),
            None => json["score"] = 0.0.into(),
        }
        json
    }
}

/// Serializes the value of [`to_json`](ExperimentReport::to_json).
impl Serialize for ExperimentReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

fn arm_json(arm: &ArmReport) -> Value {
    json!({
        "name": arm.name,
        "model": arm.model.to_string(),
        "runs": arm.runs,
        "answered": arm.answered,
        "unscored": arm.unscored,
        "failures": arm.failures.iter().map(|(kind, n)| ((*kind).into(), (*n).into())).collect::<Map<_, _>>(),
        "usage": arm.usage.to_json(),
        "cost": arm.cost,
        "figures": estimates_json(&arm.estimates),
    })
}

fn comparison_json(comparison: &Comparison) -> Value {
    json!({
        "base": comparison.base,
        "other": comparison.other,
        "differences": estimates_json(&comparison.estimates),
    })
}

fn estimates_json(estimates: &[Option<Estimate>; FIGURES]) -> Value {
    let members = Figure::ALL.into_iter().zip(estimates);
    let members = members.map(|(figure, estimate)| {
        let json = estimate.map(|Estimate { value, interval }| {
            json!({
                "value": value,
                "low": interval.map(|interval| interval.low),
                "high": interval.map(|interval| interval.high),
            })
        });
        (figure.key().to_owned(), json.unwrap_or_default())
    });
    Value::Object(members.collect())
}
