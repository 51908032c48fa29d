//! The record of what agents asked for: one line for each call, kept where the vault's history is.
//!
//! It tells who called what, about which note, and what came of it; never what a note says.

use mcp::{Called, Door, Record};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Beyond this the record begins anew, and the one before is kept beside it.
const MAX_LEN: u64 = 4 * 1024 * 1024;

/// A record in a file that only this account reads.
#[derive(Debug, Clone)]
pub struct CallRecord {
    path: PathBuf,
}

/// A call as it is kept. Fields that a later version adds are left out by an earlier one.
#[derive(Serialize, Deserialize)]
struct Line {
    at_ms: u64,
    client: String,
    door: Door,
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    waiting: bool,
    took_ms: u64,
}

impl CallRecord {
    /// Names the record of a vault by the folder of its state. Nothing is opened yet.
    pub fn in_folder(state: &Path) -> CallRecord {
        CallRecord { path: state.join("audit.jsonl") }
    }

    fn before(&self) -> PathBuf {
        self.path.with_file_name("audit.1.jsonl")
    }
}

impl Record for CallRecord {
    /// Reads all calls that are kept, oldest first. A line that cannot be read is left out.
    fn calls(&self) -> io::Result<Vec<Called>> {
        let mut calls = Vec::new();
        for path in [self.before(), self.path.clone()] {
            let file = match File::open(path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            for line in BufReader::new(file).split(b'\n') {
                calls.extend(serde_json::from_slice::<Line>(&line?).ok().map(Called::from));
            }
        }
        Ok(calls)
    }

    /// Adds a call. The record is no part of what is promised of notes: nothing waits for the disk.
    fn add(&self, call: &Called) -> io::Result<()> {
        if fs::metadata(&self.path).is_ok_and(|meta| meta.len() >= MAX_LEN) {
            fs::rename(&self.path, self.before())?;
        }
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut line = serde_json::to_vec(&Line::from(call))?;
        line.push(b'\n');
        options.open(&self.path)?.write_all(&line)
    }
}

impl From<&Called> for Line {
    fn from(call: &Called) -> Line {
        let at = call.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Line {
            at_ms: u64::try_from(at.as_millis()).unwrap_or_default(),
            client: call.client.clone(),
            door: call.door,
            tool: call.tool.clone(),
            subject: call.subject.clone(),
            refused: call.refused.clone(),
            waiting: call.waiting,
            took_ms: u64::try_from(call.took.as_millis()).unwrap_or_default(),
        }
    }
}

impl From<Line> for Called {
    fn from(line: Line) -> Called {
        // A time that no clock shows is the first of all.
        let at = UNIX_EPOCH.checked_add(Duration::from_millis(line.at_ms)).unwrap_or(SystemTime::UNIX_EPOCH);
        Called {
            at,
            client: line.client,
            door: line.door,
            tool: line.tool,
            subject: line.subject,
            refused: line.refused,
            waiting: line.waiting,
            took: Duration::from_millis(line.took_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(n: u64) -> Called {
        Called {
            at: UNIX_EPOCH + Duration::from_millis(1_700_000_000_123 + n),
            client: "Claude".to_owned(),
            door: Door::Http,
            tool: "get_note".to_owned(),
            subject: Some(format!("line\nfeed \" {n}.md")),
            refused: (n % 2 == 1).then(|| "not_found".to_owned()),
            waiting: n == 2,
            took: Duration::from_millis(n),
        }
    }

    #[test]
    fn what_was_called_is_read_again_and_a_torn_line_hides_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let log = CallRecord::in_folder(dir.path());
        assert_eq!(log.calls().unwrap(), []);
        log.add(&call(0)).unwrap();
        log.add(&call(1)).unwrap();
        let path = dir.path().join("audit.jsonl");
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"at_ms\":17\xff\n").unwrap();
        log.add(&call(2)).unwrap();
        assert_eq!(log.calls().unwrap(), [call(0), call(1), call(2)]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_long_record_begins_anew_and_keeps_the_one_before() {
        let dir = tempfile::tempdir().unwrap();
        let log = CallRecord::in_folder(dir.path());
        log.add(&call(0)).unwrap();
        let file = OpenOptions::new().append(true).open(dir.path().join("audit.jsonl")).unwrap();
        file.set_len(MAX_LEN).unwrap();
        log.add(&call(2)).unwrap();
        assert_eq!(log.calls().unwrap(), [call(0), call(2)]);
        assert!(fs::metadata(dir.path().join("audit.jsonl")).unwrap().len() < 1000);
    }

    #[test]
    fn where_it_cannot_be_written_it_is_refused_and_nothing_else_happens() {
        let dir = tempfile::tempdir().unwrap();
        let log = CallRecord::in_folder(&dir.path().join("nowhere"));
        assert_eq!(log.add(&call(0)).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
