use super::*;
use crate::link::Link;
use crate::parse::parse;
use crate::path::{RelPath, fold};
use crate::rename::rename_heading;
use crate::repoint::{HeadingMoved, repoint_links};
use crate::repoint_notes::{LinkFormat, NotesMoved, repoint_note_links};
use crate::section::SectionRef;

/// What becomes of a note's properties when the heading `H x` of `n` gets a title, and then when `n` moves.
fn check(yaml: &str, title: &str, expect: Expect) {
    let source = format!("---\n{yaml}\n---\n");
    let mut shown = String::new();
    let text = NoteText::from_str(&source);
    for link in &parse(&text).links {
        let part = |span: &Range<usize>| &source[span.clone()];
        let subpath = link.subpath_span.as_ref().map(part);
        let Link { target, alias, line, .. } = link;
        shown += &format!(
            "{line}: {:?} is {target:?} {:?} {alias:?}, {:?} {subpath:?}\n",
            part(&link.span),
            link.subpath,
            part(&link.target_span),
        );
    }
    let target = NoteText::from_str("# N\n\n## H x\n\n## M\n");
    let before = parse(&target);
    let renamed = rename_heading(&target, &before, &SectionRef::Index(1), title, false).unwrap();
    let after = parse(&renamed.edits.apply(&target).unwrap());
    let moved = HeadingMoved { before: &before, after: &after, index: 1 };
    let repointed = repoint_links(&text, &parse(&text), &moved, &|link| fold(&link.target) == "n");
    let followed = repointed.edits.apply(&text).unwrap();
    shown += &format!("{}\n", &followed.as_str()[4..followed.as_str().len() - 5]);
    shown.extend(repointed.warnings.iter().map(|warning| format!("warning, {}: {}\n", warning.line, warning.text)));
    let path = |path: &str| RelPath::new(path).unwrap();
    let renames = [(path("n.md"), path("it's \"n\".md"))];
    let named = |name: &str| (name == "n.md").then(|| path("n.md")).into_iter().collect();
    let moved = NotesMoved::new(&renames, &named, LinkFormat::Shortest);
    let repointed = repoint_note_links(&text, &parse(&text), &path("a.md"), &moved);
    let followed = repointed.edits.apply(&text).unwrap();
    shown += &format!("{}\n", &followed.as_str()[4..followed.as_str().len() - 5]);
    shown.extend(repointed.warnings.iter().map(|warning| format!("warning, {}: {}\n", warning.line, warning.text)));
    expect.assert_eq(&shown.replace('\r', "\\r"));
}

