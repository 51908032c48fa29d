//! Pieces of secrets. A secret that is cut, or grows together with what stands beside it, has no shape any more by which
//! it would be known: whoever could bring that about could read it.

use super::secrets::Secrets;
use std::collections::HashSet;

/// The pieces of some secrets that a caller does not know yet.
pub(crate) struct Pieces<'s>(HashSet<&'s [u8]>);

/// How many bytes of a secret in a row are too many.
const PIECE: usize = 8;

/// What secrets of some kinds all begin with.
const PUBLIC: &str = "github_pat_ sk-svcacct- sk-admin- sk-proj- sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_";

impl<'s> Pieces<'s> {
    /// Takes the secrets to pieces. What stands in `told`, the caller's own words and what it has been shown, is left
    /// out: an answer that depended on it would tell whether a guess is right.
    pub fn unknown(secrets: &'s Secrets, told: &str) -> Pieces<'s> {
        let lines = secrets.words().flat_map(|word| word.split(['\n', '\r']).map(str::trim));
        let mut pieces: HashSet<&[u8]> =
            lines.filter(|line| !line.starts_with("-----")).flat_map(|line| line.as_bytes().windows(PIECE)).collect();
        pieces.retain(|piece| !piece.contains(&b' '));
        for known in told.as_bytes().windows(PIECE).chain(PUBLIC.as_bytes().windows(PIECE)) {
            pieces.remove(known);
        }
        Pieces(pieces)
    }

    /// Whether one of the pieces can be read in a text.
    pub fn stand_in(&self, text: &str) -> bool {
        !self.0.is_empty() && text.as_bytes().windows(PIECE).any(|window| self.0.contains(window))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_found_unless_the_caller_knows_it() {
        let secrets = Secrets::of("k github_pat_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 and AKIAIOSFODNN7EXAMPLE.");
        for (told, text, found) in [
            ("", "xAKIAIOSFODNN7EXAMPLE", true),
            ("", "N7EXAMPL", true),
            ("", "7EXAMPL", false),
            ("N7EXAMPL", "N7EXAMPL", false),
            ("N7EXAMPL", "NN7EXAMPL", true),
            ("", "github_pat_", false),
            ("", "github_pat_a", true),
            ("", "", false),
        ] {
            assert_eq!(Pieces::unknown(&secrets, told).stand_in(text), found, "{told} {text}");
        }
    }
}
