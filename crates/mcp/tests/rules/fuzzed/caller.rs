//! Calls, and what is promised of every answer.

use crate::FILES;
use crate::harness::{Client, Fixture, conforms};
use engine::Writes;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const CODES: [&str; 22] = [
    "invalid_arguments",
    "not_found",
    "ambiguous_title",
    "ambiguous_heading",
    "heading_not_found",
    "heading_level_1",
    "heading_collision",
    "invalid_heading",
    "hash_required",
    "conflict",
    "stale_chunk",
    "structure_changed",
    "path_outside_vault",
    "path_not_allowed",
    "not_a_note",
    "not_utf8",
    "too_large",
    "writes_off",
    "declined",
    "request_id_reused",
    "vault_busy",
    "internal",
];

/// Codes of errors about something that was not there, or was not what it should be: they name it.
const ABOUT_A_VALUE: [&str; 6] =
    ["not_found", "heading_not_found", "path_outside_vault", "path_not_allowed", "not_a_note", "invalid_heading"];

/// The vault of the other tests, and notes that are hard to deal with.
fn odd_vault() -> Fixture {
    let long = format!("## {}\ntext\n\n## {}\n", "long ".repeat(4000), "\"\u{1}".repeat(300));
    let deep: String = (1..=6).map(|level| format!("{} \u{202e}d{level} ^id\n", "#".repeat(level))).collect();
    let same = "## Same\r\n\r\n".repeat(400);
    let mut files: Vec<(&str, &[u8])> = FILES.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    files.extend([
        ("odd/bytes.md", &b"# A\xff\n## B\n"[..]),
        ("odd/empty.md", b""),
        ("odd/mark.md", b"\xef\xbb\xbf---\r\ntags: [a, 5]\r\n---\r\n# A\r\n"),
        ("odd/properties.md", b"---\na: [\n---\n# A\n"),
        ("odd/open.md", b"# A\n```\n## B\n"),
        ("odd/secret.md", b"# ghp_0123456789abcdefghijABCDEFGHIJ012345\n## {{vidimus:secret:1}}\n"),
        ("odd/long.md", long.as_bytes()),
        ("odd/deep.md", deep.as_bytes()),
        ("odd/same.md", same.as_bytes()),
        ("odd/board.canvas", b"{\"nodes\":[{\"type\":\"file\",\"file\":\"n.md\"}]}"),
        ("odd/broken.canvas", b"{"),
    ]);
    Fixture::of_bytes(&files)
}

/// A session that holds every answer against what each tool promises.
pub struct Caller {
    pub fixture: Fixture,
    pub client: Client,
    pub tools: BTreeMap<String, Value>,
    pub n_calls: usize,
    writes: Writes,
    /// What was not as promised.
    broken: Vec<String>,
}

