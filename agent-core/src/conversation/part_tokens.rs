//! Estimates of the tokens of the parts of messages.

use super::{Media, Part};
use agent_catalog::{Catalog, WireFormat};
use agent_spec::Model;
use agent_tool::__private::dimensions;

/// The tokens of an image of unknown size, and the most that Anthropic counts for an image, after scaling it
/// down.
const IMAGE: usize = 1600;

/// The pixels of an image for one token, by Anthropic's rule.
const PIXELS_PER_TOKEN: u64 = 750;

/// The edge of a patch of an image at OpenAI, in pixels, and the most patches of an image.
const PATCH: u64 = 32;
const MAX_PATCHES: u64 = 1536;

/// The tokens of a tile at Google: 768 pixels in each direction. A small image is one tile, and so is a page.
const GOOGLE_TILE: u64 = 258;

/// The bytes of a page of a PDF file whose pages cannot be counted.
const BYTES_PER_PAGE: usize = 50_000;

/// The bytes of a second of audio whose header does not contain the rate: 128 kbit.
const BYTES_PER_SECOND: u32 = 16_000;

/// The tokens of a document or audio of unknown size.
const UNKNOWN: usize = 4000;

/// The rule by which media are counted, from the providers' documentation of November 2026. The rule applies
/// to most models of the provider.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// The rule of Anthropic, also used for unknown providers: width times height by 750, and at most 1,600.
    Area,
    /// OpenAI's: six fifths of a token for each patch of 32 pixels, and at most 1,536 patches.
    Patches,
    /// Google's: 258 tokens for each tile of 768 pixels, for a small image, and for a page.
    Google,
}

impl Rule {
    fn of(model: Option<&Model>) -> Self {
        let Some(model) = model else {
            return Self::Area;
        };
        let provider = Catalog::builtin().provider(model.provider());
        match provider.and_then(|provider| provider.format) {
            Some(WireFormat::OpenAi) => Self::Patches,
            Some(WireFormat::Google) => Self::Google,
            _ => Self::Area,
        }
    }

    fn image(self, (width, height): (u32, u32)) -> u64 {
        let (width, height) = (u64::from(width).max(1), u64::from(height).max(1));
        let most = IMAGE as u64;
        match self {
            Self::Area => (width.saturating_mul(height) / PIXELS_PER_TOKEN).clamp(1, most),
            Self::Patches => {
                let patches = width.div_ceil(PATCH).saturating_mul(height.div_ceil(PATCH));
                patches.min(MAX_PATCHES) * 6 / 5
            }
            Self::Google if width <= 384 && height <= 384 => GOOGLE_TILE,
            Self::Google => {
                let tiles = width.div_ceil(768).saturating_mul(height.div_ceil(768));
                tiles.saturating_mul(GOOGLE_TILE)
            }
        }
    }

    /// The tokens of a page of a PDF file: Anthropic counts its text, 1,500 to 3,000 tokens, and OpenAI its text and
    /// its image.
    fn page(self) -> usize {
        match self {
            Self::Area => 3000,
            Self::Patches => 1500,
            Self::Google => 258,
        }
    }

    /// The tokens of a second of audio.
    fn second(self) -> usize {
        match self {
            Self::Patches => 10,
            Self::Area | Self::Google => 32,
        }
    }
}

/// Estimates the number of tokens of a part, with media counted by the rule of the provider of a model, if it is known.
pub(super) fn of_part(part: &Part, model: Option<&Model>) -> usize {
    match part {
        Part::Text(text) => of_text(text),
        Part::Thinking(thinking) => of_text(thinking.text()),
        Part::Provider(part) => of_text(&part.data().to_string()),
        media => media.media().map_or(0, |media| of_media(media, model)),
    }
}

/// Estimates the number of tokens of a text: one for four ASCII characters and for each other character.
pub(crate) fn of_text(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(4) + others
}

/// Estimates the number of tokens of media, by the rule of the provider of a model, if it is known. Nothing is encoded.
fn of_media(media: &Media, model: Option<&Model>) -> usize {
    let rule = Rule::of(model);
    let kind = media.media_type().unwrap_or_default();
    let Some(bytes) = media.bytes() else {
        return if kind.starts_with("image/") {
            IMAGE
        } else {
            UNKNOWN
        };
    };
    if kind.starts_with("image/") {
        let tokens = dimensions(bytes).map(|size| rule.image(size));
        return tokens.map_or(IMAGE, |tokens| usize::try_from(tokens).unwrap_or(IMAGE));
    }
    match (kind.starts_with("audio/"), std::str::from_utf8(bytes)) {
        (true, _) => seconds(bytes) * rule.second(),
        (false, _) if bytes.starts_with(b"%PDF-") => pages(bytes) * rule.page(),
        (false, Ok(text)) => of_text(text),
        (false, Err(_)) => pages(bytes) * rule.page(),
    }
}

/// Returns the seconds of audio, at least one, from the header of a WAV file, else by the size.
fn seconds(bytes: &[u8]) -> usize {
    let rate = match bytes {
        [b'R', b'I', b'F', b'F', ..] => bytes.get(28..32),
        _ => None,
    };
    let rate = rate.and_then(|rate| Some(u32::from_le_bytes(rate.try_into().ok()?)));
    let rate = rate.filter(|rate| *rate > 0).unwrap_or(BYTES_PER_SECOND);
    bytes.len().div_ceil(rate as usize).max(1)
}

