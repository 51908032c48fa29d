//! No call, and no row of calls, brings out a piece of what is hidden.

use super::harness::Fixture;
use super::harness::agent::Agent;
use engine::Writes;
use proptest::prelude::*;
use serde_json::{Value, json};

/// How long a piece of a secret is that must not be seen.
const PIECE: usize = 8;
const HOLDER: &str = "{{vidimus:secret:1}}";

/// A secret of each kind; the first is how many of its characters everybody knows.
const SECRETS: [(usize, &str); 8] = [
    (4, "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
    (4, "AKIAIOSFODNN7EXAMPLE"),
    (11, "github_pat_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9"),
    (8, "sk-proj-Zy9Xw8Vu7Ts6Rq5Po4Nm3Lk2Ji1"),
    (4, "AIzaQw1Er2Ty3Ui4Op5As6Df7Gh8Jk9Lz0Xc1Vb"),
    (21, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN"),
    (8, "sk_live_9z8Y7x6W5v4U3t2S1r0Q"),
    (4, "npm_Qa1Ws2Ed3Rf4Tg5Yh6Uj7Ik8Ol9Pz0Xc1Vb2"),
];

/// The pieces of a secret that a caller has not sent itself, as far as they stand in an answer.
fn shown_pieces(secret: &str, n_known: usize, sent: &Value, answer: &Value) -> Vec<String> {
    let (sent, said) = (sent.to_string().to_lowercase(), answer.to_string().to_lowercase());
    let pieces = (0..=secret.len() - PIECE).filter(|at| at + PIECE > n_known).map(|at| &secret[at..at + PIECE]);
    let seen = pieces.filter(|piece| said.contains(&piece.to_lowercase()) && !sent.contains(&piece.to_lowercase()));
    seen.map(str::to_owned).collect()
}

/// Calls a tool and holds its answer against the secret.
async fn call(agent: &Agent, (n_known, secret): (usize, &str), tool: &str, wish: Value) -> (bool, Value) {
    let (failed, answer) = agent.call(tool, wish.clone()).await;
    let seen = shown_pieces(secret, n_known, &wish, &answer);
    assert!(seen.is_empty(), "{tool} {wish} shows {seen:?}: {answer}");
    (failed, answer)
}

#[tokio::test]
async fn text_to_find_is_looked_for_in_what_is_shown() {
    for (n_known, secret) in SECRETS {
        for eol in ["\n", "\r\n"] {
            let text = ["# T", &format!("k {secret} end"), &format!("{secret} again"), ""].join(eol);
            let fixture = Fixture::new(&[("n.md", &text)]);
            let agent = fixture.agent(Writes::Allow).await;
            let edit = |find: &str, replace: &str, dry_run: bool| json!({"rel_path": "n.md", "edits": [{"find": find, "replace": replace}], "dry_run": dry_run});
            let absent = call(&agent, (n_known, secret), "edit_note", edit("QQQ", "x", true)).await.1;
            let (mid, last) = (secret.len() / 2, secret.len() - 1);
            for find in [
                &secret[..4],
                &secret[..5],
                &secret[..last],
                &secret[1..],
                &secret[mid..mid + 4],
                &format!("k {}", &secret[..5]),
                &format!("{} end", &secret[mid..]),
                secret,
                "secret:1",
                "{{vidimus",
                "1}} end",
                "}} again",
            ] {
                for dry_run in [true, false] {
                    let wish = edit(find, &format!("{find}\n"), dry_run);
                    let (failed, answer) = call(&agent, (n_known, secret), "edit_note", wish).await;
                    assert!(failed, "{find}: {answer}");
                    for field in ["code", "hint", "found", "lines"] {
                        assert_eq!(answer[field], absent[field], "{find}: {answer}");
                    }
                    assert_eq!(answer["message"], absent["message"].as_str().unwrap().replace("QQQ", find), "{find}");
                }
            }
            assert_eq!(fixture.read("n.md"), text);
            for (find, replace, after) in [
                (format!("k {HOLDER} end"), format!("k2 {HOLDER} end"), format!("k2 {secret} end")),
                (format!("{HOLDER} again"), "taken out".to_owned(), "taken out".to_owned()),
                (format!("2 {HOLDER}"), "3".to_owned(), "k3 end".to_owned()),
            ] {
                let (failed, answer) = call(&agent, (n_known, secret), "edit_note", edit(&find, &replace, false)).await;
                assert!(!failed, "{find}: {answer}");
                assert!(fixture.read("n.md").contains(&after), "{}", fixture.read("n.md"));
            }
            assert_eq!(fixture.read("n.md"), ["# T", "k3 end", "taken out", ""].join(eol));
        }
    }
}

#[tokio::test]
async fn text_that_stands_in_a_secret_and_elsewhere_is_replaced_elsewhere() {
    for (n_known, secret) in SECRETS {
        for eol in ["\n", "\r\n"] {
            let piece = &secret[secret.len() - 4..];
            let text = ["# T", &format!("{secret} {piece}"), piece, &format!("k {secret}"), ""].join(eol);
            let fixture = Fixture::new(&[("n.md", &text)]);
            let agent = fixture.agent(Writes::Allow).await;
            let edit = |count: u32| json!({"rel_path": "n.md", "edits": [{"find": piece, "replace": "new", "expected_count": count}, {"find": "# T", "replace": "# U"}]});
            let (_, refused) = call(&agent, (n_known, secret), "edit_note", edit(4)).await;
            assert_eq!((&refused["found"], &refused["lines"]), (&json!(2), &json!([2, 3])), "{refused}");
            let (failed, done) = call(&agent, (n_known, secret), "edit_note", edit(2)).await;
            assert!(!failed, "{done}");
            let after = ["# U", &format!("{secret} new"), "new", &format!("k {secret}"), ""].join(eol);
            assert_eq!(fixture.read("n.md"), after);
        }
    }
}

#[tokio::test]
async fn no_write_makes_a_secret_into_what_is_shown() {
    for (n_known, secret) in SECRETS {
        let body = format!("# T\n\n## A\nk {secret} end\n");
        let heading = format!("# T\n\n## B {secret}\nb\n");
        let front = format!("---\nkey: {secret}\n---\n# T\n");
        for joined in [format!("x{HOLDER}"), format!("q_{HOLDER} y"), format!("0{HOLDER}0")] {
            for (text, tool, more) in [
                (&body, "patch_note_section", json!({"heading": "A", "new_content": joined})),
                (&body, "edit_note", json!({"edits": [{"find": format!("k {HOLDER}"), "replace": joined}]})),
                (&body, "edit_note", json!({"edits": [{"find": HOLDER, "replace": joined}]})),
                (&body, "edit_note", json!({"edits": [{"find": "k ", "replace": "k"}]})),
                (&heading, "rename_note_section", json!({"heading": format!("B {HOLDER}"), "new_heading": joined})),
                (&front, "set_properties", json!({"set": {"key": joined}})),
                (&front, "set_properties", json!({"remove": ["key"], "set": {"other": [joined]}})),
                (&front, "set_properties", json!({"remove": ["key"], "set": {joined.as_str(): 1}})),
            ] {
                let fixture = Fixture::new(&[("n.md", text), ("l.md", &format!("[[n#B {secret}]]\n"))]);
                let agent = fixture.agent(Writes::Allow).await;
                for dry_run in [true, false] {
                    let mut wish = more.clone();
                    wish["rel_path"] = json!("n.md");
                    wish["dry_run"] = json!(dry_run);
                    let (failed, answer) = call(&agent, (n_known, secret), tool, wish.clone()).await;
                    assert!(failed && answer["code"] == "invalid_arguments", "{tool} {wish}: {answer}");
                }
                assert_eq!(fixture.read("n.md"), *text);
            }
        }
        // Beside the whole secret one that is joined is hidden, too; then the whole one stays.
        let fixture = Fixture::new(&[("n.md", &body)]);
        let agent = fixture.agent(Writes::Allow).await;
        let joined = json!({"rel_path": "n.md", "heading": "T", "content": format!("x{HOLDER}")});
        let (failed, answer) = call(&agent, (n_known, secret), "append_to_section", joined).await;
        assert!(!failed, "{answer}");
        let hash = answer["content_hash"].clone();
        for (tool, wish) in [
            ("patch_note_section", json!({"heading": "A", "new_content": "gone"})),
            ("delete_note_section", json!({"heading": "A", "expected_hash": hash})),
            ("edit_note", json!({"edits": [{"find": format!("k {HOLDER} end"), "replace": ""}]})),
        ] {
            let mut wish = wish;
            wish["rel_path"] = json!("n.md");
            let (failed, answer) = call(&agent, (n_known, secret), tool, wish.clone()).await;
            assert!(failed && answer["code"] == "invalid_arguments", "{tool} {wish}: {answer}");
        }
        for (tool, wish) in [
            ("get_note", json!({"id_or_path": "n.md"})),
            ("get_note", json!({"id_or_path": "n.md", "section": "T", "include_children": false})),
            ("get_note_history", json!({"note": "n.md", "version": answer["operation_id"]})),
            ("get_operation", json!({"operation_id": answer["operation_id"]})),
        ] {
            call(&agent, (n_known, secret), tool, wish).await;
        }
    }
    let token = "a1B2c3D4e5F6g7H8i9J0k1L2m3";
    let fixture = Fixture::new(&[("n.md", &format!("# T\nAuthorization: Bearer {token}\n"))]);
    let agent = fixture.agent(Writes::Allow).await;
    for find in ["Bearer", "Bearer ", "arer"] {
        let wish = json!({"rel_path": "n.md", "edits": [{"find": find, "replace": "Token "}]});
        let (failed, answer) = call(&agent, (0, token), "edit_note", wish).await;
        assert!(failed && answer["code"] == "invalid_arguments", "{answer}");
    }
}

#[tokio::test]
async fn a_caller_learns_nothing_from_what_it_writes_itself() {
    let (n_known, secret) = SECRETS[0];
    let fixture = Fixture::new(&[("n.md", &format!("# T\n\n## A\nk {secret} end\n"))]);
    let agent = fixture.agent(Writes::Review).await;
    for guess in [&secret[..12], &secret[..secret.len() - 1]] {
        let wrong: String = guess[..guess.len() - 1].to_owned() + "z";
        let mut said = Vec::new();
        for guess in [guess, &wrong] {
            let wish = json!({"rel_path": "n.md", "heading": "A", "content": guess, "dry_run": true});
            let (failed, answer) = call(&agent, (n_known, secret), "append_to_section", wish).await;
            assert!(!failed, "{answer}");
            said.push(super::harness::unwrapped(&answer["diff"]).replace(guess, "GUESS"));
        }
        assert_eq!(said[0], said[1]);
    }
}

#[tokio::test]
async fn a_search_does_not_match_what_is_hidden() {
    for (n_known, secret) in SECRETS {
        let fixture = Fixture::new(&[
            ("h.md", &format!("# T {secret}\n\ntext of it\n\n## Sub\nmore text\n")),
            ("t.md", &format!("---\ntitle: T {secret}\n---\ntext of it\n\n## Sub\nmore text\n")),
            ("a.md", &format!("---\naliases: [A {secret}]\n---\ntext of it\n")),
            ("p.md", &format!("---\nk: {secret}\ntags: [x{secret}]\n---\ntext of it\n")),
        ]);
        let agent = fixture.agent(Writes::Review).await;
        let (mid, part) = (secret.len() / 2, &secret[..n_known + 4]);
        for piece in [part, secret, &secret[mid..]] {
            for query in [piece.to_owned(), format!("/{}/", &piece.replace('.', "\\.")), format!("\"{piece}\"")] {
                for folder in [None, Some("")] {
                    let wish = json!({"query": query, "folder": folder});
                    let (_, found) = call(&agent, (n_known, secret), "search_text", wish).await;
                    assert_eq!(found["total"], 0, "{query}: {found}");
                }
            }
            for wanted in [piece.to_owned(), format!("T {piece}"), format!("A {piece}"), piece.to_uppercase()] {
                let title = json!({"title": wanted});
                let (failed, answer) = call(&agent, (n_known, secret), "get_note", title).await;
                assert!(failed && answer["code"] == "not_found", "{wanted}: {answer}");
                assert_eq!(answer["suggestions"], json!([]), "{wanted}: {answer}");
                let (failed, answer) =
                    call(&agent, (n_known, secret), "get_backlinks", json!({"target": wanted})).await;
                assert!(failed && answer["code"] == "not_found", "{wanted}: {answer}");
                assert_eq!(answer["suggestions"], json!([]), "{wanted}: {answer}");
            }
            for filter in [json!({"properties": {"k": piece}}), json!({"tags": [format!("x{piece}")]})] {
                let (_, list) = call(&agent, (n_known, secret), "list_notes", filter.clone()).await;
                assert_eq!(list["total"], 0, "{filter}: {list}");
            }
        }
        // A result that stays away tells as much as one that comes.
        let wrong = format!("{}zq", &part[..part.len() - 1]);
        for shape in [
            "text OR %",
            "% OR text",
            "nothing OR %",
            "text -%",
            "text -/%/",
            "(text OR %)",
            "text [k:>%]",
            "[k:%]",
            "%",
        ] {
            for more in [json!({}), json!({"offset": 1}), json!({"limit": 1}), json!({"group_by_note": true})] {
                let mut said = Vec::new();
                for guess in [part, &wrong] {
                    let mut wish = more.clone();
                    wish["query"] = json!(shape.replace('%', guess));
                    let (_, found) = call(&agent, (n_known, secret), "search_text", wish).await;
                    let paths: Vec<&Value> =
                        found["results"].as_array().unwrap().iter().map(|result| &result["rel_path"]).collect();
                    said.push(json!([paths, found["total"], found["next_offset"], found["truncated"]]));
                }
                assert_eq!(said[0], said[1], "{shape} {more}");
            }
        }
        for query in ["text", "sub", "h", "/text/"] {
            let (_, found) = call(&agent, (n_known, secret), "search_text", json!({"query": query})).await;
            assert_ne!(found["total"], 0, "{query}: {found}");
        }
        for wanted in ["h", "p", "a"] {
            let (failed, answer) = call(&agent, (n_known, secret), "get_note", json!({"title": wanted})).await;
            assert!(!failed, "{answer}");
        }
    }
}

/// Draws a text that a caller might send: pieces of the secret, of its placeholder and of what stands around it.
fn wished(secret: &'static str) -> impl Strategy<Value = String> {
    let piece =
        (0..secret.len(), 1usize..7).prop_map(move |(at, len)| secret[at..(at + len).min(secret.len())].to_owned());
    let around = prop::sample::select(vec![
        "k ",
        " end",
        "x",
        "\n",
        HOLDER,
        "{{vidimus:secret:2}}",
        "A",
        "B ",
        "#",
        "",
        "secret",
    ]);
    prop::collection::vec(prop_oneof![piece, around.prop_map(str::to_owned)], 1..4).prop_map(|parts| parts.concat())
}

type Drawn = (usize, usize, String, String);

fn sessions() -> impl Strategy<Value = (usize, Vec<Drawn>)> {
    (0..SECRETS.len()).prop_flat_map(|which| {
        let one = (0usize..16, 0usize..4, wished(SECRETS[which].1), wished(SECRETS[which].1));
        (Just(which), prop::collection::vec(one, 1..12))
    })
}

fn drawn_call((tool, place, a, b): &Drawn) -> (&'static str, Value) {
    let heading = ["A", "B {{vidimus:secret:1}}", "T", a.as_str()][*place];
    let position = ["before", "after", "first_child", "last_child"][*place];
    let (tool, mut wish) = match tool {
        0 => ("get_note", json!({"id_or_path": "n.md", "section": a})),
        1 => ("get_note", json!({"title": a})),
        2 => ("get_note", json!({"id_or_path": "n.md", "format": "map"})),
        3 => ("search_text", json!({"query": format!("{a} x")})),
        4 => ("list_notes", json!({"properties": {"key": a}})),
        5 => ("get_backlinks", json!({"target": "n.md", "heading_path": [heading]})),
        6 => ("get_note", json!({"id_or_path": "l.md", "resolve_links": true, "include_content": true})),
        7 => ("patch_note_section", json!({"heading": heading, "new_content": a})),
        8 => ("append_to_section", json!({"heading": heading, "content": a})),
        9 => ("move_note_section", json!({"heading": heading, "destination_heading": b, "position": position})),
        10 => ("rename_note_section", json!({"heading": heading, "new_heading": a})),
        11 => ("set_properties", json!({"set": {a.as_str(): b}})),
        12 => ("set_properties", json!({"remove": [a], "set": {"key": b}})),
        _ => ("edit_note", json!({"edits": [{"find": a, "replace": b, "expected_count": place + 1}]})),
    };
    if wish.get("id_or_path").is_none()
        && wish.get("title").is_none()
        && !["search_text", "list_notes", "get_backlinks"].contains(&tool)
    {
        wish["rel_path"] = json!("n.md");
        wish["dry_run"] = json!(true);
    }
    (tool, wish)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_session_of_reads_and_plans_shows_a_piece_of_a_secret((which, drawn) in sessions()) {
        let (n_known, secret) = SECRETS[which];
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let text = format!(
                "---\nkey: {secret}\naliases: [N {secret}]\n---\n# T\n\n## A\nk {secret} end\n\n## B {secret}\n- {secret}\n"
            );
            let fixture = Fixture::new(&[("n.md", &text), ("l.md", &format!("[[n#B {secret}|{secret}]] x\n"))]);
            let agent = fixture.agent(Writes::Review).await;
            for drawn in &drawn {
                let (tool, wish) = drawn_call(drawn);
                call(&agent, (n_known, secret), tool, wish).await;
            }
        });
    }
}

