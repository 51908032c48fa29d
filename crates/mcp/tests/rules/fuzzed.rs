//! Every tool with arguments that nobody should send. They are made from the catalog, so that a new tool is called with
//! them, too. `FUZZ_SECONDS=300 cargo test -p mcp --test rules fuzzed` goes on for so long, with every value for every
//! argument; `FUZZ_SEED` makes the random calls others.

mod caller;
mod values;

use super::harness::Fixture;
use super::{LATER, calls, properties};
use caller::{Caller, told};
use engine::Writes;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use values::{Dice, others, spelled, strings};

#[tokio::test]
async fn every_argument_takes_any_value_or_says_why_not() {
    let mut caller = Caller::open(Writes::Review).await;
    let before = files(&caller.fixture);
    let values: Vec<Value> = strings().into_iter().map(Value::String).chain(others()).chain([Value::Null]).collect();
    let mut dice = Dice::of_environment();
    let tools = caller.tools.clone();
    for (tool, base) in bases(&tools) {
        for name in properties(&tools[&tool]).keys() {
            // Most arguments are many tools' own, so that a part of the values will do for each.
            for value in values.iter().filter(|_| is_long() || dice.roll(3) == 0) {
                let mut arguments = base.clone();
                arguments[name] = value.clone();
                caller.call(&tool, &arguments, &[name]).await;
            }
        }
    }
    assert!(caller.n_calls > 5000, "{} calls", caller.n_calls);
    caller.all_held();
    assert_eq!(files(&caller.fixture), before, "what waits for a person is not written");
}

#[tokio::test]
async fn arguments_that_do_not_go_together_are_answered() {
    let end = Instant::now() + Duration::from_secs(seconds());
    let mut dice = Dice::of_environment();
    let values: Vec<Value> = strings().into_iter().map(Value::String).chain(others()).collect();
    for turn in 0.. {
        // Some of these calls write, so that a vault is worn out after a while.
        let mut caller = Caller::open(if turn % 2 == 0 { Writes::Allow } else { Writes::Review }).await;
        let tools = caller.tools.clone();
        let bases = bases(&tools);
        for _ in 0..800 {
            let (tool, base) = &bases[dice.roll(bases.len())];
            let names: Vec<&String> = properties(&tools[tool]).keys().collect();
            let mut arguments = base.clone();
            let mut odd: Vec<String> = Vec::new();
            for _ in 0..=dice.roll(5) {
                let name = match dice.roll(8) {
                    0 => ["", "x", "Heading", "relPath", "rel_path ", "__proto__", "\u{0}"][dice.roll(7)].to_owned(),
                    _ => names[dice.roll(names.len())].clone(),
                };
                arguments[&name] = values[dice.roll(values.len())].clone();
                odd.push(name);
            }
            let odd: Vec<&str> = odd.iter().map(String::as_str).collect();
            caller.call(tool, &arguments, &odd).await;
        }
        caller.all_held();
        if turn > 0 && Instant::now() > end {
            break;
        }
    }
}

#[tokio::test]
async fn whatever_a_line_holds_it_is_answered_under_its_id() {
    let mut caller = Caller::open(Writes::Review).await;
    let before = files(&caller.fixture);
    let mut id = 1_000_000;
    let tools = caller.tools.clone();
    for (tool, card) in &tools {
        for name in properties(card).keys() {
            for value in spelled() {
                id += 1;
                let line = format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"{name}":{value}}}}}}}"#
                );
                let about = format!("{line:.300}");
                caller.client.send_bytes(line.as_bytes()).await;
                let heard = tokio::time::timeout(Duration::from_secs(60), caller.client.receive()).await;
                let answer = heard.unwrap_or_else(|_| panic!("{about} is not answered"));
                assert_eq!(answer["id"], id, "{about}: {answer}");
                let structured = &answer["result"]["structuredContent"];
                match answer["error"].as_object() {
                    Some(error) => assert!(error["message"].is_string() && error["code"].is_i64(), "{about}"),
                    None if answer["result"]["isError"] == true => {
                        told(structured).unwrap_or_else(|what| panic!("{what}: {about}: {structured}"));
                    }
                    None => assert!(structured.is_object(), "{about}: {answer}"),
                }
            }
        }
    }
    assert_eq!(files(&caller.fixture), before);
}

