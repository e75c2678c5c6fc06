//! Declared tools, and the descriptors of implementations.

use crate::vocabulary::REMOTE;
use agent_effects::{Effect, Effects, Vocabulary};
use agent_gram::value::{Record, Text};
use agent_types::__private::same_text;
use agent_types::Signature;
use agent_types::schema::{Loss, SchemaReader};
use std::time::Duration;

/// A declared tool: its description for the model, and the signature of its calls. It holds no code.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    name: Text,
    description: Text,
    signature: Signature,
    timeout: Option<Duration>,
    requires_approval: bool,
    effects: Effects,
    extra: Record,
}

impl ToolSpec {
    /// A tool spec from parts that were checked, for a `const` and for this crate.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_parts(name: Text, description: Text, signature: Signature) -> Self {
        Self {
            name,
            description,
            signature,
            timeout: None,
            requires_approval: false,
            effects: Effects::NONE,
            extra: Record::new(),
        }
    }

    /// Creates the same spec with the settings that tighten the function's own, and with the properties
    /// that have no meaning here, for a `const` and for this crate.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static_settings(
        name: &'static str,
        description: &'static str,
        signature: Signature,
        timeout: Option<Duration>,
        requires_approval: bool,
        effects: Effects,
        extra: Record,
    ) -> Self {
        Self {
            name: Text::from_static(name),
            description: Text::from_static(description),
            signature,
            timeout,
            requires_approval,
            effects,
            extra,
        }
    }

    /// Returns the spec that a tool declares of itself, for an agent that only names the tool.
    ///
    /// # Panics
    /// When the tool has no signature, which a tool made by `#[tool]` always has.
    #[doc(hidden)]
    #[must_use]
    pub const fn of(tool: &'static ToolDescriptor) -> Self {
        let Contract::Signature(signature) = tool.contract() else {
            panic!("a tool without a signature cannot be named without a definition")
        };
        Self::from_static_settings(
            tool.name(),
            tool.description(),
            Signature::borrowed(signature),
            None,
            false,
            tool.settings.effects,
            Record::new(),
        )
    }

    /// Copies a `'static` spec and borrows all its parts.
    #[doc(hidden)]
    #[must_use]
    pub const fn borrowed(of: &'static ToolSpec) -> Self {
        Self {
            name: Text::from_static(of.name()),
            description: Text::from_static(of.description()),
            signature: Signature::borrowed(&of.signature),
            timeout: of.timeout,
            requires_approval: of.requires_approval,
            effects: of.effects,
            extra: Record::from_static(of.extra.entries()),
        }
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Returns the description, for the model.
    #[must_use]
    pub const fn description(&self) -> &str {
        self.description.as_str()
    }

    /// The type.
    #[must_use]
    pub const fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Returns the time limit of a call, when the spec has one.
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Whether a person must approve every call.
    #[must_use]
    pub const fn requires_approval(&self) -> bool {
        self.requires_approval
    }

    /// Returns the same spec with statements about the tool's effects.
    #[must_use]
    pub fn with_effects(mut self, effects: Effects) -> Self {
        self.effects = effects;
        self
    }

    /// Returns what the spec states of the tool's effects.
    #[must_use]
    pub const fn effects(&self) -> Effects {
        self.effects
    }

    /// Returns who chose the names and the words in the types of the tool: its MCP server, for a tool of a server's document.
    #[must_use]
    pub const fn vocabulary(&self) -> Vocabulary {
        let entries = self.extra.entries();
        let mut at = 0;
        while at < entries.len() {
            if same_text(entries[at].0.as_str(), REMOTE) {
                return Vocabulary::Foreign;
            }
            at += 1;
        }
        Vocabulary::Own
    }

    /// Returns the properties without a meaning, which are kept.
    #[must_use]
    pub const fn extra(&self) -> &Record {
        &self.extra
    }

    /// Returns the same spec with the stricter settings of both: another spec of the tool may add an approval and
    /// effects, and shorten the timeout.
    #[must_use]
    pub fn tightened_by(&self, other: &ToolSpec) -> Self {
        let mut spec = self.clone();
        spec.requires_approval |= other.requires_approval;
        spec.effects = self.effects.tightened_by(other.effects);
        let timeouts = [self.timeout, other.timeout].into_iter().flatten();
        spec.timeout = timeouts.min();
        spec
    }

    pub(crate) fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    pub(crate) fn set_requires_approval(&mut self, requires: bool) {
        self.requires_approval = requires;
    }

    pub(crate) fn set_effects(&mut self, effects: Effects) {
        self.effects = effects;
    }

    pub(crate) fn set_extra(&mut self, extra: Record) {
        self.extra = extra;
    }
}

/// The description of an implementation: its name, its purpose, its parameters and its settings.
#[derive(Clone, Debug)]
pub struct ToolDescriptor {
    name: Text,
    description: Text,
    contract: Contract,
    settings: ToolSettings,
    /// Whether a spec may describe the tool in another way.
    description_may_differ: bool,
    /// The losses that are allowed when JSON Schemas are read as a signature.
    losses: Vec<Loss>,
}

/// The form of the calls of an implementation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Contract {
    /// A signature: tools written with `#[tool]`, and those created from one.
    Signature(Signature),
    /// JSON Schemas: the contract of tools without a gram signature.
    Schema {
        /// The schema of the arguments.
        input: serde_json::Value,
        /// The schema of the result, when it is known.
        output: Option<serde_json::Value>,
    },
}

