//! States of calls that wait for their user, encrypted for the client to keep.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The maximum number of bytes of a sealed state. Clients send it back, with the arguments, in one message.
const MOST_BYTES: usize = 1 << 20;

/// The maximum number of used states that are listed. A client can send answers without end, which would fill the
/// memory. Further answers are refused until some have expired.
const MOST_USED: usize = 100_000;

/// The bytes of a nonce, which is the number by which a state is used once.
const NONCE: usize = 24;

type Nonce = [u8; NONCE];

/// Seals states so that only this server reads them, and accepts each of them once, before it expires.
///
/// A state is encrypted with XChaCha20-Poly1305. The context that it is sealed for, such as the tool, its
/// arguments and the caller, is authenticated and not part of the state.
pub(super) struct Seals {
    cipher: XChaCha20Poly1305,
    /// The time for which a state is accepted.
    time_to_live: Duration,
    most_bytes: usize,
    used: Mutex<Used>,
}

/// The states that were used, until they expire.
#[derive(Default)]
struct Used {
    expiries: HashMap<Nonce, u64>,
    /// The latest time that was read. A clock that is set back would make a state valid again.
    latest: u64,
}

impl Seals {
    /// Creates seals with a key, or with a random one. `message_bytes` is the maximum number of bytes of a message.
    ///
    /// # Errors
    /// When the operating system has no random numbers.
    pub(super) fn new(
        key: Option<[u8; 32]>,
        time_to_live: Duration,
        message_bytes: usize,
    ) -> Result<Self, getrandom::Error> {
        let key = match key {
            Some(key) => key,
            None => {
                let mut key = [0; 32];
                getrandom::fill(&mut key)?;
                key
            }
        };
        Ok(Self {
            cipher: XChaCha20Poly1305::new(&key.into()),
            time_to_live,
            most_bytes: MOST_BYTES.min(message_bytes / 2),
            used: Mutex::default(),
        })
    }

    /// Whether the time of an [`expiry`] was reached.
    pub(super) fn is_over(&self, expiry: u64) -> bool {
        self.time() >= expiry
    }

    /// Seals a state. Returns `None` if it is too long for a message, or so deep that it could not be read again.
    pub(super) fn seal(&self, state: &Value, sealed_for: &[u8]) -> Option<String> {
        let text = json!({"expires": expiry(self.time_to_live), "state": state}).to_string();
        if text.len() / 3 * 4 > self.most_bytes {
            return None;
        }
        serde_json::from_str::<Value>(&text).ok()?;
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).ok()?;
        let payload = Payload {
            msg: text.as_bytes(),
            aad: sealed_for,
        };
        let encrypted = self.cipher.encrypt(&nonce.into(), payload).ok()?;
        let sealed = [nonce.as_slice(), &encrypted].concat();
        Some(BASE64_URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Opens a state. Returns `None` if the state was changed, sealed for something else or by another key,
    /// or if it was used before or has expired.
    pub(super) fn open(&self, sealed: &str, sealed_for: &[u8]) -> Option<Value> {
        let sealed = BASE64_URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, encrypted) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: encrypted,
            aad: sealed_for,
        };
        let text = self.cipher.decrypt(&(*nonce).into(), payload).ok()?;
        let mut opened: Value = serde_json::from_slice(&text).ok()?;
        let expiry = opened["expires"].as_u64()?;
        self.is_used_first(nonce, expiry)
            .then(|| opened["state"].take())
    }

    /// Lists a state as used. Returns `false` if it was used before or has expired, or if too many are listed.
    fn is_used_first(&self, nonce: &Nonce, expiry: u64) -> bool {
        let now = self.time();
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if now >= expiry || used.expiries.contains_key(nonce) {
            return false;
        }
        if used.expiries.len() >= MOST_USED {
            used.expiries.retain(|_, expiry| now < *expiry);
        }
        if used.expiries.len() >= MOST_USED {
            return false;
        }
        used.expiries.insert(*nonce, expiry);
        true
    }

    /// Reads the clock. The returned time never decreases.
    fn time(&self) -> u64 {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.latest = used.latest.max(now());
        used.latest
    }
}

