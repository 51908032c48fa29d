//! Where the owner of a vault listens for other processes of this account: agents' sessions, and our own commands.

use crate::control::{self, Control, Role};
use crate::store::Sockets;
use engine::Engine;
use mcp::{DoorSettings, LocalListener, Presence, SocketError, Welcome};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Both sockets, until they are stopped.
pub struct Listener {
    stop: CancellationToken,
    agents: JoinHandle<()>,
    _control: Control,
}

impl Listener {
    /// Starts to listen. `give_way` is called when a window wants the vault, and says whether it will get it. Must be
    /// called within a tokio runtime.
    pub fn start(
        sockets: &Sockets,
        engine: &Engine,
        role: Role,
        presence: &Presence,
        give_way: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<Listener, SocketError> {
        let listener = LocalListener::bind(&sockets.agents)?;
        let asked = engine.clone();
        let control = Control::start(&sockets.control, move |line| control::answer(&asked, role, line, &give_way))?;
        let desks = engine.clone();
        let welcome = Welcome { desk: Box::new(move |hello| Ok(hello.desk(&desks))) };
        let stop = CancellationToken::new();
        let agents = tokio::spawn(listener.serve(welcome, DoorSettings::default(), presence.clone(), stop.clone()));
        Ok(Listener { stop, agents, _control: control })
    }

    /// Stops listening and ends the sessions.
    pub async fn stop(self) {
        self.stop.cancel();
        let _ = self.agents.await;
    }
}
