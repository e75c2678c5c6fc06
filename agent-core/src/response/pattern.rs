//! Responses as patterns, so that they can be stored and queried in gram.

use super::{AgentResponse, ToolInvocation};
use crate::conversation::{
    Part, ReadError, check_label, is_part, json_of, opt_record_text, pattern_of_call, put_text,
    read_part, read_taint, record_text, tool_of_call, value_of, write_part, wrong,
};
use crate::model::{FinishReason, Usage};
use agent_gram::value::Record;
use agent_gram::{Pattern, Subject, Value, ValueError};
use agent_tool::tool::ToolError;

const RESPONSE: &str = "AgentResponse";
const INVOCATION: &str = "ToolInvocation";

impl AgentResponse {
    /// Returns the response as a pattern. Its elements are the [`ToolInvocation`]s, each with the tool as its
    /// element, and before them the parts of the answer, labelled `Part`, if it is not one text. [`from_pattern`](Self::from_pattern) reads an equal response.
    ///
    /// The patterns have no names, because a document may contain several runs, in which call ids repeat.
    ///
    /// ```
    /// use agent_runtime::{AgentResponse, gram};
    ///
    /// let text = r#"[:AgentResponse {
    ///   content: "Hello, Ada!",
    ///   finishReason: "stop",
    ///   usage: {inputTokens: 60, outputTokens: 12, requests: 2}
    /// } |
    ///   [:ToolInvocation {
    ///     callId: "call_1",
    ///     args: {personName: "Ada", title: json`null`},
    ///     result: "Hello, Ada!",
    ///     attempt: 1
    ///   } |
    ///     (sayHello)
    ///   ]
    /// ]"#;
    /// let pattern = gram::parse_patterns(text).expect("gram").remove(0);
    /// let response = AgentResponse::from_pattern(&pattern)?;
    /// assert_eq!(response.tools_used[0].tool, "sayHello");
    /// assert!(response.tools_used[0].args["title"].is_null());
    /// assert_eq!(response.to_pattern()?, pattern);
    ///
    /// let calls = pattern.filter(|found| found.subject().has_label("ToolInvocation"));
    /// assert_eq!(calls.count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// `args` and `result` are gram values. JSON that gram cannot express is JSON text with the tag `json`: `null`,
    /// and values that are nested more than 64 levels deep. A failed call has `error: {kind, text}` in place of
    /// `result`, and `errorText` if the model read another text.
    ///
    /// # Errors
    /// When arguments or a result are nested more than 191 levels deep, which parsed JSON never is.
    pub fn to_pattern(&self) -> Result<Pattern, ValueError> {
        let mut subject = Subject::default().with_label(RESPONSE);
        let record = &mut subject.properties;
        put_text(record, "content", &self.content)?;
        put_text(record, "finishReason", self.finish_reason.as_str())?;
        record.insert("usage", value_of(&self.usage.to_json())?)?;
        if let Some(dollars) = self.cost {
            record.insert("cost", value_of(&dollars.into())?)?;
        }
        if !self.warnings.is_empty() {
            record.insert("warnings", value_of(&self.warnings.clone().into())?)?;
        }
        let parts = self.several_parts().unwrap_or_default();
        let mut elements = Vec::with_capacity(parts.len() + self.tools_used.len());
        for part in parts {
            elements.push(write_part(part)?);
        }
        for invocation in &self.tools_used {
            elements.push(invocation.to_pattern()?);
        }
        Pattern::new(subject, elements)
    }

    /// Reads the pattern of a response. Unknown properties are ignored.
    ///
    /// # Errors
    /// When a label is wrong, or a property is missing or invalid.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, ReadError> {
        check_label(pattern, RESPONSE)?;
        let record = &pattern.subject().properties;
        let mut tools_used = Vec::with_capacity(pattern.elements().len());
        let mut parts = Vec::new();
        for (number, element) in pattern.elements().iter().enumerate() {
            let at = |error| ReadError::new(format!("element {number}: {error}"));
            if is_part(element) {
                parts.push(read_part(element).map_err(at)?);
            } else {
                tools_used.push(ToolInvocation::from_pattern(element).map_err(at)?);
            }
        }
        let content = record_text(record, "content")?.to_owned();
        if parts.is_empty() && !content.is_empty() {
            parts.push(Part::Text(content.clone()));
        }
        Ok(Self {
            content,
            parts,
            tools_used,
            usage: match record.get("usage") {
                Some(value) => usage(value)?,
                None => Usage::default(),
            },
            cost: match record.get("cost") {
                Some(value) => Some(dollars(value)?),
                None => None,
            },
            finish_reason: match record.get("finishReason") {
                Some(_) => FinishReason::from_word(record_text(record, "finishReason")?),
                None => FinishReason::default(),
            },
            warnings: match record.get("warnings") {
                Some(value) => warnings(value)?,
                None => Vec::new(),
            },
        })
    }
}