/// Returns the pages of a PDF file, at least one: the objects of the type `Page`, else by the size, because newer
/// files compress their objects.
fn pages(bytes: &[u8]) -> usize {
    const TYPE: &[u8] = b"/Type";
    let mut pages = 0;
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == b'/') {
        rest = &rest[at..];
        if let Some(value) = rest.strip_prefix(TYPE) {
            let value = value.trim_ascii_start();
            let is_page = value.strip_prefix(b"/Page");
            // `/Pages` is a node of the tree, which has no text.
            pages += usize::from(is_page.is_some_and(|next| next.first() != Some(&b's')));
        }
        rest = &rest[1..];
    }
    match pages {
        0 => bytes.len().div_ceil(BYTES_PER_PAGE).max(1),
        pages => pages,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{
        Audio, Document, Image, Message, estimate_tokens, estimate_tokens_for,
    };

    #[test]
    fn an_image_counts_by_its_size_and_not_by_its_bytes() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0".to_vec();
        png.resize(1_000_000, 0);
        let message = Message::user_parts([Part::from(Image::new(png))]);
        assert_eq!(estimate_tokens(&message), 4 + 640 * 480 / 750);
    }

    /// Returns a message with a PNG image of this size.
    fn image(width: u32, height: u32) -> Message {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend(width.to_be_bytes());
        png.extend(height.to_be_bytes());
        Message::user_parts([Part::from(Image::new(png))])
    }

    fn tokens(model: &str, message: &Message) -> usize {
        let model = Model::parse(model).expect("a model");
        estimate_tokens_for(&model, message) - 4
    }

    #[test]
    fn images_count_by_the_rule_of_their_provider() {
        for (model, width, height, expected) in [
            // The examples of the providers' documentation.
            ("Anthropic/claude-haiku-4-5", 200, 200, 53),
            ("Anthropic/claude-haiku-4-5", 1000, 1000, 1333),
            ("Anthropic/claude-haiku-4-5", 4000, 4000, 1600),
            ("OpenAI/gpt-6-luna", 1024, 1024, 1024 * 6 / 5),
            ("OpenAIResponses/gpt-6-luna", 100, 100, 16 * 6 / 5),
            ("OpenAIChat/gpt-6-luna", 4000, 4000, 1536 * 6 / 5),
            ("Groq/m", 1024, 1024, 1024 * 6 / 5),
            ("Google/gemini-2.5-flash", 384, 384, 258),
            ("Google/gemini-2.5-flash", 960, 540, 2 * 258),
            ("Google/gemini-2.5-flash", 1536, 1536, 4 * 258),
            ("Ollama/gemma3", 640, 480, 409),
            ("Acme/m", 0, 0, 1),
        ] {
            assert_eq!(
                tokens(model, &image(width, height)),
                expected,
                "{model} {width}x{height}"
            );
        }
        for model in ["Anthropic/m", "OpenAI/m", "Google/m", "Acme/m"] {
            assert!(tokens(model, &image(u32::MAX, u32::MAX)) > 0, "{model}");
        }
    }

    #[test]
    fn pages_and_seconds_count_by_the_rule_of_their_provider() {
        let pdf = b"%PDF-1.7\n1 0 obj <</Type /Pages /Count 2>> 2 0 obj <</Type/Page>> 3 0 obj <</Type  /Page/A 1>>";
        let pdf = Message::user_parts([Part::from(Document::new(pdf))]);
        let mut wav =
            b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\xbb\0\0\0\x77\x01\0".to_vec();
        wav.resize(960_000, 0);
        let wav = Message::user_parts([Part::from(Audio::new(wav))]);
        let mut mp3 = b"ID3\x04".to_vec();
        mp3.resize(32_000, 0);
        let mp3 = Message::user_parts([Part::from(Audio::new(mp3))]);
        for (model, page, second) in [
            ("Anthropic/m", 3000, 32),
            ("OpenAI/m", 1500, 10),
            ("Google/m", 258, 32),
        ] {
            assert_eq!(tokens(model, &pdf), 2 * page, "{model}");
            assert_eq!(tokens(model, &wav), 10 * second, "{model}");
            assert_eq!(tokens(model, &mp3), 2 * second, "{model}");
        }
        // The pages of a compressed file are not found, so that its size is used.
        let mut compressed = b"%PDF-1.7\n\xff".to_vec();
        compressed.resize(100_000, 0xff);
        let compressed = Message::user_parts([Part::from(Document::new(compressed))]);
        assert_eq!(tokens("Google/m", &compressed), 2 * 258);
    }

    #[test]
    fn the_pages_of_a_hostile_file_are_counted_in_linear_time() {
        let mut bytes = b"%PDF-1.7\n".to_vec();
        bytes.resize(4 << 20, b'/');
        assert_eq!(pages(&bytes), (4 << 20) / BYTES_PER_PAGE + 1);
        let blanks = [b"/Type".as_slice(), &[b' '; 1 << 20]].concat();
        assert!(pages(&blanks) > 0);
    }
}
