//! What the system knows of the program's processes.

use anyhow::{Context, Result};
use it::program;
use std::collections::HashMap;
use std::fs;
use std::time::{Duration, SystemTime};

/// When the newest process of the program began.
pub fn began() -> Result<SystemTime> {
    let pid = pids()?.into_iter().max().context("the program does not run")?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let ticks: f64 = field(&stat, 22).context("the start of a process is its 22nd field")?.parse()?;
    let boot = fs::read_to_string("/proc/stat")?;
    let boot = boot.lines().find_map(|line| line.strip_prefix("btime ")).context("the system says when it booted")?;
    // The kernel counts in hundredths of a second.
    Ok(SystemTime::UNIX_EPOCH + Duration::from_secs_f64(boot.trim().parse::<f64>()? + ticks / 100.0))
}

/// The memory of the program and all processes below it, each shared page counted in its share, in bytes.
pub fn of_program() -> Result<u64> {
    let mut below: HashMap<u32, Vec<u32>> = HashMap::new();
    for pid in all_pids()? {
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let parent = field(&stat, 4).and_then(|parent| parent.parse().ok()).unwrap_or(0);
        below.entry(parent).or_default().push(pid);
    }
    let mut waiting = pids()?;
    let mut kilobytes = 0;
    while let Some(pid) = waiting.pop() {
        waiting.extend(below.remove(&pid).unwrap_or_default());
        let Ok(rollup) = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) else { continue };
        let pss = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
        kilobytes += pss.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(kilobytes << 10)
}

/// The processes of the program; where a window is open, they are those of the program beside it.
fn pids() -> Result<Vec<u32>> {
    let window = program().with_file_name("vidimus-window");
    let is_it = |pid: &u32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == window);
    Ok(all_pids()?.into_iter().filter(is_it).collect())
}

fn all_pids() -> Result<Vec<u32>> {
    let entries = fs::read_dir("/proc").context("the system lists its processes")?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect())
}

/// A field of `/proc/PID/stat`, from 1; the second may hold anything, so fields are counted behind it.
fn field(stat: &str, nth: usize) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(nth - 3)
}
