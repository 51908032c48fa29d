//! With what a window is to be opened, and whether it can be: found out before anything of it is loaded.

use crate::cli::Stop;
use crate::fault::Fault;
use crate::link;
use crate::store::Store;
use crate::vaults;
use std::path::PathBuf;

/// What a window is opened with.
#[derive(Debug)]
pub struct Start {
    /// The folders of the account.
    pub store: Store,
    /// The vault that was named.
    pub vault: Option<PathBuf>,
    /// The link that was named in its place.
    pub link: Option<String>,
}

impl Start {
    /// Takes a folder or a link, as it stands on the command line.
    ///
    /// # Errors
    /// There is no such vault, no folder for what the program keeps, or no display.
    pub fn of(named: Option<PathBuf>) -> Result<Start, Stop> {
        let (link, vault) = match named {
            Some(path) if path.to_str().is_some_and(link::is_link) => (path.to_str().map(str::to_owned), None),
            vault => (None, vault),
        };
        let store = Store::of_this_account().map_err(Fault::from)?;
        // A vault that was named wrongly is told where it was typed, before any window.
        if let Some(vault) = &vault {
            vaults::find(&store, vault).map_err(|error| Stop::usage(error.to_string(), error.hint()))?;
        }
        can_show()?;
        Ok(Start { store, vault, link })
    }
}

/// Tells whether there is a display; the libraries of the window would end the program without a word of help.
fn can_show() -> Result<(), Stop> {
    #[cfg(all(unix, not(target_os = "macos")))]
    {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
            return Err(Stop::failed(
                "there is no display to open a window on",
                "start it in a desktop session; agents need no window: `vidimus mcp --help`",
            ));
        }
    }
    Ok(())
}
