//! Links that lead to a place in a vault, from notes and from the desktop.

use super::{Answer, work};
use crate::fault::Fault;
use crate::follow::{self, Followed};
use crate::link::SCHEME;
use tauri::AppHandle;
use tauri_plugin_deep_link::DeepLinkExt;

commands! {
    /// Follows a link that stands in a note; `link_followed` tells when it led somewhere.
    follow_link(app, url: String) -> () {
        work(app, move |app, _| {
            follow::follow(app, &url);
            Ok(())
        })
    }
    /// Returns where the last link led, once; `null` if none was followed since.
    followed_link(app) -> Option<Followed> { work(app, |_, session| Ok(session.take_followed())) }
    /// Tells whether the desktop hands its links to this program; `null` where that is settled by its installer.
    links_come_here(app) -> Option<bool> {
        work(app, |app, _| Ok(app.deep_link().is_registered(SCHEME).ok()))
    }
    /// Has the desktop hand its links to this program from now on.
    take_links(app) -> Option<bool> {
        work(app, |app, _| {
            let hint = "install the package xdg-utils, or install the program from its package";
            app.deep_link().register(SCHEME).map_err(|error| {
                Fault::new("not_registered", format!("the desktop did not take it: {error}"), hint)
            })?;
            Ok(app.deep_link().is_registered(SCHEME).ok())
        })
    }
}
