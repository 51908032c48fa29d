//! Titles that would be something else in a line of their own.

use proptest::prelude::*;

use super::*;

/// Titles that would begin, end or swallow something if they stood in a line of their own.
const BLOCKS: &[&str] = &[
    "$$",
    "$$ a",
    "a $$",
    "$$ a $$",
    "a $$b$$ c $$",
    "%%",
    "%% a",
    "a %%",
    "%% a %%",
    "a %%b%% c %%",
    "---",
    "***",
    "* * *",
    "===",
    "=",
    "-",
    "> a",
    ">",
    "> [!note]",
    "- a",
    "+",
    "* a",
    "- [ ] a",
    "1. a",
    "1)",
    "```",
    "``` a",
    "~~~",
    "<div>",
    "<div> a",
    "</div>",
    "<pre>",
    "<script>",
    "<!--",
    "-->",
    "<?a",
    "<!A",
    "<![CDATA[",
    "<a",
    "\ta",
    "    a",
    "| a |",
    "|-|",
    "-|-",
    ":-",
    "a | b",
    "[a]: /b",
    "[^1]: a",
    "[^1]",
    "\"a\"",
    "^a",
    "a ^b",
    ": a",
    "{{a}}",
    "[[a",
    "![[a]]",
    "`",
    "`$$",
    "\\",
    "\\$$",
    "# a",
    "#a",
    "a #",
    "&#10;",
    "&nbsp;",
];

/// Reads a rename back: one title is another, and everything else of every heading is as it was.
fn reads_back(before: &str, at: usize, title: &str) -> Option<(NoteText, RenamedHeading)> {
    let text = NoteText::from_str(before);
    let note = parse(&text);
    let renamed = match rename_heading(&text, &note, &SectionRef::Index(at), title, true) {
        Ok(renamed) => renamed,
        Err(RenameError::Invalid { .. } | RenameError::Collision { .. }) => return None,
        Err(error) => panic!("{before:?} {title:?}: {error}"),
    };
    let after_text = renamed.edits.apply(&text).unwrap();
    let after = parse(&after_text);
    let titles = |note: &Note| -> Vec<(u8, HeadingStyle, String, Option<String>)> {
        note.headings.iter().map(|h| (h.level, h.style, h.text.clone(), h.block_id.clone())).collect()
    };
    let mut wanted = titles(&note);
    wanted[at].2 = renamed.new.clone();
    assert_eq!(titles(&after), wanted, "{before:?} {title:?} -> {after_text:?}");
    Some((after_text, renamed))
}

#[test]
fn a_title_that_could_be_a_block_is_a_title_or_refused() {
    let notes = [
        ("Old\n---\n\ntext\n\nB\n===\n", 0),
        ("Old\ntwo\n  three\n===\ntext\n$$\nx\n$$\n%%\ny\n%%\n\n## Z\n", 0),
        ("p\n\nOld ^id\n---\n<div>\n\n</div>\n\n```\nc\n```\n- l\n\n> q\n\n## Z\n", 0),
        ("- l\n\n  m\n\nOld\n---\n|a|\n|-|\n|b|\n", 0),
        ("[a]: /u\nOld\n---\n[a] [^1]\n\n[^1]: f\n", 0),
        ("$$\nx\n$$\n\nOld\n---\n%%\ny\n%%\n", 0),
        ("## A\nOld\n---\n## C\n%%\nnot closed\n", 1),
        ("   Old\n ---\n$$\nnot closed\n", 0),
    ];
    let mut n_renamed = 0;
    for (before, at) in notes {
        for eol in ["\n", "\r\n", "\r"] {
            for title in BLOCKS {
                n_renamed += usize::from(reads_back(&before.replace('\n', eol), at, title).is_some());
            }
        }
    }
    assert!(n_renamed > 1000, "{n_renamed}");
}

#[test]
fn what_is_written_later_does_not_take_the_title() {
    for before in ["Old\n---\ntext\n", "a\n\nOld\ntwo\n===\n"] {
        for title in BLOCKS {
            let Some((after, renamed)) = reads_back(before, 0, title) else { continue };
            for later in
                ["\n$$\nx\n$$\n", "\nx $$ y\n", "\n%%\nx\n%%\n", "\nx %% y\n", "\n-->\n", "\n</div>\n", "\n```\n"]
            {
                let text = NoteText::from_str(&format!("{}{later}", after.as_str()));
                assert_eq!(parse(&text).headings[0].text, renamed.new, "{title:?} -> {text:?}");
            }
        }
    }
}

proptest! {
    /// Under whatever stands around it, an underlined title becomes the new one, or the rename is refused.
    #[test]
    fn an_underlined_title_is_the_new_one_or_stays(
        above in "(> q\n|- l\n|```\n|\\$\\$\n|%%\n|x\n|\n|<div>\n|\\| a \\|\n|\\[a\\]: /u\n){0,6}",
        lines in prop::collection::vec("[ \t]{0,3}[a-c$%|*]{1,3} {0,2}", 1..4),
        underline in "[ ]{0,2}(-{1,4}|={1,4}) {0,2}",
        below in "(> q\n|- l\n|```\n|\\$\\$\n|%%\n|x\n|\n|</div>\n|-->\n|\\|-\\|\n|## Z\n){0,6}",
        eol in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        (first, second) in (prop::sample::select(BLOCKS), prop::sample::select(BLOCKS)),
        is_two in any::<bool>(),
    ) {
        let before = format!("{above}{}\n{underline}\n{below}", lines.join("\n")).replace('\n', eol);
        let title = if is_two { format!("{first} {second}") } else { first.to_owned() };
        let n_headings = parse(&NoteText::from_str(&before)).headings.len();
        for at in 0..n_headings {
            reads_back(&before, at, &title);
        }
    }
}
