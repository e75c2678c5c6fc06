//! The media that a provider accepts.
//!
//! Media of the run's input that the provider does not accept are an error before the request. All other
//! media that the provider does not accept are replaced by a text in the request, so that the conversation
//! can always be sent. The model wrote these media, a tool returned them, or they are from an earlier turn,
//! so that the user cannot correct them.
//!
//! The lists and sizes are those of the providers' documentation of November 2026. A model may accept less
//! than its provider; then the provider's own error reports this.

use super::ModelRequest;
use super::http::{FetchedUrls, Unfetched};
use super::wire::PARAGRAPH;
use agent_core::__private::begins_turn;
use agent_core::conversation::{Message, Role};
use agent_tool::__private::{check_url, is_of_google_storage, true_media_type};
use agent_tool::Error;
use agent_tool::media::{Media, Part};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet, VecDeque};

/// The number of bytes in a mebibyte.
const MIB: usize = 1 << 20;

/// The media that a provider accepts.
pub(super) struct MediaRules {
    /// The name of the provider, as agents write it.
    pub(super) provider: &'static str,
    /// The names of the providers whose uploaded files it can read.
    pub(super) files_of: &'static [&'static str],
    pub(super) image: KindRules,
    pub(super) document: KindRules,
    pub(super) audio: KindRules,
    /// The maximum number of images, documents and audio of a request.
    pub(super) count: usize,
    /// The maximum sum of their bytes, before base64.
    pub(super) total: usize,
}

/// The media of one kind that a provider accepts.
pub(super) struct KindRules {
    /// The accepted media types. If the list is empty, no media of this kind are accepted.
    pub(super) types: &'static [&'static str],
    /// The maximum number of bytes.
    pub(super) bytes: usize,
    /// Whether the provider fetches URLs.
    pub(super) urls: bool,
    /// Whether the provider has uploaded files.
    pub(super) files: bool,
}

impl KindRules {
    const NONE: Self = Self {
        types: &[],
        bytes: 0,
        urls: false,
        files: false,
    };
}

/// The text formats that become text where a provider has no documents of text.
const TEXTS: [&str; 5] = [
    "text/plain",
    "text/markdown",
    "text/csv",
    "text/html",
    "application/json",
];

pub(super) const ANTHROPIC: MediaRules = MediaRules {
    provider: "Anthropic",
    files_of: &["Anthropic"],
    image: KindRules {
        types: &["image/jpeg", "image/png", "image/gif", "image/webp"],
        bytes: 5 * MIB,
        urls: true,
        files: true,
    },
    document: KindRules {
        types: &["application/pdf"],
        bytes: 24 * MIB,
        urls: true,
        files: true,
    },
    audio: KindRules::NONE,
    count: 100,
    total: 24 * MIB,
};

/// Both interfaces of OpenAI read the files of an account.
const OPENAI_FILES: &[&str] = &["OpenAI", "OpenAIResponses", "OpenAIChat"];

pub(super) const OPENAI: MediaRules = MediaRules {
    provider: "OpenAI",
    files_of: OPENAI_FILES,
    image: KindRules {
        types: &["image/png", "image/jpeg", "image/webp", "image/gif"],
        bytes: 50 * MIB,
        urls: true,
        files: false,
    },
    document: KindRules {
        types: &["application/pdf"],
        bytes: 50 * MIB,
        urls: false,
        files: true,
    },
    audio: KindRules {
        types: &["audio/wav", "audio/mpeg"],
        bytes: 25 * MIB,
        urls: false,
        files: false,
    },
    count: 500,
    total: 50 * MIB,
};

pub(super) const OPENAI_RESPONSES: MediaRules = MediaRules {
    provider: "OpenAIResponses",
    files_of: OPENAI_FILES,
    image: KindRules {
        files: true,
        ..OPENAI.image
    },
    document: KindRules {
        urls: true,
        ..OPENAI.document
    },
    // Messages of the Responses API have no form for audio, unlike those of Chat Completions.
    audio: KindRules::NONE,
    count: OPENAI.count,
    total: OPENAI.total,
};

