//! Tokens: who may come in over HTTP. Only hashes of them are kept.

use std::sync::{PoisonError, RwLock};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// Knows which client a token belongs to.
pub trait Clients: Send + Sync {
    /// Returns the name under which a person let the bearer of this token in.
    fn client_of(&self, token: &str) -> Option<String>;
}

/// The client a request comes from, once its token has been checked.
#[derive(Debug, Clone)]
pub(crate) struct ClientName(pub String);

/// The clients with their tokens' hashes, changed while the server runs.
#[derive(Debug, Default)]
pub struct TokenTable(RwLock<Vec<(String, [u8; 32])>>);

impl TokenTable {
    /// Puts these clients, each with the hash of its token, in the place of all others. What is not a hash is left out.
    pub fn replace<'a>(&self, clients: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let entries = clients
            .into_iter()
            .filter_map(|(client, hash)| Some((client.to_owned(), *blake3::Hash::from_hex(hash).ok()?.as_bytes())))
            .collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = entries;
    }
}

impl Clients for TokenTable {
    /// Looks at every entry whatever it finds, so that the time taken tells nothing.
    fn client_of(&self, token: &str) -> Option<String> {
        let hash = blake3::hash(token.as_bytes());
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (mut found, mut at) = (Choice::from(0), 0u32);
        for (index, (_, known)) in (0u32..).zip(entries.iter()) {
            let same = known.as_slice().ct_eq(hash.as_bytes());
            at.conditional_assign(&index, same);
            found |= same;
        }
        bool::from(found).then(|| entries.get(at as usize).map(|(client, _)| client.clone())).flatten()
    }
}

/// Draws a new token. It is shown to the person once; only its hash is kept.
///
/// # Errors
/// The system gives no random numbers.
pub fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold("vidimus_".to_owned(), |token, byte| token + &format!("{byte:02x}")))
}

/// Returns what is kept of a token.
pub fn token_hash(token: &str) -> String {
    blake3::hash(token.as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_for_its_own_client_only() {
        let (one, two) = (new_token().unwrap(), new_token().unwrap());
        assert_ne!(one, two);
        let table = TokenTable::default();
        table.replace([("Claude", token_hash(&one).as_str()), ("Cursor", token_hash(&two).as_str()), ("Broken", "00")]);
        assert_eq!(table.client_of(&one).as_deref(), Some("Claude"));
        assert_eq!(table.client_of(&two).as_deref(), Some("Cursor"));
        for wrong in ["", "x", &one[1..], &format!("{one} ")] {
            assert_eq!(table.client_of(wrong), None);
        }
        table.replace([("Cursor", token_hash(&two).as_str())]);
        assert_eq!(table.client_of(&one), None);
    }
}
