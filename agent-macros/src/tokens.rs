//! Writes specs as code that builds them in a `const`.

use agent_effects::Effects;
use agent_gram::Value;
use agent_gram::value::{Decimal, Measurement, Number, Record, Text};
use agent_spec::settings::SettingValue;
use agent_spec::types::{Bound, Constraint, fields_of, types_of};
use agent_spec::vocabulary::Keyword;
use agent_spec::{
    Agent, CompactAbove, Constraints, Field, Grants, Kind, Model, Returns, Settings, Shape,
    Signature, ToolChoice, ToolSpec, Type,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{TokenStreamExt as _, format_ident, quote};
use std::fmt::Debug;
use std::time::Duration;

/// Writes specs as code. Each referenced value has a `const { … }` block of its own, because a
/// temporary in an argument does not live long enough, and the types have destructors, which a
/// `const` cannot run. `rt` is the path of the module `__private` of agent-runtime.
pub(crate) struct Tokens<'a> {
    pub(crate) rt: &'a TokenStream,
}

impl Tokens<'_> {
    pub(crate) fn tool_spec(&self, spec: &ToolSpec) -> TokenStream {
        let rt = self.rt;
        let (name, description) = (spec.name(), spec.description());
        let signature = self.signature(spec.signature());
        let timeout = option(rt, spec.timeout().map(|timeout| self.duration(timeout)));
        let requires_approval = spec.requires_approval();
        let effects = self.effects(spec.effects());
        let extra = self.record(spec.extra());
        quote! {
            #rt::ToolSpec::from_static_settings(
                #name, #description, #signature, #timeout, #requires_approval, #effects, #extra,
            )
        }
    }

    fn effects(&self, effects: Effects) -> TokenStream {
        let rt = self.rt;
        let stated = effects.iter().map(|(effect, is)| {
            let effect = variant(effect);
            quote!(.with(#rt::Effect::#effect, #is))
        });
        quote!(#rt::Effects::NONE #(#stated)*)
    }

    pub(crate) fn signature(&self, signature: &Signature) -> TokenStream {
        let rt = self.rt;
        let params = signature.params().iter().map(|param| self.field(param));
        let returns = self.returns(signature.returns());
        quote!(#rt::Signature::from_static(const { &[#(#params),*] }, #returns))
    }

    /// The parts by which an agent is called. `own` is its signature, if it has one of its own, and `variables` are the
    /// names that the host fills.
    pub(crate) fn agent_function(
        &self,
        agent: &Agent,
        own: Option<TokenStream>,
        variables: Option<&[Text]>,
    ) -> TokenStream {
        let rt = self.rt;
        let prompt = text_option(rt, agent.prompt());
        let variables = variables.map(|names| {
            let names = names.iter().map(|name| self.text(name));
            quote!(const { &[#(#names),*] })
        });
        let timeout = agent.timeout().map(|timeout| self.duration(timeout));
        let requires_approval = agent.requires_approval();
        if own.is_none()
            && agent.prompt().is_none()
            && variables.is_none()
            && timeout.is_none()
            && !requires_approval
        {
            return quote!(#rt::AgentFunction::NONE);
        }
        let [own, variables, timeout] = [own, variables, timeout].map(|part| option(rt, part));
        quote! {
            #rt::AgentFunction::from_static(#own, #prompt, #variables, #timeout, #requires_approval)
        }
    }

    /// The settings of an agent that is called as a tool.
    pub(crate) fn agent_settings(&self, agent: &Agent) -> TokenStream {
        let rt = self.rt;
        let timeout = agent.timeout().map(|timeout| {
            let timeout = self.duration(timeout);
            quote!(.with_timeout(#timeout))
        });
        let approval = agent
            .requires_approval()
            .then(|| quote!(.requires_approval()));
        quote!(#rt::ToolSettings::DEFAULT #timeout #approval)
    }

    fn returns(&self, returns: &Returns) -> TokenStream {
        let rt = self.rt;
        let ty = self.ty(returns.ty());
        let description = text_option(rt, returns.description());
        quote!(#rt::Returns::from_static(const { &#ty }, #description))
    }

    fn field(&self, field: &Field) -> TokenStream {
        let rt = self.rt;
        let name = field.name();
        let ty = self.ty(field.ty());
        let default = option(
            rt,
            field.default().map(|value| {
                let value = self.value(value);
                quote!(const { &#value })
            }),
        );
        let description = text_option(rt, field.description());
        let remote = field.remote().into_iter();
        quote!(
            #rt::Field::from_static(#name, const { &#ty }, #default, #description)
            #(.with_static_remote(#remote))*
        )
    }

    pub(crate) fn ty(&self, ty: &Type) -> TokenStream {
        let rt = self.rt;
        let kind = match ty.kind() {
            Kind::Any => quote!(Any),
            Kind::Null => quote!(Null),
            Kind::Text => quote!(Text),
            Kind::Int => quote!(Int),
            Kind::Double => quote!(Double),
            Kind::Bool => quote!(Bool),
            Kind::Array(element) => {
                let element = self.ty(element);
                quote!(Array(#rt::Nest::from_static(const { &#element })))
            }
            Kind::Object(Shape::Fields(fields)) => {
                let fields = fields_of(fields).iter().map(|field| self.field(field));
                quote!(Object(#rt::Shape::Fields(#rt::Cow::Borrowed(const { &[#(#fields),*] }))))
            }
            Kind::Object(Shape::Map(value)) => {
                let value = self.ty(value);
                quote!(Object(#rt::Shape::Map(#rt::Nest::from_static(const { &#value }))))
            }
            Kind::Object(Shape::Extended(fields, values)) => {
                let fields = fields_of(fields).iter().map(|field| self.field(field));
                let values = self.ty(values);
                quote!(Object(#rt::Shape::Extended(
                    #rt::Cow::Borrowed(const { &[#(#fields),*] }),
                    #rt::Nest::from_static(const { &#values }),
                )))
            }
            Kind::Tuple(items) => {
                let items = types_of(items).iter().map(|ty| self.ty(ty));
                quote!(Tuple(#rt::Cow::Borrowed(const { &[#(#items),*] })))
            }
            Kind::Union(types) => {
                let types = types_of(types).iter().map(|ty| self.ty(ty));
                quote!(Union(#rt::Cow::Borrowed(const { &[#(#types),*] })))
            }
            Kind::Media(media) => {
                let variant = Ident::new(media.label(), Span::call_site());
                quote!(Media(#rt::MediaKind::#variant))
            }
            // `Shape::Open`, and any kind that a later version of the spec adds, which `check` does not
            // return.
            _ => quote!(Object(#rt::Shape::Open)),
        };
        let kind = quote!(#rt::Kind::#kind);
        if !ty.is_optional() && ty.constraints().is_none() {
            return quote!(#rt::Type::new(#kind));
        }
        let optional = ty.is_optional();
        let constraints = self.constraints(ty.constraints());
        quote!(#rt::Type::from_static(#kind, #optional, const { &#constraints }))
    }

    pub(crate) fn constraints(&self, constraints: &Constraints) -> TokenStream {
        let rt = self.rt;
        let given = constraints.iter().map(|(keyword, constraint)| {
            let keyword = self.keyword(keyword);
            let constraint = match constraint {
                Constraint::Values(values) => {
                    let values = values.iter().map(|value| self.value(value));
                    quote!(Values(const { &[#(#values),*] }))
                }
                Constraint::Text(text) => quote!(Text(#text)),
                Constraint::Number(bound) => {
                    let bound = self.bound(bound);
                    quote!(Number(const { &#bound }))
                }
                Constraint::Count(count) => quote!(Count(#count)),
            };
            quote!((#keyword, #rt::Constraint::#constraint))
        });
        quote!(#rt::Constraints::from_static(&[#(#given),*]))
    }

    pub(crate) fn keyword(&self, keyword: Keyword) -> TokenStream {
        let rt = self.rt;
        let keyword = variant(keyword);
        quote!(#rt::Keyword::#keyword)
    }

    fn bound(&self, bound: &Bound) -> TokenStream {
        let rt = self.rt;
        match bound {
            Bound::Int(value) => quote!(#rt::Bound::Int(#value)),
            Bound::Double(value) => {
                let value = self.decimal(value);
                quote!(#rt::Bound::Double(#value))
            }
        }
    }

    pub(crate) fn model(&self, model: &Model) -> TokenStream {
        let rt = self.rt;
        let (provider, id) = (model.provider(), model.id());
        quote!(#rt::Model::from_static(#provider, #id))
    }

    pub(crate) fn settings(&self, settings: &Settings) -> TokenStream {
        let rt = self.rt;
        if *settings == Settings::NONE {
            return quote!(#rt::Settings::NONE);
        }
        let given = settings.iter().map(|(setting, value)| {
            let setting = variant(setting);
            let value = self.setting_value(value);
            quote!((#rt::Setting::#setting, #rt::SettingValue::#value))
        });
        quote!(#rt::Settings::from_static(&[#(#given),*]))
    }

    fn setting_value(&self, value: SettingValue<'_>) -> TokenStream {
        let rt = self.rt;
        match value {
            SettingValue::Number(number) => {
                let number = self.decimal(number);
                quote!(Number(const { &#number }))
            }
            SettingValue::Integer(integer) => quote!(Integer(#integer)),
            SettingValue::Count(count) => quote!(Count(#count)),
            SettingValue::Texts(texts) => {
                let texts = texts.iter().map(|text| self.text(text.as_str()));
                quote!(Texts(const { &[#(#texts),*] }))
            }
            SettingValue::Effort(effort) => {
                let effort = variant(effort);
                quote!(Effort(#rt::ReasoningEffort::#effort))
            }
            SettingValue::Cache(cache) => {
                let cache = variant(cache);
                quote!(Cache(#rt::PromptCache::#cache))
            }
            SettingValue::CompactAbove(CompactAbove::Tokens(tokens)) => {
                quote!(CompactAbove(#rt::CompactAbove::Tokens(#tokens)))
            }
            SettingValue::CompactAbove(above) => {
                let above = variant(above);
                quote!(CompactAbove(#rt::CompactAbove::#above))
            }
            SettingValue::Choice(ToolChoice::Tool(name)) => {
                let name = self.text(name);
                quote!(Choice(const { &#rt::ToolChoice::Tool(#name) }))
            }
            SettingValue::Choice(choice) => {
                let choice = variant(choice);
                quote!(Choice(const { &#rt::ToolChoice::#choice }))
            }
            SettingValue::Flag(is) => quote!(Flag(#is)),
            SettingValue::WhenTainted(when) => {
                let when = variant(when);
                quote!(WhenTainted(#rt::WhenTainted::#when))
            }
            SettingValue::Duration(duration) => {
                let duration = self.duration(duration);
                quote!(Duration(#duration))
            }
            SettingValue::Url(url) => quote!(Url(#url)),
            SettingValue::Models(models) => {
                let models = models.iter().map(|model| self.model(model));
                quote!(Models(const { &[#(#models),*] }))
            }
            SettingValue::Grants(grants) => {
                let grants = self.grants(grants);
                quote!(Grants(const { &#grants }))
            }
            SettingValue::Record(record) => {
                let record = self.record(record);
                quote!(Record(const { &#record }))
            }
        }
    }

    fn grants(&self, grants: &Grants) -> TokenStream {
        let rt = self.rt;
        let parts = grants.parts().map(|(_, part)| {
            let items = part.iter().map(|text| self.text(text.as_str()));
            quote!(const { &[#(#items),*] })
        });
        quote!(#rt::Grants::from_static(#(#parts),*))
    }

    pub(crate) fn duration(&self, duration: Duration) -> TokenStream {
        let rt = self.rt;
        let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
        quote!(#rt::Duration::new(#seconds, #nanos))
    }

    pub(crate) fn record(&self, record: &Record) -> TokenStream {
        let rt = self.rt;
        if record.is_empty() {
            return quote!(#rt::Record::new());
        }
        let entries = record.iter().map(|(key, value)| {
            let value = self.value(value);
            let key = self.text(key);
            quote!((#key, #value))
        });
        quote!(#rt::Record::from_static(const { &[#(#entries),*] }))
    }

    fn text(&self, text: &str) -> TokenStream {
        let rt = self.rt;
        quote!(#rt::Text::from_static(#text))
    }

    pub(crate) fn value(&self, value: &Value) -> TokenStream {
        let rt = self.rt;
        match value {
            Value::Integer(value) => quote!(#rt::Value::Integer(#value)),
            Value::Decimal(value) => {
                let value = self.decimal(value);
                quote!(#rt::Value::Decimal(#value))
            }
            Value::Boolean(value) => quote!(#rt::Value::Boolean(#value)),
            Value::String(text) => {
                let text = self.text(text.as_str());
                quote!(#rt::Value::String(#text))
            }
            Value::Symbol(symbol) => {
                let text = symbol.as_str();
                quote!(#rt::Value::Symbol(#rt::Symbol::from_static(#text)))
            }
            Value::Tagged(tagged) => {
                let (tag, content) = (tagged.tag(), tagged.content());
                let tagged = quote!(#rt::Tagged::from_static(#tag, #content));
                quote!(#rt::Value::Tagged(#rt::Nest::from_static(const { &#tagged })))
            }
            Value::Array(array) => {
                let items = array.as_slice().iter().map(|item| self.value(item));
                quote!(#rt::Value::Array(#rt::Array::from_static(const { &[#(#items),*] })))
            }
            Value::Map(record) => {
                let record = self.record(record);
                quote!(#rt::Value::Map(#record))
            }
            Value::Range(range) => {
                let lower = option(rt, range.lower().map(|number| self.number(number)));
                let upper = option(rt, range.upper().map(|number| self.number(number)));
                let range = quote!(#rt::Range::from_static(#lower, #upper));
                quote!(#rt::Value::Range(#rt::Nest::from_static(const { &#range })))
            }
            Value::Measurement(value) => {
                let value = self.measurement(value);
                quote!(#rt::Value::Measurement(#rt::Nest::from_static(const { &#value })))
            }
        }
    }

    fn number(&self, number: &Number) -> TokenStream {
        let rt = self.rt;
        match number {
            Number::Integer(value) => quote!(#rt::Number::Integer(#value)),
            Number::Decimal(value) => {
                let value = self.decimal(value);
                quote!(#rt::Number::Decimal(#value))
            }
            Number::Measurement(value) => {
                let value = self.measurement(value);
                quote!(#rt::Number::Measurement(#value))
            }
        }
    }

    fn decimal(&self, decimal: &Decimal) -> TokenStream {
        let rt = self.rt;
        let (value, text) = (decimal.value(), decimal.text());
        quote!(#rt::Decimal::from_static(#value, #text))
    }

    fn measurement(&self, measurement: &Measurement) -> TokenStream {
        let rt = self.rt;
        let value = self.decimal(measurement.number());
        let unit = measurement.unit();
        quote!(#rt::Measurement::from_static(#value, #unit))
    }
}

/// Returns the name of a variant without data, which is what `Debug` writes.
pub(crate) fn variant(value: impl Debug) -> Ident {
    format_ident!("{value:?}")
}

pub(crate) fn option(rt: &TokenStream, value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(#rt::Some(#value)),
        None => quote!(#rt::None),
    }
}

pub(crate) fn text_option(rt: &TokenStream, text: Option<&str>) -> TokenStream {
    option(rt, text.map(|text| quote!(#text)))
}

/// Returns the tokens with their locations, and with the hygiene of tokens that a macro wrote.
pub(crate) fn of_macro(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(Span::call_site().located_at(token.span()));
            token
        })
        .collect()
}

/// Returns the tokens at another location, so that rustc marks it. Their names are resolved as
/// before.
pub(crate) fn respanned(tokens: TokenStream, place: Span) -> TokenStream {
    // `append` is compiled once. `collect` would be compiled three times for each iterator type,
    // once for each form that a `proc_macro2` stream has.
    let mut respanned = TokenStream::new();
    for mut token in tokens {
        token.set_span(token.span().located_at(place));
        respanned.append(token);
    }
    respanned
}

/// Returns a call of a check. rustc marks the place if its evaluation fails.
pub(crate) fn call_at(place: Span, function: TokenStream, arguments: TokenStream) -> TokenStream {
    call_between(place, place, function, arguments)
}

/// Returns a call of a check. rustc marks everything between the two tokens if its evaluation fails.
pub(crate) fn call_between(
    start: Span,
    end: Span,
    function: TokenStream,
    arguments: TokenStream,
) -> TokenStream {
    let function = respanned(function, start);
    let arguments = respanned(quote!((#arguments)), end);
    quote!(#function #arguments)
}