pub(super) const GOOGLE: MediaRules = MediaRules {
    provider: "Google",
    files_of: &["Google"],
    image: KindRules {
        types: &[
            "image/png",
            "image/jpeg",
            "image/webp",
            "image/heic",
            "image/heif",
        ],
        bytes: 70 * MIB,
        urls: true,
        files: true,
    },
    document: KindRules {
        types: &["application/pdf"],
        bytes: 50 * MIB,
        urls: true,
        files: true,
    },
    audio: KindRules {
        types: &[
            "audio/wav",
            "audio/mpeg",
            "audio/aac",
            "audio/ogg",
            "audio/flac",
            "audio/aiff",
        ],
        bytes: 70 * MIB,
        urls: true,
        files: true,
    },
    count: 3000,
    total: 70 * MIB,
};

pub(super) const OLLAMA: MediaRules = MediaRules {
    provider: "Ollama",
    files_of: &["Ollama"],
    image: KindRules {
        types: &["image/png", "image/jpeg", "image/webp"],
        bytes: 100 * MIB,
        urls: false,
        files: false,
    },
    // Only documents of text are accepted; their text is written into the message.
    document: KindRules::NONE,
    audio: KindRules::NONE,
    count: 100,
    total: 100 * MIB,
};

impl MediaRules {
    /// Checks the media of the run's input, except for those that are fetched before the request.
    ///
    /// # Errors
    /// Validation, which names the part and the provider.
    pub(super) fn check(
        &self,
        request: &ModelRequest,
        is_fetched: &dyn Fn(&Part) -> bool,
    ) -> Result<(), Error> {
        let Some(message) = input_of(request) else {
            return Ok(());
        };
        let (mut count, mut total) = (0_usize, 0_usize);
        for (at, part) in request.messages[message].parts().iter().enumerate() {
            if part.media().is_none() {
                continue;
            }
            count += 1;
            total = total.saturating_add(size(part));
            if !is_fetched(part) {
                let sent = self.sent_part(part).map(drop);
                sent.map_err(|problem| self.rejected((message, at), part, &problem))?;
            }
        }
        self.check_sum(count, total)
    }