#[tokio::test]
async fn a_key_of_several_lines_is_not_cut() {
    let lines = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "MzEfYyjiWA4R4ha2"];
    for eol in ["\n", "\r\n"] {
        let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", lines.join("\n"));
        let text = format!("# T\n\n## A\nbefore\n{key}\nafter\n").replace('\n', eol);
        let fixture = Fixture::new(&[("n.md", &text)]);
        let agent = fixture.agent(Writes::Review).await;
        let edit = |find: &str| ("edit_note", json!({"edits": [{"find": find, "replace": "x"}]}), false);
        for (tool, wish, may_pass) in [
            edit("-----BEGIN PRIVATE"),
            edit("-----END PRIVATE KEY-----"),
            edit("MIIE"),
            edit("ha2\n"),
            edit("ha2\n-----END PRIVATE KEY-----\nafter"),
            ("edit_note", json!({"edits": [{"find": "after", "replace": "then"}]}), true),
            ("edit_note", json!({"edits": [{"find": "before\n", "replace": "then "}]}), true),
            ("append_to_section", json!({"heading": "A", "content": "more"}), true),
        ] {
            let mut wish = wish;
            wish["rel_path"] = json!("n.md");
            wish["dry_run"] = json!(true);
            let (failed, answer) = agent.call(tool, wish.clone()).await;
            assert_eq!(!failed, may_pass, "{wish}: {answer}");
            for line in lines {
                assert!(shown_pieces(line, 0, &wish, &answer).is_empty(), "{wish}: {answer}");
            }
        }
    }
}

