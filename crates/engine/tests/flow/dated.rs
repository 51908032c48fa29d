//! Notes of a day and of a moment, and templates, by the vault's own settings.

use crate::bench::{Bench, rel};
use engine::{DatedError, TextChange};

const NOW: &str = "2026-03-07T14:09:05+01:00";

fn with(settings: &[(&str, &str)], more: &str) -> Bench {
    let files = settings.iter().map(|(name, text)| format!("//- /.obsidian/{name}.json\n{text}\n"));
    Bench::new(&format!("//- /a.md\n\n{}{more}", files.collect::<String>()))
}

#[test]
fn the_note_of_the_day_is_named_by_the_settings() {
    for (settings, path) in [
        ("{}", "2026-03-07.md"),
        (r#"{"folder": "/Days/", "format": ""}"#, "Days/2026-03-07.md"),
        (r#"{"folder": "Days", "format": "YYYY/MM/DD dddd"}"#, "Days/2026/03/07 Saturday.md"),
    ] {
        let bench = with(&[("daily-notes", settings)], "");
        let note = bench.engine.view().daily_note(NOW).unwrap();
        assert_eq!((note.path.as_str(), note.text.as_deref(), note.missing_template), (path, Some(""), None));
    }
    let bench = with(&[("daily-notes", r#"{"format": "[/]"}"#)], "");
    assert!(matches!(bench.engine.view().daily_note(NOW), Err(DatedError::NoName { .. })));
    assert!(matches!(bench.engine.view().daily_note("now"), Err(DatedError::NotATime { .. })));
    let bench = with(&[("daily-notes", r#"{"format": "[../../x]"}"#)], "");
    assert!(matches!(bench.engine.view().daily_note(NOW), Err(DatedError::NoName { .. })));
}

#[test]
fn a_note_that_is_there_is_opened_and_a_new_one_is_made_from_its_template() {
    let settings = [
        ("daily-notes", r#"{"folder": "Days", "template": "T/Day"}"#),
        ("templates", r#"{"folder": "T", "dateFormat": "D.M.YYYY"}"#),
    ];
    let template = "//- /T/Day.md\n# {{title}}\n{{date}} {{time}} {{date:dddd}}\n";
    let bench = with(&settings, template);
    let note = bench.engine.view().daily_note(NOW).unwrap();
    assert_eq!(note.text.as_deref(), Some("# 2026-03-07\n7.3.2026 14:09 Saturday\n"));
    let bench = with(&settings, &format!("{template}//- /days/2026-03-07.md\nmine\n"));
    let note = bench.engine.view().daily_note(NOW).unwrap();
    assert_eq!((note.path.as_str(), note.text), ("days/2026-03-07.md", None));
    let bench = with(&settings, "");
    let note = bench.engine.view().daily_note(NOW).unwrap();
    assert_eq!((note.text.as_deref(), note.missing_template.as_deref()), (Some(""), Some("T/Day")));
}

#[test]
fn a_unique_note_takes_the_next_name_that_is_free() {
    let taken = "//- /Z/202603071409.md\n\n//- /z/202603071410.md\n\n";
    let bench = with(&[("zk-prefixer", r#"{"folder": "Z"}"#)], taken);
    assert_eq!(bench.engine.view().unique_note(NOW).unwrap().path, rel("Z/202603071411.md"));
    let bench = with(&[("zk-prefixer", r#"{"format": "[Z] YYYY"}"#)], "//- /Z 2026.md\n\n//- /Z 2026 2.md\n\n");
    assert_eq!(bench.engine.view().unique_note(NOW).unwrap().path, rel("Z 2026 3.md"));
    let bench = with(&[], "");
    assert_eq!(bench.engine.view().unique_note(NOW).unwrap().path, rel("202603071409.md"));
}

#[test]
fn templates_are_the_notes_of_their_folder() {
    let files = "//- /T/b.md\n\n//- /T/sub/a.md\n\n//- /T/pic.png\n\n//- /Tx.md\n\n";
    let listed = |settings: &str| {
        let templates = with(&[("templates", settings)], files).engine.view().templates();
        (templates.folder, templates.notes.into_iter().map(|note| note.title).collect::<Vec<_>>().join(", "))
    };
    assert_eq!(listed(r#"{"folder": "t/"}"#), (Some("t".to_owned()), "b, sub/a".to_owned()));
    assert_eq!(listed(r#"{"folder": ""}"#), (None, String::new()));
}

fn applied(text: &str, changes: &[TextChange]) -> (String, Vec<u16>) {
    let units: Vec<u16> = text.encode_utf16().collect();
    let (mut made, mut at) = (Vec::new(), 0);
    for change in changes {
        assert!(at <= change.from as usize && change.from <= change.to);
        made.extend_from_slice(&units[at..change.from as usize]);
        made.extend(change.insert.encode_utf16());
        at = change.to as usize;
    }
    made.extend_from_slice(&units[at..]);
    (String::from_utf16(&made).unwrap(), made)
}

#[test]
fn a_template_goes_to_the_caret_and_its_properties_to_the_top() {
    const PLAIN: &str = "Hi {{title}}!\n";
    const FULL: &str = "---\n# why\ntags: [a, b]\nup: \"[[x]]\"\nday: {{date}}\n---\nBody\n";
    // `|` is the caret, before and after.
    for (template, before, after) in [
        (PLAIN, "🌋 one |two\n", "🌋 one Hi note!\n|two\n"),
        (PLAIN, "--|-\nk: v\n---\ntext\n", "---\nk: v\n---\nHi note!\n|text\n"),
        (FULL, "|text\n", "---\n# why\ntags: [a, b]\nup: \"[[x]]\"\nday: 2026-03-07\n---\nBody\n|text\n"),
        (FULL, "te|xt\n", "---\n# why\ntags: [a, b]\nup: \"[[x]]\"\nday: 2026-03-07\n---\nteBody\n|xt\n"),
        (
            FULL,
            "---\nTags:\n  - b\n  - c\nup:\nday: kept\n---\ntext|\n",
            "---\nTags:\n  - b\n  - c\n  - a\nup: \"[[x]]\"\nday: kept\n---\ntextBody\n|\n",
        ),
        (FULL, "---\nup: y\n---\n|", "---\nup: y\ntags:\n  - a\n  - b\nday: 2026-03-07\n---\nBody\n|"),
        ("---\nk: v\n---\n", "a|b", "---\nk: v\n---\na|b"),
    ] {
        let bench = with(&[("templates", r#"{"folder": "T"}"#)], &format!("//- /T/t.md\n{template}"));
        let caret = before.find('|').unwrap();
        let text = before.replacen('|', "", 1);
        let units = u32::try_from(before[..caret].encode_utf16().count()).unwrap();
        let view = bench.engine.view();
        let edit = view.insert_template(&rel("note.md"), &text, units, &rel("T/t.md"), NOW).unwrap();
        let (_, made) = applied(&text, &edit.changes);
        let (head, tail) = made.split_at(edit.caret as usize);
        let shown = format!("{}|{}", String::from_utf16(head).unwrap(), String::from_utf16(tail).unwrap());
        assert_eq!(shown, after);
    }
}