    /// Returns the request in the form that the provider accepts. URLs that were fetched are replaced by
    /// their bytes, and media that the provider does not accept by a text. Each part depends only on the
    /// parts before it and, once there are too many parts, on the parts after it, so that the beginning of a
    /// conversation seldom changes.
    ///
    /// # Errors
    /// Validation, which names the part and the provider, when the provider does not accept a part of the
    /// run's input.
    pub(super) fn sendable<'r>(
        &self,
        request: &'r ModelRequest,
        fetched: &FetchedUrls<'_>,
    ) -> Result<Cow<'r, ModelRequest>, Error> {
        let input = input_of(request);
        let mut changed: BTreeMap<Place, Part> = BTreeMap::new();
        let mut held = Held::default();
        let (mut count, mut total) = (0_usize, 0_usize);
        for (message, parts) in request.messages.iter().map(|held| held.parts()).enumerate() {
            let is_input = Some(message) == input;
            for (at, part) in parts.iter().enumerate() {
                let Some(media) = part.media() else {
                    continue;
                };
                let place = (message, at);
                let found = media.url().and_then(|url| fetched.get(url));
                let found = found.filter(|_| self.leaves_url_to_caller(part));
                let with_bytes = match found {
                    None => None,
                    Some(Ok(found)) => {
                        Some(part.clone().map_media(|media| media.with_bytes_of(found)))
                    }
                    Some(Err(Unfetched::Failed(error))) if is_input => {
                        return Err(self.rejected(place, part, &error.to_string()));
                    }
                    Some(Err(Unfetched::TooMany)) if is_input => {
                        return Err(self.too_large("more than", self.total));
                    }
                    Some(Err(missing)) => {
                        let problem = match missing {
                            Unfetched::Failed(error) => error.to_string(),
                            Unfetched::TooMany => self.too_many(),
                        };
                        changed.insert(place, self.replacement(place, part, &problem));
                        continue;
                    }
                };
                let sent = match self.sent_part(with_bytes.as_ref().unwrap_or(part)) {
                    Ok(sent) => sent.or(with_bytes),
                    Err(problem) if is_input => return Err(self.rejected(place, part, &problem)),
                    Err(problem) => {
                        changed.insert(place, self.replacement(place, part, &problem));
                        continue;
                    }
                };
                let bytes = size(sent.as_ref().unwrap_or(part));
                changed.extend(sent.map(|sent| (place, sent)));
                if is_input {
                    count += 1;
                    total = total.saturating_add(bytes);
                }
                for place in held.add(place, bytes, self, input) {
                    let part = &request.messages[place.0].parts()[place.1];
                    changed.insert(place, self.replacement(place, part, &self.too_many()));
                }
            }
        }
        self.check_sum(count, total)?;
        if changed.is_empty() {
            return Ok(Cow::Borrowed(request));
        }
        let mut sent = request.clone();
        for (number, message) in sent.messages.iter_mut().enumerate() {
            if changed.range((number, 0)..(number + 1, 0)).next().is_some() {
                *message = message.with_changed_parts(|at| {
                    let part = changed.get(&(number, at))?;
                    Some(apart(part, at, message))
                });
            }
        }
        Ok(Cow::Owned(sent))
    }

    /// Returns the part that is sent if it differs from `part`: its media type is the one that its bytes
    /// show.
    fn sent_part(&self, part: &Part) -> Result<Option<Part>, String> {
        let Some(media) = part.media() else {
            return Ok(None);
        };
        match true_media_type(part.kind(), media) {
            Ok(found) if found != media.media_type() => {
                let found = found.map(str::to_owned);
                let sent = part.clone().map_media(|mut media| {
                    media.set_media_type(found);
                    media
                });
                self.check_part(&sent)?;
                Ok(Some(sent))
            }
            Ok(_) => self.check_part(part).map(|()| None),
            Err(problem) => {
                self.check_part(part)?;
                Err(problem)
            }
        }
    }

    fn check_sum(&self, count: usize, total: usize) -> Result<(), Error> {
        if count > self.count {
            return Err(Error::validation(format!(
                "the input has {count} images, documents and audio; {} takes at most {} in a request",
                self.provider, self.count
            )));
        }
        if total > self.total {
            return Err(self.too_large("", total));
        }
        Ok(())
    }

    fn too_large(&self, more_than: &str, total: usize) -> Error {
        let have = format!("{more_than} {} MiB", total.div_ceil(MIB));
        Error::validation(format!(
            "the images, documents and audio of the input have {}; {} takes at most {} MiB in a request",
            have.trim_start(),
            self.provider,
            self.total / MIB
        ))
    }

    /// Returns the different URLs whose media the runtime fetches: those of the run's input, then the others, newest
    /// first, because older media are replaced when there are too many.
    pub(super) fn urls_left_to_caller<'r>(&self, request: &'r ModelRequest) -> Vec<&'r str> {
        let input = input_of(request);
        let of_input = input.map(|at| &request.messages[at]).into_iter();
        let others = request.messages.iter().enumerate().rev();
        let others = others.filter(|(at, _)| Some(*at) != input);
        let others = others.flat_map(|(_, message)| message.parts().iter().rev());
        let parts = of_input.flat_map(|message| message.parts()).chain(others);
        let left = parts.filter(|part| self.leaves_url_to_caller(part));
        let mut seen = HashSet::new();
        left.filter_map(|part| part.media()?.url())
            .filter(|url| seen.insert(*url))
            .collect()
    }

    /// Returns the error of a part of the input.
    fn rejected(&self, (message, at): Place, part: &Part, problem: &str) -> Error {
        let kind = part.kind();
        let name = part.media().and_then(Media::name);
        let named = name.map(|name| format!(", `{name}`")).unwrap_or_default();
        let (number, message) = (at + 1, message + 1);
        let place = format!("part {number} of message {message} (type `{kind}`{named})");
        let provider = self.provider;
        Error::validation(format!("{place} cannot be sent to {provider}: {problem}"))
    }

    /// Returns the text that the model reads in the place of a part.
    fn replacement(&self, (message, at): Place, part: &Part, problem: &str) -> Part {
        let (kind, provider) = (part.kind(), self.provider);
        let media_type = part.media().and_then(Media::media_type);
        tracing::warn!(
            provider,
            message = (message + 1) as u64,
            part = (at + 1) as u64,
            kind,
            media_type,
            problem,
            "a part that the provider does not take was replaced by a text"
        );
        let name = part.media().and_then(Media::name);
        let words: Vec<String> = [media_type, name]
            .into_iter()
            .flatten()
            .map(|word| format!(", `{word}`"))
            .collect();
        let words = words.concat();
        Part::Text(format!(
            "[A part of the type `{kind}`{words} is not sent to {provider}: {problem}]"
        ))
    }

    fn too_many(&self) -> String {
        format!(
            "it takes at most {} images, documents and audio of at most {} MiB in a request, and later parts need the \
             place",
            self.count,
            self.total / MIB
        )
    }

    /// Whether a part has a URL that the provider does not fetch, but whose bytes it may accept.
    pub(super) fn leaves_url_to_caller(&self, part: &Part) -> bool {
        let Some(media) = part.media().filter(|media| media.url().is_some()) else {
            return false;
        };
        let rules = self.of_kind(part);
        match is_text(part, media) {
            true => true,
            false => !rules.urls && !rules.types.is_empty(),
        }
    }

    fn of_kind(&self, part: &Part) -> &KindRules {
        match part {
            Part::Image(_) => &self.image,
            Part::Document(_) => &self.document,
            _ => &self.audio,
        }
    }

    fn check_part(&self, part: &Part) -> Result<(), String> {
        let Some(media) = part.media() else {
            return Ok(());
        };
        let kind = part.kind();
        let rules = self.of_kind(part);
        let is_document = matches!(part, Part::Document(_));
        let is_text = is_text(part, media);
        if rules.types.is_empty() && !is_text {
            return Err(match is_document {
                true => format!("it takes documents of text only ({})", TEXTS.join(", ")),
                false => format!("it takes no parts of the type `{kind}`"),
            });
        }
        if media.is_missing() {
            return Err(
                "only its `sha256` is known; its bytes are not here: a history in JSON has them if it was written \
                 with `--media-data` (in code, `to_json_with_data`)"
                    .to_owned(),
            );
        }
        if let Some(url) = media.url() {
            check_url(url).map_err(|problem| format!("its URL cannot be used: {problem}"))?;
            if is_of_google_storage(url) && self.provider != GOOGLE.provider {
                return Err("only Google reads URLs with `gs://`".to_owned());
            }
        }
        if let Some((provider, id)) = media.file_id() {
            if id.trim().is_empty() {
                return Err("the id of its uploaded file is empty".to_owned());
            }
            let is_own = self.files_of.contains(&provider);
            return match is_own && rules.files {
                true => Ok(()),
                false if is_own => Err(format!(
                    "it takes no uploaded files as parts of the type `{kind}`; give the bytes"
                )),
                false => Err(format!(
                    "the file was uploaded to {provider}; give the bytes"
                )),
            };
        }
        if media.url().is_some() && (!rules.urls || is_text) {
            return Err(
                "it fetches no such URLs, and the host of the URL is not granted for the network; grant it, or \
                 give the bytes"
                    .to_owned(),
            );
        }
        if let Some([]) = media.bytes() {
            return Err("it has no bytes".to_owned());
        }
        let taken = |found: &str| rules.types.contains(&found) || is_text;
        match media.media_type() {
            Some(found) if taken(found) => {}
            // The provider checks the media that it fetches.
            None if media.url().is_some() => {}
            Some(found) => {
                return Err(format!(
                    "it is `{found}`; it takes {}",
                    rules.types.join(", ")
                ));
            }
            None => {
                return Err(format!(
                    "its bytes show no media type; it takes {}; set the media type if it is one of these",
                    rules.types.join(", ")
                ));
            }
        }
        if is_text
            && media
                .bytes()
                .is_some_and(|bytes| std::str::from_utf8(bytes).is_err())
        {
            return Err("it is said to be text, and its bytes are not UTF-8".to_owned());
        }
        match media.bytes() {
            Some(bytes) if bytes.len() > rules.bytes && !is_text => Err(format!(
                "it has {:.1} MiB; at most {} MiB are taken",
                bytes.len() as f64 / MIB as f64,
                rules.bytes / MIB
            )),
            _ => Ok(()),
        }
    }
}

