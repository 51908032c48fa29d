//! Links that add the vault to a client with one press: the client asks the person, and starts this program itself.
//!
//! A link holds no token. Whoever opens one hands it to another program as an argument, and those can be listed by every
//! account of the machine.

use super::configs::{ClientKind, SERVER, Way};
use super::entry::slug;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

/// What `encodeURIComponent` leaves as it is.
const IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

impl ClientKind {
    /// Returns the link that adds the vault to this client; none where it knows no such links, or would need a token.
    pub fn link(self, way: &Way) -> Option<String> {
        let Way::Stdio { vault, .. } = way else { return None };
        let name = match slug(vault).as_str() {
            "" => SERVER.to_owned(),
            slug => format!("{SERVER}-{slug}"),
        };
        let entry = self.entry(way);
        let encoded = || query(&STANDARD.encode(ascii(&entry)));
        match self {
            // https://cursor.com/docs/mcp/install-links: the name, and what stands under it in `mcp.json`.
            ClientKind::Cursor => Some(format!(
                "cursor://anysphere.cursor-deeplink/mcp/install?name={}&config={}",
                query(&name),
                encoded()
            )),
            // https://lmstudio.ai/docs/app/mcp/deeplink: the same parts.
            ClientKind::LmStudio => Some(format!("lmstudio://add_mcp?name={}&config={}", query(&name), encoded())),
            // https://code.visualstudio.com/api/extension-guides/ai/mcp: one object, with the name among its fields.
            ClientKind::VsCode => {
                let mut fields = serde_json::Map::from_iter([("name".to_owned(), json!(name))]);
                fields.extend(entry.as_object().cloned().unwrap_or_default());
                Some(format!("vscode:mcp/install?{}", query(&ascii(&Value::Object(fields)))))
            }
            _ => None,
        }
    }
}

fn query(text: &str) -> String {
    utf8_percent_encode(text, IN_QUERY).to_string()
}

/// Writes JSON in ASCII alone: what takes apart base64 in a web page gets bytes, not characters.
fn ascii(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        match c.is_ascii() {
            true => out.push(c),
            false => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use percent_encoding::percent_decode_str;

    fn stdio(vault: &str) -> Way {
        Way::Stdio {
            program: "/opt/my programs/vidimus".into(),
            vault: vault.into(),
            client: "A & b".into(),
            leave: Vec::new(),
        }
    }

    fn decoded(text: &str) -> String {
        percent_decode_str(text).decode_utf8().unwrap().into_owned()
    }

    /// Takes a link apart as a client does: what it is called, and the entry.
    fn opened(kind: ClientKind, link: &str) -> (String, Value) {
        if kind == ClientKind::VsCode {
            let text = decoded(link.strip_prefix("vscode:mcp/install?").unwrap());
            let mut whole: Value = serde_json::from_str(&text).unwrap();
            let name = whole.as_object_mut().unwrap().shift_remove("name").unwrap();
            return (name.as_str().unwrap().to_owned(), whole);
        }
        let start = match kind {
            ClientKind::Cursor => "cursor://anysphere.cursor-deeplink/mcp/install?",
            _ => "lmstudio://add_mcp?",
        };
        let fields: Vec<(&str, &str)> =
            link.strip_prefix(start).unwrap().split('&').map(|field| field.split_once('=').unwrap()).collect();
        let [("name", name), ("config", config)] = fields.as_slice() else { panic!("{link}") };
        let json = STANDARD.decode(decoded(config)).unwrap();
        assert!(json.is_ascii());
        (decoded(name), serde_json::from_slice(&json).unwrap())
    }

    #[test]
    fn what_a_link_holds_is_what_the_settings_would_hold() {
        for kind in ClientKind::ALL {
            for (vault, name) in [
                ("/home/ana/my notes", "vidimus-my-notes"),
                ("/home/ana/\u{dc}bung \u{1f600}+%&=\"", "vidimus-bung"),
                ("/\u{65e5}\u{8a18}", "vidimus"),
            ] {
                let way = stdio(vault);
                let Some(link) = kind.link(&way) else {
                    assert!(![ClientKind::Cursor, ClientKind::VsCode, ClientKind::LmStudio].contains(&kind));
                    continue;
                };
                assert!(link.is_ascii() && !link.contains([' ', '"', '+']), "{link}");
                assert_eq!(opened(kind, &link), (name.to_owned(), kind.entry(&way)), "{kind:?} {vault}");
            }
        }
    }

    #[test]
    fn no_link_carries_a_token() {
        let way = Way::Http { url: "http://127.0.0.1:1/mcp".into(), token: Some("vidimus_0a".into()) };
        assert!(ClientKind::ALL.into_iter().all(|kind| kind.link(&way).is_none()));
    }
}
