//! `vidimus index`: builds the index, or brings it up to date.

use super::say::{note, say};
use super::{DONE, Stop, VaultArg};
use crate::control::{OwnerStatus, Request};
use crate::fault::Fault;
use crate::owner::Reach;
use crate::store::Store;
use engine::Event;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

const WIDTH: usize = 30;

pub fn run(args: VaultArg) -> Result<u8, Stop> {
    let store = Store::of_this_account().map_err(Fault::from)?;
    let begun = Instant::now();
    let mut reach = Reach::find(&store, &args.vault).map_err(Stop::opening)?;
    if let Reach::Here(engine) = &reach {
        let events = engine.subscribe();
        let bar = io::stderr().is_terminal();
        loop {
            match events.recv_timeout(Duration::from_millis(100)) {
                Ok(Event::Indexing { done, total }) if bar => draw(done, total),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if engine.wait_indexed(Duration::ZERO) {
                break;
            }
        }
        if bar {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        engine.catch_up();
    } else {
        note("the vault is open in another program, which keeps the index up to date");
    }
    let status: OwnerStatus = reach.ask(Request::Status)?;
    reach.close();
    let notes = if status.info.n_notes == 1 { "1 note".to_owned() } else { format!("{} notes", status.info.n_notes) };
    say(&format!("{notes} indexed in {:.1} s\n", begun.elapsed().as_secs_f64()));
    Ok(DONE)
}

fn draw(done: u32, total: u32) {
    let filled = if total == 0 { WIDTH } else { WIDTH * done as usize / total as usize };
    let bar: String = (0..WIDTH).map(|at| if at < filled { '#' } else { '.' }).collect();
    let mut err = io::stderr();
    let _ = write!(err, "\r[{bar}] {done} of {total}");
    let _ = err.flush();
}