/// The index of a message in a request, and of a part in the message.
type Place = (usize, usize);

/// The media that are sent so far.
#[derive(Default)]
struct Held {
    parts: VecDeque<(Place, usize)>,
    bytes: usize,
}

impl Held {
    /// Adds a part. Returns the parts that are no longer sent, when there are too many for the provider: the
    /// oldest parts, down to half of what the provider accepts, so that the beginning of a conversation
    /// seldom changes. Parts of the input stay.
    fn add(
        &mut self,
        place: Place,
        bytes: usize,
        rules: &MediaRules,
        input: Option<usize>,
    ) -> Vec<Place> {
        let mut removed = Vec::new();
        self.parts.push_back((place, bytes));
        self.bytes = self.bytes.saturating_add(bytes);
        if !self.is_above(rules.count, rules.total) {
            return removed;
        }
        let may_go = |(held, _): &(Place, usize)| Some(held.0) != input;
        while self.is_above(rules.count / 2, rules.total / 2)
            && let Some(at) = self.parts.iter().position(may_go)
            && (at + 1 < self.parts.len() || self.is_above(rules.count, rules.total))
            && let Some((oldest, bytes)) = self.parts.remove(at)
        {
            self.bytes -= bytes;
            removed.push(oldest);
        }
        removed
    }

