//! Links that lead to a place in a vault, from notes and from the desktop.

use super::{Answer, work};
use crate::follow::{self, Followed};
use crate::handler;
use tauri::{Manager, WebviewWindow};

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
        work(page, |page, _| Ok(handler::comes_here(page.app_handle())))
    }
    /// Has the desktop hand its links to this program from now on.
    take_links(page) -> Option<bool> {
        work(page, |page, _| {
            handler::take(page.app_handle())?;
            // Where the desktop is a bare one, its tools cannot read back what they have just noted.
            Ok(Some(true))
        })
    }
}
