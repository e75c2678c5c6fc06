//! Large texts, such as images, which the engine keeps by their digests.

use agent_runtime::__private::write_new_file;
use agent_runtime::conversation::{StoreError, StoreFuture};
use agent_runtime::media::Sha256;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The least number of bytes of a text that is kept in the store and not by the engine.
const LARGE: usize = 64 * 1024;

/// Keeps large texts of runs and conversations, such as images in base64, by their SHA-256 digests. All workers of an agent
/// must reach the same store.
///
/// [`MediaFolder`] is the store for one machine, or for a folder that all machines share. For an object store such as S3,
/// implement the trait with the digest as the name of the object: `put` uploads it, `get` downloads it and returns `None`
/// for the status 404. An object never changes, so that two workers may put it at the same time. Nothing is ever deleted by
/// this crate: let the object store expire what is older than the conversations you keep.
pub trait MediaStore: Send + Sync + 'static {
    /// Stores bytes under their digest, and returns when they are safe. Bytes that are there already need not be stored
    /// again.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn put<'a>(&'a self, digest: &'a Sha256, bytes: &'a [u8]) -> StoreFuture<'a, ()>;

    /// Reads the bytes with a digest; `None` if the store does not have them.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get<'a>(&'a self, digest: &'a Sha256) -> StoreFuture<'a, Option<Vec<u8>>>;
}

/// A [`MediaStore`] with a file for each digest.
#[derive(Clone, Debug)]
pub struct MediaFolder(PathBuf);

impl MediaFolder {
    /// Returns the store in a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn open(folder: impl Into<PathBuf>) -> std::io::Result<Self> {
        let folder = folder.into();
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    fn write(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
        if file.exists() {
            return Ok(());
        }
        // A reader must never see a part of the file, also after the machine failed.
        write_new_file(file, bytes)
    }
}

impl MediaStore for MediaFolder {
    fn put<'a>(&'a self, digest: &'a Sha256, bytes: &'a [u8]) -> StoreFuture<'a, ()> {
        let (file, bytes) = (self.0.join(digest.to_string()), bytes.to_vec());
        Box::pin(async move {
            let name = file.display().to_string();
            let written = tokio::task::spawn_blocking(move || Self::write(&file, &bytes)).await;
            let written = written.unwrap_or_else(|error| Err(std::io::Error::other(error)));
            written.map_err(|error| {
                StoreError::unavailable(format!("`{name}` cannot be written")).with_source(error)
            })
        })
    }

    fn get<'a>(&'a self, digest: &'a Sha256) -> StoreFuture<'a, Option<Vec<u8>>> {
        let file = self.0.join(digest.to_string());
        Box::pin(async move {
            let name = file.display().to_string();
            let read = tokio::task::spawn_blocking(move || std::fs::read(file)).await;
            match read.unwrap_or_else(|error| Err(std::io::Error::other(error))) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => {
                    Err(StoreError::unavailable(format!("`{name}` cannot be read"))
                        .with_source(error))
                }
            }
        })
    }
}

/// JSON text as the engine keeps it: without its large texts if there is a store for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Text {
    json: String,
    /// The digests of the large texts, each with the number of bytes of `json` before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    apart: Vec<(usize, String)>,
}

impl Text {
    /// Puts the large texts into the store, and returns the rest.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn keep(
        json: String,
        store: Option<&dyn MediaStore>,
    ) -> Result<Self, StoreError> {
        let Some(store) = store.filter(|_| json.len() >= LARGE) else {
            let apart = Vec::new();
            return Ok(Self { json, apart });
        };
        let (mut rest, mut apart, mut begin) = (String::new(), Vec::new(), 0);
        for (from, to) in large_texts(&json) {
            let large = &json.as_bytes()[from..to];
            let digest = Sha256::of(large);
            store.put(&digest, large).await?;
            rest.push_str(&json[begin..from]);
            apart.push((rest.len(), digest.to_string()));
            begin = to;
        }
        rest.push_str(&json[begin..]);
        Ok(Self { json: rest, apart })
    }

    /// Returns the whole text.
    ///
    /// # Errors
    /// When a large text cannot be read.
    pub(crate) async fn restore(
        &self,
        store: Option<&dyn MediaStore>,
    ) -> Result<String, StoreError> {
        if self.apart.is_empty() {
            return Ok(self.json.clone());
        }
        let store = store.ok_or_else(|| {
            let text = "media were kept in a store, and the agent has none now; give it the same one with \
                        `DurableAgent::media_store`";
            StoreError::unavailable(text)
        })?;
        let (mut whole, mut begin) = (String::new(), 0);
        for (place, digest) in &self.apart {
            let damaged = || {
                let text = format!("the large text `{digest}` of the media store is damaged");
                StoreError::format(text)
            };
            let wanted: Sha256 = digest.parse().map_err(|_| damaged())?;
            let bytes = store.get(&wanted).await?.ok_or_else(|| {
                let text = format!(
                    "the media store has no `{digest}`; all workers need the store of the others"
                );
                StoreError::unavailable(text)
            })?;
            if Sha256::of(&bytes) != wanted {
                return Err(damaged());
            }
            whole.push_str(self.json.get(begin..*place).ok_or_else(damaged)?);
            whole.push_str(std::str::from_utf8(&bytes).map_err(|_| damaged())?);
            begin = *place;
        }
        whole.push_str(&self.json[begin..]);
        Ok(whole)
    }

    /// Joins two lists into one, without reading their items.
    pub(crate) fn followed_by(mut self, other: &Self) -> Self {
        let items = other.json.strip_prefix('[').unwrap_or_default();
        if items.len() <= "]".len() {
            return self;
        }
        if self.json == "[]" {
            return other.clone();
        }
        self.json.truncate(self.json.len() - "]".len());
        self.json.push(',');
        let added = self.json.len() - "[".len();
        self.json.push_str(items);
        let apart = other.apart.iter();
        self.apart
            .extend(apart.map(|(place, digest)| (place + added, digest.clone())));
        self
    }

    /// The number of bytes that the engine keeps, which has the text as a JSON string.
    pub(crate) fn len(&self) -> usize {
        escaped_len(&self.json) + 80 * self.apart.len()
    }

    /// The text without its large texts, which stays JSON.
    pub(crate) fn without_large(&self) -> &str {
        &self.json
    }
}