fn warnings(value: &Value) -> Result<Vec<String>, ReadError> {
    let wrong = || ReadError::new("`warnings` is a list of texts");
    let json = json_of(value).map_err(|_| wrong())?;
    let items = json.as_array().ok_or_else(wrong)?.iter();
    items
        .map(|item| Ok(item.as_str().ok_or_else(wrong)?.to_owned()))
        .collect()
}

impl ToolInvocation {
    /// Returns the call as a pattern; see [`AgentResponse::to_pattern`].
    ///
    /// # Errors
    /// When arguments or the result are nested too deep.
    pub fn to_pattern(&self) -> Result<Pattern, ValueError> {
        let mut subject = Subject::default().with_label(INVOCATION);
        let record = &mut subject.properties;
        put_text(record, "callId", &self.call_id)?;
        record.insert("args", value_of(&self.args)?)?;
        match &self.result {
            Ok(result) => drop(record.insert("result", value_of(result)?)?),
            Err(error) => drop(record.insert("error", Value::Map(error_record(error)?))?),
        }
        if let Some(text) = &self.error_text {
            put_text(record, "errorText", text)?;
        }
        record.insert("attempt", Value::Integer(self.attempt.into()))?;
        if let Some(usage) = &self.usage {
            record.insert("usage", value_of(&usage.to_json())?)?;
        }
        if let Some(dollars) = self.cost {
            record.insert("cost", value_of(&dollars.into())?)?;
        }
        if !self.taint.is_clean() {
            put_text(record, "taint", self.taint.as_str())?;
        }
        pattern_of_call(subject, &self.tool)
    }

    /// Reads the pattern of a call. Unknown properties are ignored.
    ///
    /// # Errors
    /// When a label is wrong, or a property is missing or invalid.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, ReadError> {
        check_label(pattern, INVOCATION)?;
        let tool = tool_of_call(pattern)?;
        let record = &pattern.subject().properties;
        Ok(Self {
            tool,
            call_id: record_text(record, "callId")?.to_owned(),
            args: json(record, "args")?,
            result: match record.get("error") {
                Some(error) => Err(opt_error(error).ok_or_else(|| {
                    let kinds = "`execution`, `timeout`, `validation` or `authorization`";
                    wrong(
                        "error",
                        &format!("`{{kind, text}}`, the kind being {kinds}"),
                    )
                })?),
                None => Ok(json(record, "result")?),
            },
            error_text: match record.get("errorText") {
                Some(_) => Some(record_text(record, "errorText")?.to_owned()),
                None => None,
            },
            attempt: match record.get("attempt") {
                Some(Value::Integer(attempt)) => u32::try_from(*attempt).ok(),
                _ => None,
            }
            .ok_or_else(|| wrong("attempt", "a whole number"))?,
            usage: record.get("usage").map(usage).transpose()?,
            cost: record.get("cost").map(dollars).transpose()?,
            taint: read_taint(opt_record_text(record, "taint")?)?,
        })
    }
}

fn json(record: &Record, key: &str) -> Result<serde_json::Value, ReadError> {
    match record.get(key) {
        Some(value) => json_of(value).map_err(|error| ReadError::new(format!("`{key}`: {error}"))),
        None => Err(ReadError::new(format!("`{key}` is missing"))),
    }
}

fn dollars(value: &Value) -> Result<f64, ReadError> {
    json_of(value)?
        .as_f64()
        .ok_or_else(|| wrong("cost", "a number of dollars"))
}

fn usage(value: &Value) -> Result<Usage, ReadError> {
    let Value::Map(counts) = value else {
        return Err(wrong("usage", "a map of numbers"));
    };
    for (key, count) in counts.iter() {
        if !matches!(count, Value::Integer(count) if u64::try_from(*count).is_ok()) {
            let expected =
                format!("a map of whole numbers; `{key}` is not a whole number of 64 bits");
            return Err(wrong("usage", &expected));
        }
    }
    json_of(value).map(|json| Usage::from_json(&json))
}

fn error_record(error: &ToolError) -> Result<Record, ValueError> {
    let mut record = Record::new();
    put_text(&mut record, "kind", error.word())?;
    if !error.text().is_empty() {
        put_text(&mut record, "text", error.text())?;
    }
    Ok(record)
}

fn opt_error(value: &Value) -> Option<ToolError> {
    let Value::Map(record) = value else {
        return None;
    };
    let text = opt_record_text(record, "text").ok()?.unwrap_or_default();
    ToolError::from_word(record_text(record, "kind").ok()?, text.to_owned())
}
