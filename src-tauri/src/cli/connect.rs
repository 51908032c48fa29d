//! `vidimus connect`: the settings of an MCP client.

use super::say::{note, say};
use super::{ConnectArgs, DONE, Stop};
use crate::agents::configs::{ClientKind, Language, SERVER, Way};
use crate::store::{read_foreign, write_foreign};
use crate::vaults;
use serde_json::{Value, json};
use std::path::Path;

/// What became of a settings file.
#[derive(Debug, PartialEq)]
enum Change {
    /// It says so already.
    None,
    /// The whole new text.
    Write(String),
    /// It cannot be written without touching more than our own entry; the sentence says why.
    ByHand(&'static str),
}

pub fn run(args: ConnectArgs) -> Result<u8, Stop> {
    let kind = args.client;
    let vault = vaults::look(&args.vault.vault).map_err(|error| Stop::opening(error.into()))?;
    let program = std::env::current_exe()
        .map_err(|error| Stop::failed(format!("cannot tell where this program is: {error}"), "use --print"))?;
    let way = Way::Stdio { program, vault, client: kind.title().into() };
    let home = dirs::home_dir().ok_or_else(|| Stop::failed("this account has no home folder", "set HOME"))?;
    let Some(file) = kind.file(&home).filter(|_| !args.print) else {
        match kind.language() {
            Language::Shell => note(&format!("run this to let {} in:", kind.title())),
            _ => match kind.file(Path::new("~")) {
                Some(file) => note(&format!("for `{}`:", file.display())),
                None => note(&format!("for {}:", kind.title())),
            },
        }
        say(&kind.text(&way));
        return Ok(DONE);
    };
    let old = read_foreign(&file)
        .map_err(|error| Stop::failed(format!("cannot read `{}`: {error}", file.display()), "use --print"))?;
    match change(kind, &way, old.as_deref()) {
        Change::None => note(&format!("`{}` lists this vault already", file.display())),
        Change::Write(text) => {
            let kept = write_foreign(&file, text.as_bytes())
                .map_err(|error| Stop::failed(format!("cannot write `{}`: {error}", file.display()), "use --print"))?;
            note(&format!("wrote `{}`", file.display()));
            if let Some(kept) = kept {
                note(&format!("its old text is in `{}`", kept.display()));
            }
            note(&format!("restart {} to use it", kind.title()));
        }
        Change::ByHand(why) => {
            note(&format!("`{}` {why}; put this into it by hand:", file.display()));
            say(&kind.text(&way));
        }
    }
    Ok(DONE)
}

fn change(kind: ClientKind, way: &Way, old: Option<&[u8]>) -> Change {
    let Some(old) = old.filter(|old| !old.trim_ascii().is_empty()) else {
        return Change::Write(kind.text(way));
    };
    let Ok(old) = std::str::from_utf8(old) else { return Change::ByHand("is not UTF-8") };
    match kind.language() {
        Language::Json => change_json(kind, way, old),
        Language::Toml => change_toml(kind, way, old),
        Language::Yaml | Language::Shell => Change::ByHand("has settings already"),
    }
}

fn change_json(kind: ClientKind, way: &Way, old: &str) -> Change {
    let Ok(Value::Object(mut whole)) = serde_json::from_str::<Value>(old) else {
        return Change::ByHand("is not plain JSON (it may have comments)");
    };
    let end = &old[old.trim_end().len()..];
    // Only a file that we would write in just this form can be written without touching the rest of it.
    let Some(indent) = [2, 4, 8, 1]
        .into_iter()
        .find(|indent| pretty(&whole, &" ".repeat(*indent)) == old.trim_end())
        .map(|indent| " ".repeat(indent))
        .or_else(|| (pretty(&whole, "\t") == old.trim_end()).then(|| "\t".to_owned()))
    else {
        return Change::ByHand("is laid out in a way that writing would change");
    };
    let entry = kind.entry(way);
    let servers = whole.entry(kind.servers_key()).or_insert_with(|| json!({}));
    let Value::Object(servers) = servers else { return Change::ByHand("has another kind of server list") };
    match servers.get(SERVER) {
        Some(there) if *there == entry => return Change::None,
        Some(_) => return Change::ByHand("lists another server under the name `vidimus`"),
        None => servers.insert(SERVER.into(), entry),
    };
    Change::Write(pretty(&whole, &indent) + end)
}

fn change_toml(kind: ClientKind, way: &Way, old: &str) -> Change {
    let text = kind.text(way);
    if old.replace("\r\n", "\n").contains(text.trim_end()) {
        return Change::None;
    }
    let named = |line: &str| {
        let line: String = line.chars().filter(|c| !c.is_whitespace() && *c != '"' && *c != '\'').collect();
        line.starts_with(&format!("[mcp_servers.{SERVER}]")) || line.starts_with("mcp_servers=")
    };
    if old.lines().any(named) {
        return Change::ByHand("lists another server under the name `vidimus`, or lists servers in one line");
    }
    // A table may stand last whatever comes before it.
    let gap = if old.ends_with('\n') { "\n" } else { "\n\n" };
    Change::Write(format!("{old}{gap}{text}"))
}

fn pretty(whole: &serde_json::Map<String, Value>, indent: &str) -> String {
    use serde::Serialize;
    let mut bytes = Vec::new();
    let form = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, form);
    match whole.serialize(&mut serializer) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn way() -> Way {
        Way::Stdio { program: "/bin/vidimus".into(), vault: "/notes".into(), client: "C".into() }
    }

