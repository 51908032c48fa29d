//! Connecting a client with the vault that is open in the window.

use super::Agents;
use headless::agents::connecting::{Connecting, SettingsFile, known};
use headless::fault::Fault;
use serde::{Deserialize, Serialize};

/// Which client is to be connected with the window, by which name and token it was let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Newcomer {
    /// The client, by its id on the wire.
    pub program: String,
    /// The name under which it was let in.
    pub client: Option<String>,
    /// Its token, while it is known.
    pub token: Option<String>,
}

impl Agents {
    /// Says what connecting a client would do to its settings file.
    ///
    /// # Errors
    /// The client is not known or has no such file, or the file cannot be read.
    pub fn connecting(&self, newcomer: &Newcomer, vault: &str) -> Result<Connecting, Fault> {
        Ok(self.settings_file(newcomer, vault)?.connecting())
    }

    /// Writes the settings file of a client as it was shown.
    ///
    /// # Errors
    /// The token is not known, the file is another than was `seen`, or it cannot be written.
    pub fn connect(&self, newcomer: &Newcomer, vault: &str, seen: &str) -> Result<Connecting, Fault> {
        let file = self.settings_file(newcomer, vault)?;
        if file.lacks_token() {
            let hint = "make a token for it first; it is shown only once";
            return Err(Fault::new("no_token", "the token of this client is not known", hint));
        }
        file.connect(seen)?;
        self.connecting(newcomer, vault)
    }

    /// Takes the entry out of the settings file of a client.
    ///
    /// # Errors
    /// There is none, or it cannot be taken out.
    pub fn disconnect(&self, newcomer: &Newcomer, vault: &str) -> Result<Connecting, Fault> {
        self.settings_file(newcomer, vault)?.disconnect()?;
        self.connecting(newcomer, vault)
    }

    fn settings_file(&self, newcomer: &Newcomer, vault: &str) -> Result<SettingsFile, Fault> {
        let Newcomer { program, client, token } = newcomer;
        let kind = known(program)?;
        let home = dirs::home_dir();
        let home = home.ok_or_else(|| Fault::new("no_home", "this account has no home folder", "set HOME"))?;
        Ok(SettingsFile::read(kind, self.way(kind, client.as_deref(), token.clone(), vault), &home)?)
    }
}
