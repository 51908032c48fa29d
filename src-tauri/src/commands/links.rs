//! Links that lead to a place in a vault, from notes and from the desktop.

use super::{Answer, work};
use crate::follow::{self, Followed};
use headless::fault::Fault;
use headless::link::SCHEME;
use tauri::{Manager, WebviewWindow};
use tauri_plugin_deep_link::DeepLinkExt;

commands! {
    /// Follows a link that stands in a note; `link_followed` tells when it led somewhere.
    follow_link(page, url: String) -> () {
        work(page, move |page, _| {
            follow::follow(page.app_handle(), Some(page.label()), &url);
            Ok(())
        })
    }
    /// Returns where the last link led, once; `null` if none was followed since.
    followed_link(page) -> Option<Followed> { work(page, |_, session| Ok(session.take_followed())) }
    /// Tells whether the desktop hands its links to this program; `null` where that is settled by its installer.
    links_come_here(page) -> Option<bool> {
        work(page, |page, _| Ok(page.deep_link().is_registered(SCHEME).ok()))
    }
    /// Has the desktop hand its links to this program from now on.
    take_links(page) -> Option<bool> {
        work(page, |page, _| {
            let hint = "install the package xdg-utils, or install the program from its package";
            page.deep_link().register(SCHEME).map_err(|error| {
                Fault::new("not_registered", format!("the desktop did not take it: {error}"), hint)
            })?;
            // Where the desktop is a bare one, its tools cannot read back what they have just noted.
            Ok(Some(true))
        })
    }
}
