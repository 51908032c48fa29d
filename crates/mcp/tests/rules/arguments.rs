//! What an argument may be.

use super::harness::steady;
use super::{calls, properties, vault};
use engine::Writes;
use serde_json::{Value, json};

#[tokio::test]
async fn a_null_is_an_argument_that_was_not_sent() {
    let fixture = vault();
    let agent = fixture.agent(Writes::Allow).await;
    for (tool, arguments) in calls() {
        let plain = agent.ok(tool, arguments.clone()).await;
        let mut nulls = arguments.clone();
        for name in properties(agent.tool(tool)).keys() {
            if nulls.get(name).is_none() {
                nulls[name] = Value::Null;
            }
        }
        assert_eq!(steady(&agent.ok(tool, nulls).await), steady(&plain), "{tool}");
    }
    // And one that is required is missing.
    for (tool, card) in agent.tools() {
        for name in card["inputSchema"]["required"].as_array().into_iter().flatten() {
            let error = agent.refused(tool, json!({ name.as_str().unwrap(): null }), "invalid_arguments").await;
            let listed = error["arguments"].as_array().unwrap();
            assert!(listed.iter().any(|argument| argument["name"] == *name), "{tool} {name}: {error}");
        }
    }
}

#[tokio::test]
async fn an_unknown_argument_is_named_with_the_nearest_known_one() {
    let fixture = vault();
    let agent = fixture.agent(Writes::Allow).await;
    for (tool, arguments) in calls() {
        for name in properties(agent.tool(tool)).keys() {
            let typo = format!("{name}x");
            let mut wrong = arguments.clone();
            wrong[&typo] = Value::Null;
            let error = agent.refused(tool, wrong, "invalid_arguments").await;
            let argument = &error["arguments"][0];
            assert_eq!((&argument["name"], &argument["nearest"]), (&json!(typo), &json!(name)), "{tool}: {error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(&format!("`{typo}`")) && message.contains(&format!("`{name}`")), "{message}");
        }
    }
}

#[tokio::test]
async fn integers_are_integers_and_flags_are_flags() {
    let fixture = vault();
    let agent = fixture.agent(Writes::Allow).await;
    let mut n = 0;
    for (tool, card) in agent.tools() {
        for (name, schema) in properties(card) {
            let wrong = match schema["type"].as_str() {
                Some("integer") => vec![json!("5"), json!(1.5), json!(-1), json!(true), json!([1]), json!(1e300)],
                Some("boolean") => vec![json!("true"), json!(1), json!(0)],
                Some("string") => vec![json!(5), json!(true), json!(["x"]), json!({})],
                Some("array") => vec![json!("x"), json!(5), json!({}), json!([5])],
                Some("object") => vec![json!("x"), json!([]), json!(5)],
                other => panic!("{tool}.{name} is {other:?}"),
            };
            for value in wrong {
                let error = agent.refused(tool, json!({ name.as_str(): value }), "invalid_arguments").await;
                let listed = error["arguments"].as_array().unwrap();
                assert_eq!(
                    listed.iter().filter(|argument| argument["name"] == *name).count(),
                    1,
                    "{tool} {value}: {error}"
                );
                n += 1;
            }
        }
    }
    assert!(n > 300, "{n}");
    for (tool, arguments, name) in [
        ("get_note", json!({"id_or_path": "n.md"}), "limit"),
        ("get_note", json!({"id_or_path": "n.md", "heading_path": ["T"]}), "heading_occurrence"),
        ("list_notes", json!({}), "limit"),
        ("search_text", json!({"query": "old"}), "limit"),
        ("get_backlinks", json!({"target": "n.md"}), "limit"),
        ("get_note_history", json!({"note": "n.md"}), "limit"),
    ] {
        let (mut whole, mut float) = (arguments.clone(), arguments);
        whole[name] = json!(1);
        float[name] = json!(1.0);
        assert_eq!(steady(&agent.ok(tool, whole).await), steady(&agent.ok(tool, float).await), "{tool}");
    }
}

#[tokio::test]
async fn a_heading_path_may_come_as_json_in_a_string() {
    let fixture = vault();
    let agent = fixture.agent(Writes::Allow).await;
    let mut n = 0;
    for (tool, arguments) in calls() {
        if !properties(agent.tool(tool)).contains_key("heading_path") || arguments["format"].is_string() {
            continue;
        }
        let (mut list, mut text) = (arguments.clone(), arguments);
        for (arguments, path) in [(&mut list, json!(["T", "A"])), (&mut text, json!("[\"T\", \"A\"]"))] {
            arguments.as_object_mut().unwrap().remove("heading");
            arguments["heading_path"] = path;
        }
        assert_eq!(steady(&agent.ok(tool, list).await), steady(&agent.ok(tool, text.clone()).await), "{tool}");
        text["heading_path"] = json!("[\"T\", 5]");
        agent.refused(tool, text, "invalid_arguments").await;
        n += 1;
    }
    assert_eq!(n, 8);
}

#[tokio::test]
async fn an_id_that_is_none_is_listed_with_the_rest() {
    let fixture = vault();
    let agent = fixture.agent(Writes::Allow).await;
    let mut n = 0;
    for (tool, card) in agent.tools().filter(|(_, card)| properties(card).contains_key("id")) {
        for id in ["", "n.md", "01ARZ3NDEKTSV4RRFFQ69G5FA", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ"] {
            let (flag, _) = properties(card).iter().find(|(_, schema)| schema["type"] == "boolean").unwrap();
            let error = agent.refused(tool, json!({"id": id, flag.as_str(): "yes"}), "invalid_arguments").await;
            let listed = error["arguments"].as_array().unwrap();
            for name in ["id", flag] {
                assert!(listed.iter().any(|argument| argument["name"] == name), "{tool}: {error}");
            }
            assert!(error["message"].as_str().unwrap().contains(&format!("not the string {id:?}")), "{error}");
            n += 1;
        }
    }
    assert!(n >= 44, "{n}");
}

#[tokio::test]
async fn every_wrong_argument_is_listed() {
    let fixture = vault();
    let agent = fixture.agent(Writes::Allow).await;
    let wrong = json!({"id": 5, "title": "t", "format": "whole", "limit": "5", "ofset": 1, "heading_path": "x", "section": "s"});
    let error = agent.refused("get_note", wrong, "invalid_arguments").await;
    let mut names: Vec<&str> =
        error["arguments"].as_array().unwrap().iter().map(|argument| argument["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["format", "heading_path", "id", "limit", "ofset"], "{error}");
    let format = error["arguments"].as_array().unwrap().iter().find(|argument| argument["name"] == "format").unwrap();
    assert_eq!(format["allowed"], json!(["full", "map", "chunk", "metadata"]));
    for name in names {
        assert!(error["message"].as_str().unwrap().contains(&format!("`{name}`")), "{error}");
    }
}
