//! `vault-asset://localhost/PATH`: the images and sounds of the open vault, for the reading view.
//!
//! Only what the engine hands out as an attachment goes through here: no notes, no hidden files, nothing outside.

use crate::session;
use headless::link::decode;
use std::borrow::Cow;
use tauri::http::{Request, Response, StatusCode, header};
use tauri::{Runtime, UriSchemeContext, UriSchemeResponder};

pub const SCHEME: &str = "vault-asset";

/// Answers a request of the page.
pub fn serve<R: Runtime>(context: UriSchemeContext<'_, R>, request: Request<Vec<u8>>, responder: UriSchemeResponder) {
    let (app, window) = (context.app_handle().clone(), context.webview_label().to_owned());
    let path = decode(request.uri().path().trim_start_matches('/'));
    tauri::async_runtime::spawn_blocking(move || {
        let found = path.and_then(|path| {
            let bytes = session::in_window(&app, &window)?.engine().ok()?.view().attachment(&path).ok()?;
            Some((media_type(&path)?, bytes))
        });
        responder.respond(answer(found));
    });
}

fn answer(found: Option<(&'static str, Vec<u8>)>) -> Response<Cow<'static, [u8]>> {
    let (status, kind, bytes) = match found {
        Some((kind, bytes)) => (StatusCode::OK, kind, bytes),
        None => (StatusCode::NOT_FOUND, "text/plain", Vec::new()),
    };
    let built = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, kind)
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        // A file is shown as it is now, also after another program wrote it.
        .header(header::CACHE_CONTROL, "no-cache")
        // An SVG opened by itself must not run scripts.
        .header(header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        .body(Cow::Owned(bytes));
    built.unwrap_or_default()
}

/// Returns the media type of a file that the reading view can show; anything else is not handed out.
fn media_type(path: &str) -> Option<&'static str> {
    let extension = path.rsplit_once('.')?.1.to_ascii_lowercase();
    Some(match extension.as_str() {
        "avif" => "image/avif",
        "bmp" => "image/bmp",
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        "flac" => "audio/flac",
        "m4a" => "audio/mp4",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "wav" => "audio/wav",
        "mp4" => "video/mp4",
        "ogv" => "video/ogg",
        "webm" => "video/webm",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_shown_is_handed_out() {
        assert_eq!(media_type("a/b.PNG"), Some("image/png"));
        assert_eq!(media_type("note.md"), None);
        assert_eq!(media_type("noext"), None);
        assert_eq!(answer(None).status(), StatusCode::NOT_FOUND);
    }
}