impl Caller {
    pub async fn open(writes: Writes) -> Caller {
        let fixture = odd_vault();
        let mut client = fixture.client(writes).await;
        let list = client.request("tools/list", json!({})).await["result"]["tools"].clone();
        let tools =
            list.as_array().unwrap().iter().map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool.clone()));
        Caller { fixture, client, tools: tools.collect(), n_calls: 0, writes, broken: Vec::new() }
    }

    /// Calls a tool; `odd` names the arguments that were put in.
    pub async fn call(&mut self, tool: &str, arguments: &Value, odd: &[&str]) {
        self.n_calls += 1;
        let about = format!("{tool} {:.300}", arguments.to_string());
        let called = self.client.call(tool, arguments.clone());
        let (is_error, answer) = tokio::time::timeout(Duration::from_secs(60), called)
            .await
            .unwrap_or_else(|_| panic!("{about} is not answered"));
        if let Err(what) = self.holds(tool, arguments, odd, is_error, &answer) {
            self.broken.push(format!("{what}: {about}\n    {:.500}", answer.to_string()));
        }
    }

    fn holds(&self, tool: &str, arguments: &Value, odd: &[&str], is_error: bool, answer: &Value) -> Result<(), String> {
        let text = answer.to_string();
        check(text.chars().count() <= 131_072, "it is too long")?;
        check(!text.contains(self.fixture.root().to_str().unwrap()), "it names the disk")?;
        let card = &self.tools[tool];
        match is_error {
            false => conforms(&card["outputSchema"], answer, tool),
            true => told(answer)?,
        }
        for name in odd {
            let value = &arguments[*name];
            match card["inputSchema"]["properties"].get(*name) {
                Some(_) if value.is_null() => {}
                Some(schema) if may_be(schema, value) => {
                    // Where calls write, the note may have gone that the others speak of.
                    if is_error && odd.len() == 1 && self.writes == Writes::Review {
                        named(answer, name, value)?;
                    }
                }
                _ => {
                    check(is_error && answer["code"] == "invalid_arguments", "a wrong type is taken")?;
                    let listed = answer["arguments"].as_array().unwrap();
                    let shown: String = name.chars().take(80).collect();
                    check(
                        listed.iter().any(|argument| argument["name"] == shown)
                            || answer["arguments_truncated"] == true,
                        "a wrong argument is not listed",
                    )?;
                }
            }
        }
        Ok(())
    }

    pub fn all_held(&self) {
        let first: Vec<&str> = self.broken.iter().take(20).map(String::as_str).collect();
        assert!(first.is_empty(), "{} of {} calls:\n{}", self.broken.len(), self.n_calls, first.join("\n"));
    }
}

fn check(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}

/// An error about the one odd value names it.
fn named(answer: &Value, name: &str, value: &Value) -> Result<(), String> {
    let code = answer["code"].as_str().unwrap_or_default();
    let Some(text) = value.as_str().filter(|text| (1..=40).contains(&text.len())) else { return Ok(()) };
    // Another argument may be what is wrong, with this one as it is.
    let is_about_it = code != "heading_not_found" || ["heading", "section"].iter().any(|part| name.contains(part));
    if !ABOUT_A_VALUE.contains(&code) || !is_about_it {
        return Ok(());
    }
    let message = answer["message"].as_str().unwrap();
    let escaped: String = text.chars().flat_map(char::escape_debug).collect();
    let spellings = [text, escaped.as_str()];
    let ends = |c: char| c.is_whitespace() || c == '/';
    let is_named = spellings.iter().any(|text| message.contains(text) || message.contains(text.trim_matches(ends)));
    check(is_named, "the value is not named")
}

/// Whether the catalog allows a value of this kind.
fn may_be(schema: &Value, value: &Value) -> bool {
    match schema["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => {
            value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0 && (0.0..=9.1e15).contains(&n))
        }
        Some("boolean") => value.is_boolean(),
        Some("object") => value.is_object(),
        // Clients send arrays as JSON in a string.
        Some("array") => {
            value.is_array() || value.as_str().is_some_and(|text| serde_json::from_str::<Vec<Value>>(text).is_ok())
        }
        other => panic!("a property is {other:?}"),
    }
}

/// Holds an error against the one grammar of errors.
pub fn told(error: &Value) -> Result<(), String> {
    let code = error["code"].as_str().unwrap_or_default();
    check(CODES.contains(&code) && code != "internal", "the code is wrong")?;
    check(error["retryable"].is_boolean(), "retryable is missing")?;
    for part in ["message", "hint"] {
        let text = error[part].as_str().unwrap_or_default();
        check(text.starts_with(|c: char| !c.is_whitespace() && !c.is_uppercase()), "a sentence has no beginning")?;
        check(!text.ends_with('.') && !text.contains(char::is_control), "a sentence is no line")?;
    }
    if code == "invalid_arguments" {
        let listed = error["arguments"].as_array().ok_or("no argument is listed")?;
        let is_whole = |argument: &Value| argument["name"].is_string() && argument["problem"].is_string();
        check(!listed.is_empty() && listed.iter().all(is_whole), "the list of arguments is not whole")?;
    }
    Ok(())
}
