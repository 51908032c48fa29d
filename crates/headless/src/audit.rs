//! What agents asked for, in the forms in which a person takes it away.

use crate::agents::clients::time;
use mcp::Called;
use serde_json::json;

const HEAD: &str = "time,client,way,tool,subject,outcome,milliseconds\r\n";

/// What came of a call, in a word.
pub fn outcome(call: &Called) -> &str {
    match &call.refused {
        Some(code) => code,
        None if call.waiting => "proposed",
        None => "ok",
    }
}

/// Writes calls as comma-separated values (RFC 4180).
pub fn csv(calls: &[Called]) -> String {
    let row = |call: &Called| {
        let took = call.took.as_millis().to_string();
        let subject = call.subject.as_deref().unwrap_or_default();
        let cells = [&time(call.at), &call.client, call.door.as_str(), &call.tool, subject, outcome(call), &took];
        cells.map(cell).join(",") + "\r\n"
    };
    calls.iter().map(row).fold(HEAD.to_owned(), |all, row| all + &row)
}

/// Writes calls as JSON, one line for each.
pub fn json_lines(calls: &[Called]) -> String {
    let line = |call: &Called| {
        let line = json!({
            "at": time(call.at),
            "client": call.client,
            "door": call.door.as_str(),
            "tool": call.tool,
            "subject": call.subject,
            "outcome": outcome(call),
            "took_ms": u64::try_from(call.took.as_millis()).unwrap_or(u64::MAX),
        });
        format!("{line}\n")
    };
    calls.iter().map(line).collect()
}

/// A name that an agent chose must stay a name: a spreadsheet takes what begins so for a formula.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use mcp::Door;
    use std::time::{Duration, UNIX_EPOCH};

    fn call(client: &str, subject: Option<&str>, refused: Option<&str>) -> Called {
        Called {
            at: UNIX_EPOCH + Duration::from_secs(1_790_000_000),
            client: client.to_owned(),
            door: Door::Stdio,
            tool: "get_note".to_owned(),
            subject: subject.map(str::to_owned),
            refused: refused.map(str::to_owned),
            waiting: false,
            took: Duration::from_millis(7),
        }
    }

    #[test]
    fn what_agents_chose_is_no_formula_and_breaks_no_row() {
        let calls = [call("Claude, Code", Some("a \"b\"\nc.md"), None), call("=cmd()", None, Some("not_found"))];
        expect![[r#"
            time,client,way,tool,subject,outcome,milliseconds
            2026-09-21T14:13:20Z,"Claude, Code",stdio,get_note,"a ""b""
            c.md",ok,7
            2026-09-21T14:13:20Z,'=cmd(),stdio,get_note,,not_found,7
        "#]]
        .assert_eq(&csv(&calls).replace('\r', ""));
        expect![[r#"
            {"at":"2026-09-21T14:13:20Z","client":"Claude, Code","door":"stdio","tool":"get_note","subject":"a \"b\"\nc.md","outcome":"ok","took_ms":7}
            {"at":"2026-09-21T14:13:20Z","client":"=cmd()","door":"stdio","tool":"get_note","subject":null,"outcome":"not_found","took_ms":7}
        "#]]
        .assert_eq(&json_lines(&calls));
    }
}
