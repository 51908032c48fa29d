use expect_test::{Expect, expect};

use super::*;
use crate::rename::rename_heading;
use crate::section::SectionRef;

fn check(canvas: &str, expect: Expect) {
    let text = NoteText::from_str("# N\n\n## Old\n\n### Deep\n");
    let before = parse(&text);
    let renamed = rename_heading(&text, &before, &SectionRef::Index(1), "New \"q\" \\d", false).unwrap();
    let after = parse(&renamed.edits.apply(&text).unwrap());
    let moved = HeadingMoved { before: &before, after: &after, index: 1 };
    let canvas = NoteText::from_str(canvas);
    let resolves = |target: &str| target == "n.md" || target == "n";
    let repointed = repoint_canvas(&canvas, &moved, &resolves);
    let new = repointed.edits.apply(&canvas).unwrap();
    let again = repoint_canvas(&new, &moved, &resolves);
    assert!(again.edits.is_empty());
    let mut shown = format!("{} links\n{}", repointed.n_links, new.as_str());
    for warning in repointed.warnings {
        shown += &format!("\nwarning, line {}: {}", warning.line, warning.text);
    }
    expect.assert_eq(&shown);
}

#[test]
fn cards_follow_and_the_json_stays() {
    check(
        "{\n\t\"nodes\":[\n\t\t{\"id\":\"1\",\"type\":\"file\",\"file\":\"n.md\",\"subpath\":\"#Old\",\"x\":1.50,\"zz\":[{\"subpath\":\"#Old\"}]},\n\t\t{ \"text\":\"\\u00e9 \\/ [[n#Old|\\\"a\\\"]]\\n`[[n#Old]]` [x](n.md#Old) 🎉 \\ud83c\\udf89 [[n#Old#Deep]]\", \"type\" : \"text\" },\n\t\t{\"type\":\"file\",\"file\":\"o.md\",\"subpath\":\"#Old\"},\n\t\t{\"type\":\"file\",\"file\":\"n.md\",\"subpath\":\"#N#\\u004fld\"},\n\t\t{\"type\":\"group\",\"label\":\"[[n#Old]]\"}\n\t],\n\t\"edges\":[{\"label\":\"[[n#Old]]\"}]\n}\n",
        expect![[r##"
            5 links
            {
            	"nodes":[
            		{"id":"1","type":"file","file":"n.md","subpath":"#New \"q\" d","x":1.50,"zz":[{"subpath":"#Old"}]},
            		{ "text":"\u00e9 \/ [[n#New \"q\" d|\"a\"]]\n`[[n#Old]]` [x](n.md#New%20%22q%22%20d) 🎉 \ud83c\udf89 [[n#New \"q\" d#Deep]]", "type" : "text" },
            		{"type":"file","file":"o.md","subpath":"#Old"},
            		{"type":"file","file":"n.md","subpath":"#N#New \"q\" d"},
            		{"type":"group","label":"[[n#Old]]"}
            	],
            	"edges":[{"label":"[[n#Old]]"}]
            }
        "##]],
    );
}

#[test]
fn what_is_no_canvas_has_no_links() {
    for json in [
        "",
        "{",
        "[]",
        "null",
        "{\"nodes\":3}",
        "{\"nodes\":[1,[2],{}]}",
        "{\"nodes\":[{\"type\":\"file\"}]}",
        "{\"nodes\":[{\"type\":\"text\",\"text\":\"[[a]]\"}",
    ] {
        assert_eq!(canvas_links(json), [], "{json}");
        assert_eq!(canvas_text(json), "");
    }
    let deep = format!("{{\"nodes\":{}", "[".repeat(100_000));
    assert_eq!(canvas_links(&deep), []);
}

#[test]
fn links_are_listed_with_their_lines() {
    let json = "\u{feff}{\"x\":\"\\ud800\",\"nodes\":[\n{\"type\":\"file\",\"file\":\"a b.md\",\"subpath\":\"#H#I\"},\n{\"type\":\"text\",\"text\":\"[[c#^d]]\\n![[e.png]]\"},\n{\"type\":\"file\",\"file\":\"f.png\"}]}";
    let links: Vec<String> = canvas_links(json)
        .into_iter()
        .map(|link| format!("{}: {} {:?} {} {}", link.line, link.target, link.subpath, link.is_card, &json[link.span]))
        .collect();
    expect![[r#"
        2: a b.md Some("H#I") true "a b.md"
        3: c Some("^d") false "[[c#^d]]\n![[e.png]]"
        3: e.png None false "[[c#^d]]\n![[e.png]]"
        4: f.png None true "f.png""#]]
    .assert_eq(&links.join("\n"));
    assert_eq!(canvas_text(json), "[[c#^d]]\n![[e.png]]\n\n");
}