    fn is_above(&self, count: usize, bytes: usize) -> bool {
        self.parts.len() > count || self.bytes > bytes
    }
}

/// Returns a changed part of a message. The texts of an answer are sent as one, so that a text in the place of media
/// is a paragraph of its own.
fn apart(part: &Part, at: usize, message: &Message) -> Part {
    let Part::Text(text) = part else {
        return part.clone();
    };
    if message.role() != Role::Assistant {
        return part.clone();
    }
    let has_text = |parts: &[Part]| parts.iter().any(|part| part.as_text().is_some());
    let (before, after) = message.parts().split_at(at);
    let gap = |is_needed| if is_needed { PARAGRAPH } else { "" };
    let (before, after) = (gap(has_text(before)), gap(has_text(after)));
    Part::Text(format!("{before}{text}{after}"))
}

/// Returns the index of the message with which the run began.
fn input_of(request: &ModelRequest) -> Option<usize> {
    request.messages.iter().rposition(begins_turn)
}

/// The number of bytes of a part's media, if they are here.
fn size(part: &Part) -> usize {
    part.media().and_then(Media::bytes).map_or(0, <[u8]>::len)
}

/// Whether a part is a document of text.
fn is_text(part: &Part, media: &Media) -> bool {
    let is_text_type = |found: &str| TEXTS.contains(&found);
    matches!(part, Part::Document(_)) && media.media_type().is_some_and(is_text_type)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_core::conversation::{Audio, Document, Image, Message, Sha256};
    use agent_spec::Model;

    fn check(rules: &MediaRules, part: impl Into<Part>) -> Result<(), String> {
        let model = Model::parse("Any/model").expect("a model");
        let messages = vec![Message::user_parts(["Which?".into(), part.into()])];
        let checked = rules.check(&ModelRequest::new(model, "Look.", messages), &|_| false);
        checked.map_err(|error| {
            assert!(error.is_validation(), "{error:?}");
            error.to_string()
        })
    }

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

    #[test]
    fn each_provider_takes_its_kinds_and_types() {
        let bmp = || Image::new(b"BM\x36\0\0\0");
        let pdf = || Document::new(b"%PDF-1.7\n");
        let text = || Document::new(b"Hello");
        let wav = || Audio::new(b"RIFF\0\0\0\0WAVE");
        for (rules, takes_pdf, takes_audio) in [
            (&ANTHROPIC, true, false),
            (&OPENAI, true, true),
            (&OPENAI_RESPONSES, true, false),
            (&GOOGLE, true, true),
            (&OLLAMA, false, false),
        ] {
            let name = rules.provider;
            assert_eq!(check(rules, Image::new(PNG)), Ok(()), "{name}");
            assert_eq!(check(rules, text()), Ok(()), "{name}");
            assert_eq!(check(rules, pdf()).is_ok(), takes_pdf, "{name}");
            assert_eq!(check(rules, wav()).is_ok(), takes_audio, "{name}");
            let error = check(rules, bmp()).expect_err(name);
            assert!(
                error.contains("part 2 of message 1 (type `image`)"),
                "{error}"
            );
            assert!(
                error.contains("it is `image/bmp`; it takes image/"),
                "{error}"
            );
        }
    }

    #[test]
    fn errors_name_what_is_wrong_with_a_part() {
        let big = || {
            let mut bytes = PNG.to_vec();
            bytes.resize(6 * MIB, 0);
            Image::new(bytes).with_name("big.png")
        };
        let missing = || {
            let json = serde_json::json!({"type": "image", "sha256": Sha256::of(PNG).to_string()});
            agent_tool::__private::part_from_json(&json).expect("a part")
        };
        let part = |image: Image| Part::from(image);
        for (rules, part, words) in [
            (
                &ANTHROPIC,
                part(big()),
                "`big.png`) cannot be sent to Anthropic: it has 6.0 MiB; at most 5 MiB",
            ),
            (&ANTHROPIC, part(Image::new([])), "it has no bytes"),
            (
                &ANTHROPIC,
                part(Image::new(b"\0\x01\x02")),
                "its bytes show no media type",
            ),
            (
                &ANTHROPIC,
                part(Image::new(b"%PDF-1.7\n")),
                "it is `application/pdf`; it takes image/jpeg",
            ),
            (&ANTHROPIC, missing(), "only its `sha256` is known"),
            (
                &OLLAMA,
                part(Image::from_url("https://example.com/a.png")),
                "it fetches no such URLs",
            ),
            (
                &OPENAI,
                part(Image::from_url("nonsense")),
                "its URL cannot be used: a URL of media begins with `https://`",
            ),
            (
                &GOOGLE,
                part(Image::from_url("https:///x.png")),
                "its URL cannot be used: it has no host",
            ),
            (
                &ANTHROPIC,
                part(Image::from_url("gs://bucket/a.png")),
                "only Google reads URLs with `gs://`",
            ),
            (
                &GOOGLE,
                part(Image::from_file_id("OpenAI", "file-1")),
                "the file was uploaded to OpenAI",
            ),
            (
                &OPENAI_RESPONSES,
                part(Image::from_file_id("Google", "file-1")),
                "the file was uploaded to Google",
            ),
            (
                &OPENAI,
                part(Image::from_file_id("OpenAI", "file-1")),
                "it takes no uploaded files as parts",
            ),
        ] {
            let error = check(rules, part).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn google_reads_files_of_its_storage() {
        let image = Image::from_url("GS://bucket/a.png");
        assert_eq!(check(&GOOGLE, image), Ok(()));
    }

    #[test]
    fn both_interfaces_of_openai_read_the_files_of_an_account() {
        for provider in ["OpenAI", "OpenAIResponses"] {
            let document = || Document::from_file_id(provider, "file-1");
            let image = Image::from_file_id(provider, "file-1");
            assert_eq!(check(&OPENAI, document()), Ok(()), "{provider}");
            assert_eq!(check(&OPENAI_RESPONSES, document()), Ok(()), "{provider}");
            assert_eq!(check(&OPENAI_RESPONSES, image), Ok(()), "{provider}");
        }
    }

    #[test]
    fn the_media_of_a_request_have_a_number_and_a_sum() {
        let model = Model::parse("Any/model").expect("a model");
        let image = |bytes: usize| {
            let mut png = PNG.to_vec();
            png.resize(bytes, 0);
            Part::from(Image::new(png))
        };
        for (count, bytes, words) in [
            (
                101,
                PNG.len(),
                "the input has 101 images, documents and audio; Anthropic takes at most 100",
            ),
            (
                7,
                4 * MIB,
                "have 28 MiB; Anthropic takes at most 24 MiB in a request",
            ),
        ] {
            let parts = vec![image(bytes); count];
            let messages = vec![Message::user_parts(parts)];
            let request = ModelRequest::new(model.clone(), "Look.", messages);
            let error = ANTHROPIC.check(&request, &|_| false).expect_err(words);
            assert!(error.to_string().contains(words), "{error}");
            let error = ANTHROPIC.sendable(&request, &FetchedUrls::new());
            let error = error.expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn urls_of_the_input_are_fetched_first_and_then_the_newest() {
        let model = Model::parse("Any/model").expect("a model");
        let image = |url: &str| Part::from(Image::from_url(format!("https://example.com/{url}")));
        let answer = Message::assistant("Hm.");
        let messages = vec![
            Message::user_parts([image("a.png"), image("b.png")]),
            answer.clone(),
            Message::user_parts([image("c.png"), image("a.png")]),
            answer,
            Message::user_parts([image("d.png"), image("e.png")]),
            Message::function_parts("t", "call_1", vec![image("f.png"), image("d.png")]),
        ];
        let request = ModelRequest::new(model, "Look.", messages);
        let names = |rules: &MediaRules| -> String {
            let urls = rules.urls_left_to_caller(&request);
            let name = |url: &str| url.trim_start_matches("https://example.com/")[..1].to_owned();
            urls.into_iter().map(name).collect()
        };
        assert_eq!(names(&OLLAMA), "defacb");
        assert_eq!(names(&OPENAI), "");
    }

    #[test]
    fn media_that_were_not_fetched_for_their_number_become_texts() {
        let model = Model::parse("Any/model").expect("a model");
        let url = "https://example.com/a.png";
        let turn = || Message::user_parts([Part::from(Image::from_url(url))]);
        let fetched = || FetchedUrls::from([(url, Err(Unfetched::TooMany))]);
        let messages = vec![turn(), Message::assistant("Hm."), Message::user("And?")];
        let request = ModelRequest::new(model.clone(), "Look.", messages);
        let sent = OLLAMA
            .sendable(&request, &fetched())
            .expect("it can be sent");
        let text = sent.messages[0].content();
        assert!(
            text.contains("at most 100 images, documents and audio of at most 100 MiB"),
            "{text}"
        );
        let request = ModelRequest::new(model, "Look.", vec![turn()]);
        let error = OLLAMA
            .sendable(&request, &fetched())
            .expect_err("the input");
        let expected = "the images, documents and audio of the input have more than 100 MiB; Ollama takes at most 100 MiB in a request";
        assert_eq!(error.to_string(), expected);
    }

    /// Older media are replaced, down to half of what the provider accepts, and the media of the input stay.
    #[test]
    fn too_many_media_of_a_conversation_are_replaced_oldest_first() {
        let model = Model::parse("Any/model").expect("a model");
        let mut png = PNG.to_vec();
        png.resize(4 * MIB, 0);
        let image = Part::from(Image::new(png));
        let mut messages = Vec::new();
        // Six images of 4 MiB are the 24 MiB that Anthropic accepts.
        for (turns, kept) in [(6, 6), (7, 3), (9, 5), (10, 6), (11, 3)] {
            while messages.len() < turns {
                messages.push(Message::user_parts([image.clone()]));
            }
            let request = ModelRequest::new(model.clone(), "Look.", messages.clone());
            let sent = ANTHROPIC.sendable(&request, &FetchedUrls::new());
            let sent = sent.expect("it can be sent");
            let is_kept: Vec<bool> = sent
                .messages
                .iter()
                .map(|message| message.media().next().is_some())
                .collect();
            let expected: Vec<bool> = (0..turns).map(|at| at + kept >= turns).collect();
            assert_eq!(is_kept, expected, "{turns}");
        }
    }
}