/// Returns the time that is `time_to_live` from now, in milliseconds since 1970.
pub(super) fn expiry(time_to_live: Duration) -> u64 {
    now().saturating_add(u64::try_from(time_to_live.as_millis()).unwrap_or(u64::MAX))
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{MOST_USED, NONCE, Seals};
    use serde_json::json;
    use std::time::Duration;

    fn seals(key: [u8; 32]) -> Seals {
        Seals::new(Some(key), Duration::from_secs(600), 4 << 20).expect("a key")
    }

    #[test]
    fn a_state_is_taken_back_once() {
        let seals = seals([1; 32]);
        let state = json!({"call": "a secret"});
        let sealed = seals.seal(&state, b"pay").expect("it is short");
        assert!(!sealed.contains("secret"));
        assert_eq!(seals.open(&sealed, b"pay"), Some(state));
        assert_eq!(seals.open(&sealed, b"pay"), None);
    }

    #[test]
    fn a_state_that_was_changed_or_is_of_another_key_is_refused() {
        let seals = seals([1; 32]);
        let sealed = seals.seal(&json!(1), b"pay").expect("it is short");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] = match changed[at] {
                b'A' => b'B',
                _ => b'A',
            };
            let changed = String::from_utf8(changed).expect("ASCII");
            assert_eq!(seals.open(&changed, b"pay"), None, "{at}");
        }
        for cut in 0..sealed.len() {
            assert_eq!(seals.open(&sealed[..cut], b"pay"), None);
        }
        assert_eq!(seals.open(&sealed, b"refund"), None);
        assert_eq!(self::seals([2; 32]).open(&sealed, b"pay"), None);
        // A refused attempt does not use the state.
        assert_eq!(seals.open(&sealed, b"pay"), Some(json!(1)));
    }

    #[test]
    fn equal_states_differ_when_they_are_sealed() {
        let seals = seals([1; 32]);
        assert_ne!(seals.seal(&json!(1), b""), seals.seal(&json!(1), b""));
    }

    #[test]
    fn a_state_expires() {
        let seals = Seals::new(None, Duration::ZERO, 4 << 20).expect("a key");
        let sealed = seals.seal(&json!(1), b"").expect("it is short");
        assert_eq!(seals.open(&sealed, b""), None);
    }

    #[test]
    fn a_state_is_no_longer_than_a_message() {
        let long = json!("x".repeat(900_000));
        assert_eq!(seals([1; 32]).seal(&long, b""), None);
        let short = Seals::new(None, Duration::ZERO, 10_000).expect("a key");
        assert_eq!(short.seal(&json!("x".repeat(4000)), b""), None);
        let sealed = short.seal(&json!("x".repeat(3000)), b"");
        assert!(sealed.expect("it is short").len() <= 5000);
    }

    #[test]
    fn a_state_that_could_not_be_read_again_is_not_sealed() {
        let deep = (0..200).fold(json!(1), |value, _| json!([value]));
        assert_eq!(seals([1; 32]).seal(&deep, b""), None);
    }

    #[test]
    fn the_list_of_used_states_is_bounded() {
        let seals = seals([1; 32]);
        let mut used = seals.used.lock().expect("no panic");
        for number in 0..MOST_USED as u64 {
            let mut nonce = [0; NONCE];
            nonce[..8].copy_from_slice(&number.to_le_bytes());
            used.expiries.insert(nonce, u64::MAX);
        }
        drop(used);
        let sealed = seals.seal(&json!(1), b"").expect("it is short");
        assert_eq!(seals.open(&sealed, b""), None);
        let mut used = seals.used.lock().expect("no panic");
        let any = *used.expiries.keys().next().expect("a state");
        // Sets an expiry in the past.
        used.expiries.insert(any, 1);
        drop(used);
        assert_eq!(seals.open(&sealed, b""), Some(json!(1)));
    }
}
