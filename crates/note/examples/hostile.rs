//! Reads and changes notes that are made to be slow: 10 MB of one mark, nested or repeated.
//!
//! `cargo run --release -p note --example hostile [-- NAME] [--mb N]` prints for each the seconds that
//! parsing, renaming a heading and following its links take, and how much memory parsing needed. Each
//! runs in a process of its own, so that one cannot hide another's memory.

#![allow(clippy::print_stdout, reason = "it reports to whoever started it")]

use note::{HeadingMoved, Note, NoteText, SectionRef, parse, rename_heading, repoint_links};
use std::process::Command;
use std::time::{Duration, Instant};

/// A name, what comes once, and what is repeated behind it.
const CASES: &[(&str, &str, &str)] = &[
    ("hashes", "", "#"),
    ("hash lines", "", "#\n"),
    ("headings", "", "## Some heading of a usual length that is repeated a hundred thousand times, give or take.\n\n"),
    ("headings to rename", "## Old\n", "# a title\n"),
    ("nested headings", "", "# a\n## b\n### c\n#### d\n##### e\n###### f\n"),
    ("tags", "", "#a "),
    ("backticks", "", "`"),
    ("backtick runs", "", "`a``b```c"),
    ("fences", "", "```\n"),
    ("tildes", "", "~"),
    ("brackets", "", "["),
    ("closing brackets", "", "]"),
    ("bracket pairs", "", "[]"),
    ("open links", "", "[a]("),
    ("open pictures", "", "![a]("),
    ("parentheses", "[a](", "("),
    ("references", "[a]: b\n\n", "[a]"),
    ("reference lines", "", "[a]\n"),
    ("quotes", "", ">"),
    ("quote lines", "", "> a\n"),
    ("spaced quotes", "", "> "),
    ("lazy quotes", "", "> a\nb\n"),
    ("stars", "", "*"),
    ("open stars", "", "*a "),
    ("mixed stars", "", "*a_b"),
    ("underscores", "", "_"),
    ("words", "", "_a_ "),
    ("nested lists", "", "- "),
    ("ordered lists", "", "1. "),
    ("list lines", "", "- a\n"),
    ("tasks", "", "- [ ] a\n"),
    ("loose list", "", "- a\n\n"),
    ("open wikilinks", "", "[["),
    ("open embeds", "", "![["),
    ("wikilinks", "", "[[a#b|c]] "),
    ("links of the note", "## Old\n", "[[#Old]] and words "),
    ("Markdown links", "## Old\n", "[a](#Old) and words "),
    ("chains", "## Old\n### B\n", "[[#Old#B]] and words\n"),
    ("own links", "", ""),
    ("links in comments", "## Old\n", "%%[[#Old]]%% and some words\n\n"),
    ("percents", "", "%"),
    ("comments", "", "%% "),
    ("comment lines", "", "%%\n"),
    ("comments in text", "", "a %%b%% "),
    ("comments in code", "", "`%%` "),
    ("comment words", "", "a %% "),
    ("comments and code", "", "`%% "),
    ("comments and links", "", "%%[[a]] "),
    ("comments and HTML", "", "%% <!-- "),
    ("dollars", "", "$"),
    ("math", "", "$$ "),
    ("math lines", "", "$$\n"),
    ("inline math", "", "a$ $b"),
    ("pipes", "", "|"),
    ("table", "|a|b|\n|-|-|\n", "|c|d|\n"),
    ("wide table", "", "a|"),
    ("head of a table", "", "|a\n|-\n"),
    ("less than", "", "<"),
    ("tags of HTML", "", "<a "),
    ("HTML comments", "", "<!-- "),
    ("CDATA", "", "<![CDATA["),
    ("HTML blocks", "", "<div>\n"),
    ("ampersands", "", "&"),
    ("entities", "", "&#35;"),
    ("YAML list", "---\na:\n", "- b\n"),
    ("YAML links", "---\na:\n", "- '[[b]]'\n"),
    ("YAML flow", "---\na: ", "["),
    ("YAML maps", "---\na: ", "{a: "),
    ("YAML keys", "---\n", "a: b\n"),
    ("YAML without end", "---\n", "a: b\n\n"),
    ("carets", "", "^"),
    ("block ids", "", "a ^b\n\n"),
    ("equals", "", "="),
    ("highlights", "", "==a== "),
    ("setext lines", "", "a\n===\n"),
    ("long setext", "", "a\n"),
    ("definitions", "", "[a]: b\n"),
    ("many definitions", "", "[a0]: "),
    ("footnotes", "", "[^a]: b\n"),
    ("open footnotes", "", "[^a]: "),
    ("footnote marks", "[^a]: b\n\n", "[^a] "),
    ("backslashes", "", "\\"),
    ("tabs", "", "\t"),
    ("line feeds", "", "\n"),
    ("carriage returns", "", "a\r"),
    ("rules", "", "---\n"),
    ("letters", "", "a"),
    ("words of another script", "", "設定 "),
    ("combining marks", "# a", "\u{301}"),
];