#[tokio::test]
async fn a_title_with_a_secret_is_found_by_its_placeholder_only() {
    for (n_known, secret) in SECRETS {
        let text = format!("# T\n\n## K {secret}\n\ntext\n\n### Sub {secret}\n\n## Plain\n\nx\n");
        let fixture = Fixture::new(&[("n.md", &text), ("l.md", &format!("[[n#K {secret}]] [[n#Plain]]\n"))]);
        let agent = fixture.agent(Writes::Review).await;
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        let last = secret.len() - 1;
        let other = if secret.ends_with('Z') { "Y" } else { "Z" };
        // One that is right, one that is nearly, and one that is not at all.
        let guesses = [secret.to_owned(), format!("{}{other}", &secret[..last]), "q".repeat(secret.len())];
        let ask = |title: &str| {
            [
                ("get_note", json!({"id_or_path": "n.md", "section": title})),
                ("get_note", json!({"id_or_path": "n.md", "section": title.to_lowercase()})),
                ("get_note", json!({"id_or_path": "n.md", "section": title.replace([' ', '.'], "-")})),
                ("get_note", json!({"id_or_path": "n.md", "heading_path": ["T", title]})),
                ("get_note", json!({"id_or_path": "n.md", "heading_path": [title]})),
                ("get_backlinks", json!({"target": "n.md", "heading_path": [title]})),
                (
                    "rename_note_section",
                    json!({"rel_path": "n.md", "heading": title, "new_heading": "New", "dry_run": true}),
                ),
                (
                    "append_to_section",
                    json!({"rel_path": "n.md", "heading_path": [title], "content": "x", "dry_run": true}),
                ),
                (
                    "move_note_section",
                    json!({"rel_path": "n.md", "heading": "Plain", "destination_heading": title, "position": "before", "expected_hash": hash, "dry_run": true}),
                ),
            ]
        };
        let mut said: Vec<Vec<String>> = Vec::new();
        for guess in &guesses {
            let mut answers = Vec::new();
            for (tool, wish) in ask(&format!("K {guess}")) {
                let (failed, answer) = call(&agent, (n_known, secret), tool, wish.clone()).await;
                assert!(failed && answer["code"] == "heading_not_found", "{tool} {wish}: {answer}");
                let plain = answer.to_string();
                answers.push(
                    [guess.to_owned(), guess.to_lowercase(), guess.replace('.', "-")]
                        .iter()
                        .fold(plain, |text, guess| text.replace(guess, "GUESS")),
                );
            }
            said.push(answers);
        }
        assert_eq!(said[0], said[1], "{secret}");
        for (n, (tool, wish)) in ask(&format!("K {HOLDER}")).into_iter().enumerate() {
            // A placeholder has no lower case, and no slug.
            if n == 1 || n == 2 {
                continue;
            }
            let (failed, answer) = call(&agent, (n_known, secret), tool, wish.clone()).await;
            assert!(!failed, "{tool} {wish}: {answer}");
        }
    }
}