impl ToolDescriptor {
    /// Creates a descriptor from parts. The name must satisfy [`agent_types::names::is_tool_name`].
    #[must_use]
    pub const fn new(
        name: Text,
        description: Text,
        contract: Contract,
        settings: ToolSettings,
    ) -> Self {
        Self {
            name,
            description,
            contract,
            settings,
            description_may_differ: false,
            losses: Vec::new(),
        }
    }

    /// A descriptor for a `const`.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(
        name: &'static str,
        description: &'static str,
        signature: Signature,
        settings: ToolSettings,
    ) -> Self {
        Self {
            name: Text::from_static(name),
            description: Text::from_static(description),
            contract: Contract::Signature(signature),
            settings,
            description_may_differ: false,
            losses: Vec::new(),
        }
    }

    /// Allows a loss when the JSON Schemas of the tool are read as a signature: to bind the tool, and to print
    /// it as gram. The tool still validates its arguments against its schemas.
    #[must_use]
    pub fn allowing(mut self, loss: Loss) -> Self {
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
        self
    }

    /// The losses that [`allowing`](Self::allowing) allows.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Returns the reader for the JSON Schemas of the tool. It allows the losses of [`SchemaReader::new`] and
    /// those of [`allowing`](Self::allowing).
    pub fn schema_reader(&self) -> SchemaReader {
        let losses = self.losses.iter().copied();
        losses.fold(SchemaReader::new(), SchemaReader::allowing)
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Whether this is the placeholder for a tool whose macro reported a mistake.
    pub(crate) const fn is_broken(&self) -> bool {
        self.name().is_empty()
    }

    /// Returns the description of the tool.
    #[must_use]
    pub const fn description(&self) -> &str {
        self.description.as_str()
    }

    /// Returns the same descriptor for a tool whose description may change without notice, such as that of a
    /// server. A spec binds to the tool whatever the spec's description is, and the model reads the spec's
    /// description.
    #[must_use]
    pub const fn with_changing_description(mut self) -> Self {
        self.description_may_differ = true;
        self
    }

    /// Whether a spec may describe the tool in another way.
    #[must_use]
    pub const fn description_may_differ(&self) -> bool {
        self.description_may_differ
    }

    /// Returns the form of a call.
    #[must_use]
    pub const fn contract(&self) -> &Contract {
        &self.contract
    }

    /// The signature, when there is one.
    #[must_use]
    pub const fn signature(&self) -> Option<&Signature> {
        match &self.contract {
            Contract::Signature(signature) => Some(signature),
            Contract::Schema { .. } => None,
        }
    }

    /// Returns the settings for the runtime.
    #[must_use]
    pub const fn settings(&self) -> &ToolSettings {
        &self.settings
    }
}

/// Settings of a tool that the runtime enforces. A spec can tighten them, never loosen them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// The time limit of a call; without it, the runtime's own limit of 10 s.
    pub timeout: Option<Duration>,
    /// Whether the model may call the tool again after a failure.
    pub retryable: bool,
    /// Whether a second equal call has no further effect.
    pub idempotent: bool,
    /// Whether the tool changes nothing.
    pub read_only: bool,
    /// Whether the tool may destroy something.
    pub destructive: bool,
    /// Whether a person must approve each call.
    pub requires_approval: bool,
    /// Whether no other tool may run at the same time.
    pub sequential: bool,
    /// Whether the tool runs on the caller's task, where it cannot be timed out.
    pub inline: bool,
    /// The statements of the function about its effects.
    pub effects: Effects,
}

impl ToolSettings {
    /// The settings of a tool without attributes.
    pub const DEFAULT: ToolSettings = ToolSettings {
        timeout: None,
        retryable: true,
        idempotent: false,
        read_only: false,
        destructive: false,
        requires_approval: false,
        sequential: false,
        inline: false,
        effects: Effects::NONE,
    };

    /// Returns the same settings with a time limit. Must be non-zero; `ToolLibrary` rejects a tool whose
    /// timeout is zero.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Returns the same settings for a tool that must not be called again after a failure.
    #[must_use]
    pub const fn not_retryable(mut self) -> Self {
        self.retryable = false;
        self
    }

    /// Returns the same settings for a tool for which a second equal call has no further effect.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// Returns the same settings for a tool that changes nothing.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.read_only = true;
        self.with_effect(Effect::ReadOnly, true)
    }

    /// Returns the same settings for a tool that may destroy something.
    #[must_use]
    pub const fn destructive(mut self) -> Self {
        self.destructive = true;
        self.with_effect(Effect::Destructive, true)
    }

    /// Returns the same settings with a statement about an effect of the tool.
    #[must_use]
    pub const fn with_effect(mut self, effect: Effect, is: bool) -> Self {
        self.effects = self.effects.with(effect, is);
        self
    }

    /// Returns the same settings for a tool whose calls a person must approve.
    #[must_use]
    pub const fn requires_approval(mut self) -> Self {
        self.requires_approval = true;
        self
    }

    /// Returns the same settings for a tool that must run alone.
    #[must_use]
    pub const fn sequential(mut self) -> Self {
        self.sequential = true;
        self
    }

    /// Returns the same settings for a tool that runs on the caller's task.
    #[must_use]
    pub const fn inline(mut self) -> Self {
        self.inline = true;
        self
    }
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}