#[tokio::test]
async fn other_requests_are_answered_whatever_they_ask_for() {
    let mut caller = Caller::open(Writes::Review).await;
    let root = caller.fixture.root();
    let before = files(&caller.fixture);
    let values: Vec<Value> = strings().into_iter().map(Value::String).chain(others()).collect();
    let path = json!({"type": "ref/resource", "uri": "vault://note/{+path}"});
    let prompt = json!({"type": "ref/prompt", "name": "tidy_headings"});
    let typed = json!({"name": "path", "value": "n"});
    for (method, params, places) in [
        ("tools/list", json!({}), &["/cursor"][..]),
        ("tools/call", json!({"name": "get_note", "arguments": {}}), &["/name"]),
        ("resources/list", json!({}), &["/cursor"]),
        ("resources/templates/list", json!({}), &["/cursor"]),
        ("resources/read", json!({"uri": "vault://note/n.md"}), &["/uri"]),
        ("resources/subscribe", json!({"uri": "vault://note/n.md"}), &["/uri"]),
        ("resources/unsubscribe", json!({"uri": "vault://note/n.md"}), &["/uri"]),
        ("prompts/list", json!({}), &["/cursor"]),
        (
            "prompts/get",
            json!({"name": "tidy_headings", "arguments": {"path": "n.md"}}),
            &["/name", "/arguments", "/arguments/path", "/arguments/more"],
        ),
        ("completion/complete", json!({"ref": path, "argument": typed}), &["/ref", "/ref/uri", "/argument/value"]),
        (
            "completion/complete",
            json!({"ref": prompt, "argument": typed}),
            &["/ref/name", "/argument", "/argument/name"],
        ),
        ("ping", json!({}), &["/x"]),
    ] {
        for place in places {
            for value in &values {
                let mut params = params.clone();
                let (parent, name) = place.rsplit_once('/').unwrap();
                params.pointer_mut(parent).unwrap()[name] = value.clone();
                let about = format!("{method} {:.300}", params.to_string());
                let asked = caller.client.request(method, params);
                let answer = tokio::time::timeout(Duration::from_secs(60), asked)
                    .await
                    .unwrap_or_else(|_| panic!("{about} is not answered"));
                assert!(!answer.to_string().contains(root.to_str().unwrap()), "{about}: {answer}");
                if answer["result"].is_null() {
                    let (code, message) = (answer["error"]["code"].as_i64(), answer["error"]["message"].as_str());
                    assert!(code.is_some_and(|code| code != -32603), "{about}: {answer}");
                    assert!(message.is_some_and(|message| !message.is_empty()), "{about}: {answer}");
                }
            }
        }
    }
    assert_eq!(files(&caller.fixture), before);
}

#[tokio::test]
async fn arguments_are_an_object() {
    let mut caller = Caller::open(Writes::Review).await;
    let tools = caller.tools.clone();
    for tool in tools.keys() {
        for arguments in [json!([]), json!(["n.md"]), json!("n.md"), json!("{}"), json!(5), json!(true), json!([[[]]])]
        {
            let (is_error, answer) = caller.client.call(tool, arguments.clone()).await;
            assert!(is_error && answer["code"] == "invalid_arguments", "{tool} {arguments}: {answer}");
            told(&answer).unwrap_or_else(|what| panic!("{what}: {tool} {arguments}: {answer}"));
        }
    }
}

#[tokio::test]
async fn a_megabyte_is_taken_or_refused() {
    let mut caller = Caller::open(Writes::Review).await;
    let texts = ["x", "é", "\"", "# ", "x\n\n", "[[", "\u{301}"].map(|part| part.repeat(1_000_000 / part.len()));
    let tools = caller.tools.clone();
    let mut dice = Dice::of_environment();
    let bases: Vec<_> = bases(&tools).into_iter().filter(|(_, base)| *base != json!({})).collect();
    for (tool, base) in &bases {
        for name in properties(&tools[tool]).keys() {
            if !is_long() && dice.roll(4) > 0 {
                continue;
            }
            let mut arguments = base.clone();
            let text = json!(texts[dice.roll(texts.len())]);
            arguments[name] = match tools[tool]["inputSchema"]["properties"][name]["type"].as_str() {
                Some("array") => json!([text]),
                Some("object") => json!({ "k": text }),
                _ => text,
            };
            caller.call(tool, &arguments, &[name]).await;
        }
    }
    caller.all_held();
}

/// A call of each tool from which to begin, and one of it without any argument.
fn bases(tools: &BTreeMap<String, Value>) -> Vec<(String, Value)> {
    let known = calls();
    let mut bases = Vec::new();
    for tool in tools.keys() {
        let own: Vec<_> = known.iter().filter(|(name, _)| name == tool).collect();
        assert!(!own.is_empty() || LATER.contains(&tool.as_str()), "give `calls` a call of {tool}");
        bases.extend(own.into_iter().map(|(name, arguments)| ((*name).to_owned(), arguments.clone())));
        bases.push((tool.clone(), json!({})));
    }
    bases
}

fn files(fixture: &Fixture) -> Vec<String> {
    ["n.md", "l.md", "sub/o.md"].map(|path| fixture.read(path)).to_vec()
}

/// For how long the random calls go on; without a wish a few hundred are made.
fn seconds() -> u64 {
    std::env::var("FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn is_long() -> bool {
    seconds() > 0
}
