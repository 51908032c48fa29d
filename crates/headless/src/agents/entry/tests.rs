use super::*;
use expect_test::{Expect, expect};

fn way(vault: &str) -> Way {
    Way::Stdio { program: "/bin/vidimus".into(), vault: vault.into(), client: "C".into(), leave: Vec::new() }
}

fn check(kind: ClientKind, old: &str, expect: Expect) {
    let shown = |change: Change| match change {
        Change::None => "(unchanged)\n".to_owned(),
        Change::ByHand(why) => format!("(by hand: {why})\n"),
        Change::Write(text) => text.replace('\r', "␍"),
    };
    let first = put(kind, &way("/n/My notes"), Some(old.as_bytes()));
    if let Change::Write(text) = &first {
        assert_eq!(
            put(kind, &way("/n/My notes"), Some(text.as_bytes())),
            Change::None,
            "a second time changes nothing"
        );
    }
    expect.assert_eq(&shown(first));
}

#[test]
fn json_keeps_comments_layout_and_order() {
    check(
        ClientKind::Zed,
        "// mine\n{\n\t\"z\": 1, // last letter\n\t\"a\": [1,2]\n}\n",
        expect![[r#"
            // mine
            {
            	"z": 1, // last letter
            	"a": [1,2],
            	"context_servers": {
            		"vidimus": {
            			"command": "/bin/vidimus",
            			"args": ["mcp", "--vault", "/n/My notes", "--client", "C"]
            		}
            	}
            }
        "#]],
    );
    check(
        ClientKind::Cursor,
        "{\"a\":1}",
        expect![[r#"
        {
          "a":1,
          "mcpServers": {
            "vidimus": {
              "command": "/bin/vidimus",
              "args": ["mcp", "--vault", "/n/My notes", "--client", "C"]
            }
          }
        }"#]],
    );
    check(
        ClientKind::Cursor,
        "{\n    \"mcpServers\": {\n        \"a\": {}\n    }\n}",
        expect![[r#"
        {
            "mcpServers": {
                "a": {},
                "vidimus": {
                    "command": "/bin/vidimus",
                    "args": ["mcp", "--vault", "/n/My notes", "--client", "C"]
                }
            }
        }"#]],
    );
    check(
        ClientKind::Cursor,
        "[]",
        expect![[r#"
        (by hand: holds something else than settings)
    "#]],
    );
    check(
        ClientKind::Cursor,
        "{ no",
        expect![[r#"
        (by hand: cannot be read as JSON)
    "#]],
    );
    check(
        ClientKind::Cursor,
        "{\"mcpServers\": []}",
        expect![[r#"
        (by hand: lists its servers in another way)
    "#]],
    );
}

#[test]
fn a_name_that_is_taken_is_left_to_its_owner() {
    check(
        ClientKind::Cursor,
        "{\n  \"mcpServers\": {\n    \"vidimus\": {\"command\": \"/bin/vidimus\", \"args\": [\"mcp\", \"--vault\", \"/other\"]}\n  }\n}\n",
        expect![[r#"
            {
              "mcpServers": {
                "vidimus": {"command": "/bin/vidimus", "args": ["mcp", "--vault", "/other"]},
                "vidimus-my-notes": {
                  "command": "/bin/vidimus",
                  "args": ["mcp", "--vault", "/n/My notes", "--client", "C"]
                }
              }
            }
        "#]],
    );
    check(
        ClientKind::Codex,
        "[mcp_servers.\"vidimus\"]\nurl = \"y\"\n",
        expect![[r#"
        [mcp_servers."vidimus"]
        url = "y"

        [mcp_servers.vidimus-my-notes]
        command = "/bin/vidimus"
        args = ["mcp", "--vault", "/n/My notes", "--client", "C"]
    "#]],
    );
    check(
        ClientKind::Goose,
        "extensions:\n  vidimus:\n    type: builtin\n",
        expect![[r#"
        extensions:
          vidimus-my-notes:
            enabled: true
            name: vidimus-my-notes
            type: stdio
            cmd: "/bin/vidimus"
            args: ["mcp","--vault","/n/My notes","--client","C"]
            timeout: 300
          vidimus:
            type: builtin
    "#]],
    );
}

#[test]
fn an_older_entry_for_the_same_vault_is_renewed_in_its_place() {
    check(
        ClientKind::Cursor,
        "{\n  \"mcpServers\": {\n    \"vidimus\": {\n      \"command\": \"/old/vidimus\",\n      \"args\": [\"mcp\", \"--vault\", \"/n/My notes\"]\n    },\n    \"z\": {}\n  }\n}\n",
        expect![[r#"
            {
              "mcpServers": {
                "vidimus": {
                  "command": "/bin/vidimus",
                  "args": ["mcp", "--vault", "/n/My notes", "--client", "C"]
                },
                "z": {}
              }
            }
        "#]],
    );
    check(
        ClientKind::Codex,
        "# servers\n[mcp_servers.vidimus]\ncommand = \"/old/vidimus\"\nargs = [\"mcp\", \"--vault\", \"/n/My notes\"]\n\n[z]\n",
        expect![[r##"
            # servers
            [mcp_servers.vidimus]
            command = "/bin/vidimus"
            args = ["mcp", "--vault", "/n/My notes", "--client", "C"]

            [z]
        "##]],
    );
    check(
        ClientKind::Goose,
        "extensions:\n  vidimus:\n    type: stdio\n    args: [\"mcp\",\"--vault\",\"/n/My notes\"]\n\n  z:\n    enabled: true\n",
        expect![[r#"
            extensions:
              vidimus:
                enabled: true
                name: vidimus
                type: stdio
                cmd: "/bin/vidimus"
                args: ["mcp","--vault","/n/My notes","--client","C"]
                timeout: 300

              z:
                enabled: true
        "#]],
    );
}

#[test]
fn toml_gets_a_table_at_its_end() {
    check(
        ClientKind::Codex,
        "model = \"x\"\n\n[a]\nb = 1",
        expect![[r#"
        model = "x"

        [a]
        b = 1

        [mcp_servers.vidimus]
        command = "/bin/vidimus"
        args = ["mcp", "--vault", "/n/My notes", "--client", "C"]
    "#]],
    );
    check(
        ClientKind::Codex,
        "mcp_servers = { a = { command = \"b\" } }\n",
        expect![[r#"
        (by hand: lists its servers in another way)
    "#]],
    );
    check(
        ClientKind::Codex,
        "a = [\n",
        expect![[r#"
        (by hand: cannot be read as TOML)
    "#]],
    );
}

#[test]
fn yaml_gets_lines_of_its_own() {
    check(
        ClientKind::Goose,
        "GOOSE_MODEL: x\r\n",
        expect![[r#"
            GOOSE_MODEL: x␍
            extensions:␍
              vidimus:␍
                enabled: true␍
                name: vidimus␍
                type: stdio␍
                cmd: "/bin/vidimus"␍
                args: ["mcp","--vault","/n/My notes","--client","C"]␍
                timeout: 300␍
        "#]],
    );
    check(
        ClientKind::Goose,
        "extensions:\n    memory:\n        enabled: true\nGOOSE_MODEL: x\n",
        expect![[r#"
        extensions:
            vidimus:
              enabled: true
              name: vidimus
              type: stdio
              cmd: "/bin/vidimus"
              args: ["mcp","--vault","/n/My notes","--client","C"]
              timeout: 300
            memory:
                enabled: true
        GOOSE_MODEL: x
    "#]],
    );
    check(
        ClientKind::Goose,
        "extensions: {}\n",
        expect![[r#"
        (by hand: lists its extensions in another way)
    "#]],
    );
    check(
        ClientKind::Goose,
        "extensions:",
        expect![[r#"
        extensions:
          vidimus:
            enabled: true
            name: vidimus
            type: stdio
            cmd: "/bin/vidimus"
            args: ["mcp","--vault","/n/My notes","--client","C"]
            timeout: 300
    "#]],
    );
}

#[test]
fn yaml_of_another_form_is_left_to_the_person() {
    for old in [
        "\"extensions\":\n  d:\n    enabled: true\n",
        "'extensions':\n  d: 1\n",
        "? extensions\n: d: 1\n",
        "extensions:\n- a\n",
        "- a\n",
        "[a]\n",
        "---\na: 1\n---\nb: 2\n",
        "a: 1\n...\n",
    ] {
        assert_eq!(
            put(ClientKind::Goose, &way("/n"), Some(old.as_bytes())),
            Change::ByHand("lists its extensions in another way"),
            "{old}"
        );
    }
    let Change::Write(text) = put(ClientKind::Goose, &way("/n"), Some(b"---\na: 1\n")) else { panic!("one document") };
    assert!(text.starts_with("---\na: 1\nextensions:\n"), "{text}");
}

#[test]
fn connecting_twice_changes_nothing() {
    for kind in ClientKind::ALL.into_iter().filter(|kind| kind.language() != Language::Shell) {
        let Change::Write(first) = put(kind, &way("/n"), None) else { panic!("{kind:?}") };
        assert_eq!(put(kind, &way("/n"), Some(first.as_bytes())), Change::None, "{kind:?}");
        let Change::Write(second) = put(kind, &way("/m/Other vault"), Some(first.as_bytes())) else {
            panic!("{kind:?}")
        };
        assert!(second.contains("vidimus-other-vault"), "{kind:?} {second}");
        assert_eq!(take_out(kind, &way("/m/Other vault"), second.as_bytes()), Change::Write(first), "{kind:?}");
    }
}
