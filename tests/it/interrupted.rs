//! An operation that a crash cut off and another program wrote into: a person finishes it or takes it back, and either
//! is whole. What the other program wrote stays.

use it::{Agent, Bench};
use serde_json::{Value, json};

const VAULT: &str = "\
//- /Lead.md
# Lead

## Old

text
//- /One.md
[[Lead#Old]]

one
//- /Two.md
[[Lead#Old]]

two
";
const POINTS: [&str; 5] = ["begun:1", "swap:1", "swap:2", "swap:3", "done:1"];
const OUTSIDE: &str = "\noutside\n";

async fn crash(bench: &Bench, point: &str, tool: &str, arguments: Value) -> anyhow::Result<()> {
    let agent = Agent::stdio_with(bench, &["--writes", "allow"], &[("VIDIMUS_CRASH_AT", point)]).await?;
    let answer = agent.call(tool, arguments).await;
    assert!(answer.is_err(), "the program was to end at {point}, and answered {answer:?}");
    Ok(())
}

/// Appends to a file as another program would, wherever it is now.
fn write_into(bench: &Bench, paths: &[&str]) {
    let files = bench.files();
    let path = paths.iter().find(|path| files.contains_key(**path)).expect("the note is at one of its paths");
    bench.write(path, &(bench.read(path) + OUTSIDE));
}

/// Settles what was interrupted, if anything was, and returns the files with the outside line taken out.
fn settle(bench: &Bench, how: &str) -> (bool, Vec<(String, String)>) {
    let vault = bench.vault();
    let vault = vault.to_str().unwrap();
    let (_, out, err) = bench.run(&["review", "list", "--json", "--vault", vault]);
    let listed: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    let interrupted = listed.as_array().unwrap().iter().find(|one| one["state"] == "interrupted").cloned();
    if let Some(operation) = &interrupted {
        let (code, out, err) = bench.run(&["review", how, operation["id"].as_str().unwrap(), "--vault", vault]);
        assert_eq!(code, 0, "{out}{err}");
        let (_, out, _) = bench.run(&["review", "list", "--json", "--vault", vault]);
        assert!(!out.contains("\"interrupted\""), "{how}: it is settled for good: {out}");
    }
    let files = bench.files().into_iter().map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap()));
    let files: Vec<(String, String)> = files.collect();
    let n_outside: usize = files.iter().map(|(_, text)| text.matches(OUTSIDE).count()).sum();
    assert_eq!(n_outside, 1, "what the other program wrote is there once: {files:?}");
    (interrupted.is_some(), files.into_iter().map(|(path, text)| (path, text.replace(OUTSIDE, ""))).collect())
}

#[tokio::test]
async fn a_rename_is_carried_through_or_taken_back_whole() -> anyhow::Result<()> {
    let whole = |heading: &str| {
        let link = |word: &str| format!("[[Lead#{heading}]]\n\n{word}\n");
        let lead = format!("# Lead\n\n## {heading}\n\ntext\n");
        [("Lead.md", lead), ("One.md", link("one")), ("Two.md", link("two"))]
            .map(|(path, text)| (path.to_owned(), text))
    };
    let mut n_settled = 0;
    for point in POINTS {
        for written in ["Lead.md", "One.md", "Two.md"] {
            for (how, heading) in [("finish", "New"), ("undo", "Old")] {
                let bench = Bench::new(VAULT);
                let arguments = json!({
                    "rel_path": "Lead.md", "heading": "Old", "new_heading": "New",
                    "expected_hash": blake3::hash(bench.read("Lead.md").as_bytes()).to_hex().to_string(),
                });
                crash(&bench, point, "rename_note_section", arguments).await?;
                write_into(&bench, &[written]);
                let (was_interrupted, files) = settle(&bench, how);
                n_settled += usize::from(was_interrupted);
                // Where nothing had to be asked the operation was finished, or had not begun to write.
                let is_whole = files == whole(heading) || !was_interrupted && files == whole("Old");
                assert!(is_whole || !was_interrupted && files == whole("New"), "{point} {written} {how}: {files:?}");
            }
        }
    }
    assert!(n_settled >= 20, "only {n_settled} operations were interrupted");
    Ok(())
}

#[tokio::test]
async fn a_move_is_carried_through_or_taken_back_whole() -> anyhow::Result<()> {
    let whole = |path: &str, link: &str| {
        let mut files = vec![
            (path.to_owned(), "# Lead\n\n## Old\n\ntext\n".to_owned()),
            ("One.md".to_owned(), format!("[[{link}#Old]]\n\none\n")),
            ("Two.md".to_owned(), format!("[[{link}#Old]]\n\ntwo\n")),
        ];
        files.sort();
        files
    };
    let mut n_settled = 0;
    for point in POINTS {
        for written in [&["Lead.md", "deep/Moved.md"][..], &["One.md"]] {
            for (how, path, link) in [("finish", "deep/Moved.md", "Moved"), ("undo", "Lead.md", "Lead")] {
                let bench = Bench::new(VAULT);
                let arguments = json!({
                    "rel_path": "Lead.md", "new_rel_path": "deep/Moved.md",
                    "expected_hash": blake3::hash(bench.read("Lead.md").as_bytes()).to_hex().to_string(),
                });
                crash(&bench, point, "move_note", arguments).await?;
                write_into(&bench, written);
                let (was_interrupted, files) = settle(&bench, how);
                n_settled += usize::from(was_interrupted);
                let either = [whole("Lead.md", "Lead"), whole("deep/Moved.md", "Moved")];
                let is_whole = if was_interrupted { files == whole(path, link) } else { either.contains(&files) };
                assert!(is_whole, "{point} {written:?} {how}: {files:?}");
            }
        }
    }
    assert!(n_settled >= 8, "only {n_settled} operations were interrupted");
    Ok(())
}