    fn check(kind: ClientKind, old: &str, expect: Expect) {
        let after = match change(kind, &way(), Some(old.as_bytes())) {
            Change::None => "(unchanged)\n".to_owned(),
            Change::ByHand(why) => format!("(by hand: {why})\n"),
            Change::Write(text) => text,
        };
        expect.assert_eq(&after);
    }

    #[test]
    fn a_settings_file_keeps_every_other_byte() {
        check(
            ClientKind::Cursor,
            "",
            expect![[r#"
            {
              "mcpServers": {
                "vidimus": {
                  "command": "/bin/vidimus",
                  "args": [
                    "mcp",
                    "--vault",
                    "/notes",
                    "--client",
                    "C"
                  ]
                }
              }
            }
        "#]],
        );
        check(
            ClientKind::Cursor,
            "{\n    \"z\": 1,\n    \"mcpServers\": {\n        \"a\": {}\n    }\n}",
            expect![[r#"
            {
                "z": 1,
                "mcpServers": {
                    "a": {},
                    "vidimus": {
                        "command": "/bin/vidimus",
                        "args": [
                            "mcp",
                            "--vault",
                            "/notes",
                            "--client",
                            "C"
                        ]
                    }
                }
            }"#]],
        );
        check(
            ClientKind::Zed,
            "// mine\n{}\n",
            expect![[r#"
            (by hand: is not plain JSON (it may have comments))
        "#]],
        );
        check(
            ClientKind::Cursor,
            "{\"a\":1}\n",
            expect![[r#"
            (by hand: is laid out in a way that writing would change)
        "#]],
        );
        check(
            ClientKind::Cursor,
            "{\n  \"mcpServers\": {\n    \"vidimus\": {}\n  }\n}\n",
            expect![[r#"
            (by hand: lists another server under the name `vidimus`)
        "#]],
        );
        check(
            ClientKind::Codex,
            "model = \"x\"\n\n[a]\nb = 1",
            expect![[r#"
            model = "x"

            [a]
            b = 1

            [mcp_servers.vidimus]
            command = "/bin/vidimus"
            args = ["mcp", "--vault", "/notes", "--client", "C"]
        "#]],
        );
        check(
            ClientKind::Codex,
            "[mcp_servers.\"vidimus\"]\nurl = \"y\"\n",
            expect![[r#"
            (by hand: lists another server under the name `vidimus`, or lists servers in one line)
        "#]],
        );
        check(
            ClientKind::Goose,
            "extensions: {}\n",
            expect![[r#"
            (by hand: has settings already)
        "#]],
        );
    }

    #[test]
    fn connecting_twice_changes_nothing() {
        for kind in
            ClientKind::ALL.into_iter().filter(|kind| matches!(kind.language(), Language::Json | Language::Toml))
        {
            let Change::Write(first) = change(kind, &way(), None) else { panic!("{kind:?}") };
            assert_eq!(change(kind, &way(), Some(first.as_bytes())), Change::None, "{kind:?}");
        }
    }
}