/// The number of bytes of JSON when it is escaped as a JSON string.
pub(crate) fn escaped_len(json: &str) -> usize {
    let escaped = json.bytes().filter(|byte| matches!(byte, b'"' | b'\\'));
    json.len() + escaped.count()
}

/// Returns where the large texts of JSON begin and end between their quotes.
fn large_texts(json: &str) -> Vec<(usize, usize)> {
    let (mut found, mut begin, mut is_escaped) = (Vec::new(), None, false);
    for (at, byte) in json.bytes().enumerate() {
        match (begin, byte) {
            (None, b'"') => begin = Some(at + 1),
            (None, _) => {}
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(from), b'"') => {
                if at - from >= LARGE {
                    found.push((from, at));
                }
                begin = None;
            }
            (Some(_), _) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn folder(name: &str) -> MediaFolder {
        let folder =
            std::env::temp_dir().join(format!("agent-restate-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        MediaFolder::open(folder).expect("a folder")
    }

    #[tokio::test]
    async fn large_texts_are_kept_apart_and_restored() {
        let store = folder("apart");
        let large = "é\"\\".repeat(LARGE);
        let json = json!({"a": large, "b": "small", "c": [large, "x".repeat(LARGE - 1)]});
        let json = json.to_string();
        let text = Text::keep(json.clone(), Some(&store)).await.expect("text");
        assert_eq!(text.apart.len(), 2);
        assert!(text.len() < 2 * LARGE, "{}", text.len());
        assert_eq!(text.restore(Some(&store)).await.expect("it is there"), json);
        let files = std::fs::read_dir(&store.0).expect("a folder");
        assert_eq!(files.count(), 1, "one text is stored once");

        let inline = Text::keep(json.clone(), None).await.expect("text");
        assert_eq!(inline.restore(None).await.expect("it is inline"), json);
        std::fs::remove_dir_all(&store.0).expect("the folder");
    }

    #[tokio::test]
    async fn a_list_that_follows_another_keeps_its_large_texts() {
        let store = folder("followed");
        let lists = [
            json!([]),
            json!([{"a": "é"}]),
            json!(["x".repeat(LARGE), 1]),
            json!([[], "y".repeat(LARGE), "z".repeat(LARGE)]),
        ];
        for first in &lists {
            for second in &lists {
                let one = Text::keep(first.to_string(), Some(&store))
                    .await
                    .expect("a text");
                let two = Text::keep(second.to_string(), Some(&store))
                    .await
                    .expect("a text");
                let both = one
                    .followed_by(&two)
                    .restore(Some(&store))
                    .await
                    .expect("it is there");
                let items = [first, second].into_iter().filter_map(Value::as_array);
                assert_eq!(both, Value::from_iter(items.flatten().cloned()).to_string());
            }
        }
        std::fs::remove_dir_all(&store.0).expect("the folder");
    }

    #[tokio::test]
    async fn a_store_that_lacks_or_changed_a_text_is_an_error_that_names_it() {
        let store = folder("damaged");
        let json = json!(["x".repeat(LARGE)]).to_string();
        let text = Text::keep(json, Some(&store)).await.expect("text");
        let file = store.0.join(&text.apart[0].1);
        std::fs::write(&file, "other").expect("the file");
        let error = text.restore(Some(&store)).await.expect_err("it is damaged");
        assert!(error.to_string().contains("is damaged"), "{error}");
        std::fs::remove_file(&file).expect("the file");
        let error = text.restore(Some(&store)).await.expect_err("it is gone");
        assert!(error.to_string().contains(&text.apart[0].1), "{error}");
        let error = text.restore(None).await.expect_err("there is no store");
        assert!(error.to_string().contains("media_store"), "{error}");
        std::fs::remove_dir_all(&store.0).expect("the folder");
    }
}