#[tokio::test]
async fn what_is_hidden_counts_on_no_page_however_many_there_are() {
    let (n_known, secret) = SECRETS[0];
    let part = &secret[..n_known + 4];
    let mut files: Vec<(String, String)> =
        (0..230).map(|n| (format!("n{n:03}.md"), format!("# N {n}\n\n{part} is said here\n"))).collect();
    for n in 0..3 {
        // Longer, so that they come last of all, and in their places.
        files.push((format!("z{n}.md"), format!("# Z\n\n{} {secret}\n", "filler ".repeat(50))));
    }
    files.push((
        "m.canvas".to_owned(),
        format!(r#"{{"nodes":[{{"id":"1","type":"text","text":"{part}"}}],"edges":[]}}"#),
    ));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let fixture = Fixture::new(&files);
    let agent = fixture.agent(Writes::Review).await;
    for query in [part.to_owned(), format!("/{part}/"), format!("\"{part}\"")] {
        let (mut offset, mut seen) = (json!(0), std::collections::BTreeSet::new());
        while !offset.is_null() {
            let wish = json!({"query": query, "limit": 100, "offset": offset});
            let (_, page) = call(&agent, (n_known, secret), "search_text", wish).await;
            assert_eq!(page["total"], 230, "{query} {offset}");
            seen.extend(page["results"].as_array().unwrap().iter().map(|result| result["rel_path"].to_string()));
            offset = page["next_offset"].clone();
        }
        assert_eq!(seen.len(), 230, "{query}");
        assert!(seen.iter().all(|path| path.starts_with("\"n")), "{query}: {seen:?}");
    }
}

#[tokio::test]
async fn a_secret_that_a_waiting_change_would_cut_is_not_shown() {
    let line = "Qw1Er2Ty3Ui4Op5As6Df7Gh8Jk9Lz0Xc1Vb2Nm3Qw4Er5Ty6Ui7Op8As9Df0Gh1J";
    let block = format!("-----BEGIN PRIVATE KEY-----\n{line}\n{}x\n-----END PRIVATE KEY-----", line.to_lowercase());
    let keys = SECRETS.iter().map(|(_, secret)| (*secret).to_owned());
    for secret in keys.chain([block]) {
        let middle = secret.lines().nth(1).unwrap_or(&secret);
        let finds = [&middle[4..11], &middle[middle.len() - 6..]];
        let changes: Vec<(String, &str, &str)> = finds
            .into_iter()
            .flat_map(|find| ["", "a\nb"].map(|replace| (find, replace)))
            .enumerate()
            .map(|(n, (find, replace))| (format!("n{n}.md"), find, replace))
            .collect();
        let notes: Vec<(String, String)> =
            changes.iter().map(|(path, find, _)| (path.clone(), format!("# T\n\none\n{find} two\nthree\n"))).collect();
        let files: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let fixture = Fixture::new(&files);
        let agent = fixture.agent(Writes::Review).await;
        let wish = |(path, find, replace): &(String, &str, &str)| json!({"rel_path": path, "edits": [{"find": find, "replace": replace}], "request_id": path});
        for change in &changes {
            assert_eq!(agent.ok("edit_note", wish(change)).await["status"], "proposed");
            fixture.write(&change.0, &format!("# T\n\none\n{secret} two\nthree\n"));
        }
        fixture.engine.catch_up();
        for change in &changes {
            for (tool, wish) in [("get_operation", json!({"request_id": change.0})), ("edit_note", wish(change))] {
                let answer = agent.ok(tool, wish.clone()).await;
                assert_eq!(answer["status"], "proposed", "{answer}");
                let said = answer["diff"].as_str().unwrap();
                assert!(said.contains("@@ what touches a secret"), "{answer}");
                for part in secret.lines().filter(|line| !line.starts_with("-----")) {
                    let pieces = (0..=part.len() - PIECE).map(|at| &part[at..at + PIECE]);
                    let seen: Vec<&str> = pieces.filter(|piece| said.contains(piece)).collect();
                    assert!(seen.is_empty(), "{secret} {change:?}: {seen:?} in {said}");
                }
            }
        }
    }
}
