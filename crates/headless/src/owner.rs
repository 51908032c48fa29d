//! Who has a vault open: this process, or another one that can be asked.

use crate::control::{self, Owner, Request, Role};
use crate::fault::Fault;
use crate::store::Store;
use crate::vaults::{self, Folder};
use engine::{Engine, OpenVault};
use serde::de::DeserializeOwned;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a headless owner may take to finish what it is doing and let go.
const HANDOVER: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(40);

/// A vault, by whichever way it can be asked.
pub enum Reach {
    /// Nobody had it open, so this process has.
    Here(Engine),
    /// Another process has it.
    There(Owner),
}

impl Reach {
    /// Finds the owner of a vault, or becomes it.
    pub fn find(store: &Store, path: &Path) -> Result<Reach, Fault> {
        let folder = vaults::locate(store, path)?;
        let socket = store.sockets(&folder.key).control;
        let end = Instant::now() + HANDOVER;
        loop {
            if let Ok(Some(owner)) = Owner::reach(&socket) {
                return Ok(Reach::There(owner));
            }
            match open(store, &folder) {
                Ok(engine) => {
                    // What is shown and decided rests on all links, not on those that happen to be indexed.
                    engine.catch_up();
                    return Ok(Reach::Here(engine));
                }
                // The owner may be starting or closing just now.
                Err(fault) if fault.code == "vault_busy" && Instant::now() < end => std::thread::sleep(PAUSE),
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Asks whoever has the vault.
    pub fn ask<T: DeserializeOwned>(&mut self, request: Request) -> Result<T, Fault> {
        match self {
            Reach::Here(engine) => {
                let answer = control::ask(engine, Role::Headless, request)?;
                serde_json::from_value(answer).map_err(|_| Fault::internal())
            }
            Reach::There(owner) => owner.ask(&request),
        }
    }

    /// Lets go of the vault, if this process has it.
    pub fn close(self) {
        if let Reach::Here(engine) = self {
            engine.close();
        }
    }
}

/// Opens a vault in this process.
pub fn open(store: &Store, folder: &Folder) -> Result<Engine, Fault> {
    let engine = Engine::open(OpenVault {
        root: folder.root.clone(),
        state: store.state_folder(&folder.key),
        name: folder.name(),
        vault_key: folder.key.clone(),
        system_trash: store.system_trash(),
    })?;
    if let Some(notice) = folder.notice() {
        engine.notice(notice);
    }
    Ok(engine)
}

/// Opens a vault for a window: a headless owner is asked to give way, and given the time to do so.
pub fn take(store: &Store, folder: &Folder) -> Result<Engine, Fault> {
    let socket = store.sockets(&folder.key).control;
    let end = Instant::now() + HANDOVER;
    loop {
        let busy = match open(store, folder) {
            Err(fault) if fault.code == "vault_busy" => fault,
            opened => return opened,
        };
        if let Ok(Some(mut owner)) = Owner::reach(&socket) {
            match owner.ask::<bool>(&Request::Yield) {
                Ok(_) => {}
                Err(fault) if fault.retryable => {}
                Err(fault) => return Err(fault),
            }
        }
        if Instant::now() > end {
            return Err(busy);
        }
        std::thread::sleep(PAUSE);
    }
}
