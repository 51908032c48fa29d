//! Two agents change one section with the same hash at the same time: one of them wins, and the other is told by whom.

use crate::asked::Asked;
use anyhow::{Context, Result, ensure};
use it::{Agent, Answer, Bench};
use serde_json::{Value, json};

const NOTE: &str = "\
//- /Note.md
# Note

## Part

Whose is it?
//- /Other.md
[[Note#Part]]
";

/// Runs the races and prints who won.
pub fn run(asked: &Asked) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(race(asked.count(1_000)))
}

/// How often each of the two won.
#[derive(Default)]
struct Wins([usize; 2]);

async fn race(count: usize) -> Result<()> {
    let bench = Bench::new(NOTE);
    let start = async |client: &str| Agent::stdio(&bench, &["--writes", "allow", "--client", client]).await;
    // The first has the engine; the two that race are two more processes that speak to it.
    let owner = start("Owner").await?;
    let mut hash = owner.hash("Note.md").await?;
    let racers = [start("First").await?, start("Second").await?];
    let mut heading = "Part".to_owned();
    let mut wins = Wins::default();
    for round in 0..count {
        let renames = round % 2 == 0;
        let call = async |nth: usize| -> Result<Answer> {
            // Neither is the first to be asked every time.
            let racer = (nth + round / 2) % 2;
            let (tool, arguments) = arguments(renames, &heading, &hash, racer, round);
            racers[racer].call(tool, arguments).await
        };
        let (one, other) = tokio::join!(call(0), call(1));
        let mut answers = [one?, other?];
        if (round / 2) % 2 == 1 {
            answers.swap(0, 1);
        }
        let winner = judge(&answers).with_context(|| format!("race {round}: {answers:?}"))?;
        wins.0[winner] += 1;
        hash = answers[winner].text("content_hash");
        let text = bench.read("Note.md");
        ensure!(
            hash == blake3::hash(text.as_bytes()).to_hex().as_str(),
            "race {round}: the winner's hash is not the file's"
        );
        if renames {
            heading = title(winner, round);
        }
        let links = bench.read("Other.md");
        ensure!(text.contains(&format!("## {heading}\n")), "race {round}: {text}");
        ensure!(links == format!("[[Note#{heading}]]\n"), "race {round}: {links}");
    }
    for agent in racers {
        agent.close().await?;
    }
    owner.close().await?;
    println!("race: {count} races of two processes for one section, with one hash");
    println!(
        "  {} won by the first and {} by the second; the other was always told of a conflict, with the winner's hash",
        wins.0[0], wins.0[1]
    );
    println!("  won by both 0, by neither 0, lost changes 0");
    Ok(())
}

fn title(racer: usize, round: usize) -> String {
    format!("Part {round} of {racer}")
}

fn arguments(renames: bool, heading: &str, hash: &str, racer: usize, round: usize) -> (&'static str, Value) {
    let mut arguments = json!({"rel_path": "Note.md", "heading": heading, "expected_hash": hash});
    if renames {
        arguments["new_heading"] = json!(title(racer, round));
        return ("rename_note_section", arguments);
    }
    arguments["new_content"] = json!(format!("It is {racer}'s since round {round}.\n"));
    ("patch_note_section", arguments)
}

/// Returns who won, if exactly one did and the other was told what it needs.
fn judge(answers: &[Answer; 2]) -> Result<usize> {
    let won: Vec<usize> = (0..2).filter(|n| !answers[*n].is_error).collect();
    ensure!(won.len() == 1, "{} of the two won", won.len());
    let (winner, loser) = (&answers[won[0]], &answers[1 - won[0]]);
    ensure!(winner.data["committed"] == json!(true), "the winner's change is not there");
    ensure!(loser.text("code") == "conflict", "the other was told something else");
    ensure!(
        !winner.text("content_hash").is_empty() && loser.text("current_hash") == winner.text("content_hash"),
        "the other was told of another hash"
    );
    Ok(won[0])
}
