//! Identities: of bytes, and of notes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The BLAKE3-256 hash of a file's exact bytes, written as 64 lower case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContentHash(#[cfg_attr(feature = "specta", specta(type = String))] [u8; 32]);

/// A text that is not a content hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a content hash (64 lower case hex digits): `{0}`")]
pub struct NotAHash(pub String);

impl ContentHash {
    /// Hashes bytes.
    pub fn of(bytes: &[u8]) -> ContentHash {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }

    /// The hash itself.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for ContentHash {
    fn from(bytes: [u8; 32]) -> ContentHash {
        ContentHash(bytes)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for ContentHash {
    type Err = NotAHash;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let wrong = || NotAHash(s.chars().take(80).collect());
        let digits = s.as_bytes();
        if digits.len() != 64 {
            return Err(wrong());
        }
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let (Some(high), Some(low)) = (value(pair[0]), value(pair[1])) else {
                return Err(wrong());
            };
            *byte = high << 4 | low;
        }
        Ok(ContentHash(bytes))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A note's identity, stable while the note can be followed; written as a ULID.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct NoteId(#[cfg_attr(feature = "specta", specta(type = String))] pub ulid::Ulid);

/// A text that is not a note id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a note id (26 characters of Crockford base 32): `{0}`")]
pub struct NotAnId(pub String);

impl fmt::Display for NoteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for NoteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for NoteId {
    type Err = NotAnId;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        match ulid::Ulid::from_string(s) {
            // Lower case and the letters I, L, O are forgiven by the reader, but an id has one form.
            Ok(id) if id.to_string().eq_ignore_ascii_case(s) => Ok(NoteId(id)),
            _ => Err(NotAnId(s.chars().take(80).collect())),
        }
    }
}

impl Serialize for NoteId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NoteId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_have_one_text_form() {
        let hash = ContentHash::of(b"");
        assert_eq!(hash.to_string(), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert!(hash.to_string().to_uppercase().parse::<ContentHash>().is_err());
        assert!("é".repeat(32).parse::<ContentHash>().is_err());
    }

    #[test]
    fn ids_have_one_text_form() {
        let text = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
        let id: NoteId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert!("01ARZ3NDEKTSV4RRFFQ69G5FA".parse::<NoteId>().is_err());
        assert!("plans/june".parse::<NoteId>().is_err());
    }
}