#[test]
fn links_written_with_escapes_follow() {
    check(
        r#"i: "\x5b[n#H x]]""#,
        "New",
        expect![[r##"
        2: "\\x5b[n#H x]]" is "n" Some("H x") None, "n" Some("H x")
        i: "\x5b[n#New]]"
        i: "\x5b[it's \"n\"#H x]]"
    "##]],
    );
    check(
        r#"i: ["!\u005B\x5bn\x23H\x20x\U0000007cY\t\"z\"\x5D]", "[[n#H\u0020x]] \n[[n#\nH x]]"]"#,
        "New \"a\"",
        expect![[r##"
        2: "!\\u005B\\x5bn\\x23H\\x20x\\U0000007cY\\t\\\"z\\\"\\x5D]" is "n" Some("H x") Some("Y\t\"z\""), "n" Some("H\\x20x")
        2: "[[n#H\\u0020x]]" is "n" Some("H x") None, "n" Some("H\\u0020x")
        i: ["!\u005B\x5bn\x23New \"a\"\U0000007cY\t\"z\"\x5D]", "[[n#New \"a\"]] \n[[n#\nH x]]"]
        i: ["!\u005B\x5bit's \"n\"\x23H\x20x\U0000007cY\t\"z\"\x5D]", "[[it's \"n\"#H\u0020x]] \n[[n#\nH x]]"]
    "##]],
    );
    check(
        r#"i: 'it''s [[n#H x|''x'']]'"#,
        "It's",
        expect![[r##"
        2: "[[n#H x|''x'']]" is "n" Some("H x") Some("'x'"), "n" Some("H x")
        i: 'it''s [[n#It''s|''x'']]'
        i: 'it''s [[it''s "n"#H x|''x'']]'
    "##]],
    );
}

#[test]
fn links_folded_over_lines_follow() {
    check(
        "i: \"see [[n#H\n  x]] there\"\nj: \"[[n#H \t\n\n  x]]\"\nk: \"[[n#H\\\n  \\ x]] \\\n\n  [[n\"",
        "New",
        expect![[r##"
        2: "[[n#H\n  x]]" is "n" Some("H x") None, "n" Some("H\n  x")
        7: "[[n#H\\\n  \\ x]]" is "n" Some("H x") None, "n" Some("H\\\n  \\ x")
        i: "see [[n#New]] there"
        j: "[[n#H 	

          x]]"
        k: "[[n#New]] \

          [[n"
        i: "see [[it's \"n\"#H
          x]] there"
        j: "[[n#H 	

          x]]"
        k: "[[it's \"n\"#H\
          \ x]] \

          [[n"
    "##]],
    );
    check(
        "i: 'a [[n#H\n  x]]\n\n  [[n#H x|b\n  c]]'",
        "It's",
        expect![[r##"
        2: "[[n#H\n  x]]" is "n" Some("H x") None, "n" Some("H\n  x")
        5: "[[n#H x|b\n  c]]" is "n" Some("H x") Some("b c"), "n" Some("H x")
        i: 'a [[n#It''s]]

          [[n#It''s|b
          c]]'
        i: 'a [[it''s "n"#H
          x]]

          [[it''s "n"#H x|b
          c]]'
    "##]],
    );
    check(
        "i: a [[n#H\n  x]]\nj:\n- b\n  [[n#H x]]",
        "New",
        expect![[r##"
        2: "[[n#H\n  x]]" is "n" Some("H x") None, "n" Some("H\n  x")
        6: "[[n#H x]]" is "n" Some("H x") None, "n" Some("H x")
        i: a [[n#New]]
        j:
        - b
          [[n#New]]
        i: a [[it's "n"#H
          x]]
        j:
        - b
          [[it's "n"#H x]]
    "##]],
    );
    check(
        "i: >-\n  a [[n#H\n  x]]\n  [[n#H x]]\n\n    [[n#H\n    x]]\nj: > # c\n\n  \u{e9}[[n#H\n  x]] \n  [[n#H x]]\n\n\n  [[n#H\n\n  x]]\nk: |\n  [[n#H\n  x]]\n  [[n#H x]]",
        "New",
        expect![[r##"
            3: "[[n#H\n  x]]" is "n" Some("H x") None, "n" Some("H\n  x")
            5: "[[n#H x]]" is "n" Some("H x") None, "n" Some("H x")
            11: "[[n#H\n  x]]" is "n" Some("H x") None, "n" Some("H\n  x")
            13: "[[n#H x]]" is "n" Some("H x") None, "n" Some("H x")
            22: "[[n#H x]]" is "n" Some("H x") None, "n" Some("H x")
            i: >-
              a [[n#New]]
              [[n#New]]

                [[n#H
                x]]
            j: > # c

              é[[n#New]] 
              [[n#New]]


              [[n#H

              x]]
            k: |
              [[n#H
              x]]
              [[n#New]]
            i: >-
              a [[it's "n"#H
              x]]
              [[it's "n"#H x]]

                [[n#H
                x]]
            j: > # c

              é[[it's "n"#H
              x]] 
              [[it's "n"#H x]]


              [[n#H

              x]]
            k: |
              [[n#H
              x]]
              [[it's "n"#H x]]
        "##]],
    );
    check(
        "i: \"[[n#H\r\n  x]]\"\r\nj: !!str \"\\x5b[n#H x]]\"\r\nk: &a !!str\r\n  a [[n#H\r\n  x]]",
        "New",
        expect![[r##"
            2: "[[n#H\r\n  x]]" is "n" Some("H x") None, "n" Some("H\r\n  x")
            4: "\\x5b[n#H x]]" is "n" Some("H x") None, "n" Some("H x")
            6: "[[n#H\r\n  x]]" is "n" Some("H x") None, "n" Some("H\r\n  x")
            i: "[[n#New]]"\r
            j: !!str "\x5b[n#New]]"\r
            k: &a !!str\r
              a [[n#New]]
            i: "[[it's \"n\"#H\r
              x]]"\r
            j: !!str "\x5b[it's \"n\"#H x]]"\r
            k: &a !!str\r
              a [[it's "n"#H\r
              x]]
        "##]],
    );
}

#[test]
fn a_heading_that_is_spelled_oddly_is_left_with_a_warning() {
    check(
        r#"i: "[[n#N\x23H x]]""#,
        "New",
        expect![[r##"
        2: "[[n#N\\x23H x]]" is "n" Some("N#H x") None, "n" Some("N\\x23H x")
        i: "[[n#N\x23H x]]"
        warning, 2: link to `n#N#H x` could not be followed: its heading is written in an unusual way
        i: "[[it's \"n\"#N\x23H x]]"
    "##]],
    );
    check(
        "i: a [[n#H\n  x]]",
        "New: a",
        expect![[r##"
        2: "[[n#H\n  x]]" is "n" Some("H x") None, "n" Some("H\n  x")
        i: a [[n#New a]]
        i: a [[it's "n"#H
          x]]
    "##]],
    );
}

/// A text as a scalar in double quotes, each of its characters spelled in one of the ways that YAML has.
fn quoted(text: &str, ways: &[u8]) -> String {
    let mut yaml = "\"".to_owned();
    for (nth, c) in text.chars().enumerate() {
        match ways[nth % ways.len()] {
            1 if c.is_ascii() => yaml += &format!("\\x{:02x}", u32::from(c)),
            2 => yaml += &format!("\\u{:04X}", u32::from(c)),
            3 => yaml += &format!("\\\n  \\x{:02x}", u32::from(c).min(255)),
            _ if c == ' ' && yaml.ends_with(|c: char| c.is_alphanumeric()) => yaml += " \t\n  \t ",
            _ => yaml.push(c),
        }
    }
    yaml + "\""
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn a_link_means_the_same_in_every_spelling(
        before in "[a-c!]{0,3}",
        target in "[a-d]{1,3}",
        heading in "[a-d]{1,3}( [a-d]{1,3}){0,2}",
        ways in proptest::collection::vec(0u8..4, 1..9),
    ) {
        let plain = format!("{before}[[{target}#{heading}|x]]z");
        let text = |value: &str| NoteText::from_str(&format!("---\na: {value}\nb: \"[[last]]\"\n---\n"));
        let meant = |link: &Link| (link.target.clone(), link.subpath.clone(), link.alias.clone(), link.embed);
        let expected: Vec<_> = parse(&text(&format!("\"{plain}\""))).links.iter().map(meant).collect();
        let text = text(&quoted(&plain, &ways));
        let found = parse(&text);
        prop_assert_eq!(found.links.iter().map(meant).collect::<Vec<_>>(), expected, "{:?}", text.as_str());
        // What its parts are written with is between its ends, in their order.
        for link in &found.links {
            let ends = [&link.target_span, link.subpath_span.as_ref().unwrap_or(&link.target_span)];
            prop_assert!(link.span.start <= ends[0].start && ends[0].end <= link.span.end);
            prop_assert!(link.span.start <= ends[1].start && ends[1].end <= link.span.end);
            prop_assert!(text.as_str().is_char_boundary(link.span.start) && text.as_str().is_char_boundary(link.span.end));
        }
    }

    #[test]
    fn links_of_any_scalar_know_their_places(
        mark in "[\"'>|&!a]?[\"'>| -]{0,2}",
        value in "(\\[\\[|\\]\\]|\\\\x5b|\\\\x5d|\\\\.|\n {0,3}|\r\n  |[a#|!'\" \t\u{e9}\u{a0}]){0,14}",
        end in "[\"']?",
    ) {
        let text = NoteText::from_str(&format!("---\na: {mark}{value}{end}\nb: \"[[last]]\"\n---\n"));
        let note = parse(&text);
        let mut last = 0;
        for link in &note.links {
            let part = |span: &Range<usize>| text.as_str().get(span.clone());
            prop_assert!(last <= link.span.start && link.span.end <= note.body);
            last = link.span.end;
            prop_assert!(link.span.start <= link.target_span.start && link.target_span.end <= link.span.end);
            prop_assert!(part(&link.span).is_some() && part(&link.target_span).is_some());
            if let Some(subpath) = &link.subpath_span {
                prop_assert!(part(subpath).is_some());
                prop_assert!(link.target_span.end <= subpath.start && subpath.end <= link.span.end);
            }
        }
    }
}