fn main() {
    let mut args = std::env::args().skip(1);
    let (mut only, mut mb, mut here) = (None, 10, false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--mb" => mb = args.next().and_then(|n| n.parse().ok()).expect("--mb takes a number"),
            "--here" => here = true,
            _ => only = Some(arg),
        }
    }
    if here {
        let case = CASES.iter().find(|(name, ..)| Some(*name) == only.as_deref()).expect("a case of the list");
        return run(case, mb << 20);
    }
    println!("{:<26}{:>9}{:>9}{:>9}{:>9}", "", "parse s", "rename s", "repoint s", "peak MB");
    let program = std::env::current_exe().expect("a program has a path");
    for (name, ..) in CASES.iter().filter(|(name, ..)| only.as_deref().is_none_or(|only| *name == only)) {
        let started = Command::new(&program).args([name, "--here", "--mb", &mb.to_string()]).status();
        if !started.is_ok_and(|status| status.success()) {
            println!("{name:<26} did not end well");
        }
    }
}

fn run((name, head, unit): &(&str, &str, &str), size: usize) {
    let mut source = String::with_capacity(size + head.len() + 64);
    source += head;
    match *name {
        "own links" => {
            for nth in 0..size / 26 {
                source += &format!("## h{nth}\n\n[[#h{nth}]]\n\n");
            }
        }
        _ => source += &unit.repeat(size / unit.len()),
    }
    source += match *name {
        _ if head.starts_with("---") && *name != "YAML without end" => "\n---\n",
        "long setext" => "===\n",
        _ => "\n",
    };
    let text = NoteText::from_str(&source);
    drop(source);
    let before = peak();
    let (note, parsing) = timed(|| parse(&text));
    let memory = peak().saturating_sub(before);
    let (renaming, repointing) = change(&text, &note);
    let shown = |time: Option<Duration>| time.map_or("-".to_owned(), |time| format!("{:.2}", time.as_secs_f64()));
    println!("{name:<26}{:>9}{:>9}{:>9}{:>9}", shown(Some(parsing)), shown(renaming), shown(repointing), memory >> 10);
}

/// Renames the first heading below level 1 and lets the links of the same note follow.
fn change(text: &NoteText, note: &Note) -> (Option<Duration>, Option<Duration>) {
    let Some(index) = note.headings.iter().position(|heading| heading.level > 1) else { return (None, None) };
    let at = SectionRef::Index(index);
    let (renamed, renaming) = timed(|| rename_heading(text, note, &at, "Another title: of *its* own", false));
    let Ok(renamed) = renamed else { return (Some(renaming), None) };
    let new = renamed.edits.apply(text).expect("the edits were made for this text");
    let after = parse(&new);
    let moved = HeadingMoved { before: note, after: &after, index };
    let (_, repointing) = timed(|| repoint_links(&new, &after, &moved, &|_| true));
    (Some(renaming), Some(repointing))
}

fn timed<T>(act: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = act();
    (done, start.elapsed())
}

/// The most memory this process ever held, in KB; nothing where the system does not say.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
