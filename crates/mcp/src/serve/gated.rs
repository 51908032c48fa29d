//! A stream's writing half that closes for good once a session is stopped: what a call still answers while it is being
//! cancelled must not reach the client, who would take it for the outcome. The client asks again elsewhere.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;
use tokio_util::sync::CancellationToken;

/// The half and what closes it.
pub(crate) struct Gated<W> {
    inner: W,
    stop: CancellationToken,
}

impl<W> Gated<W> {
    pub fn new(inner: W, stop: CancellationToken) -> Gated<W> {
        Gated { inner, stop }
    }

    fn check(&self) -> io::Result<()> {
        match self.stop.is_cancelled() {
            true => Err(io::ErrorKind::BrokenPipe.into()),
            false => Ok(()),
        }
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Gated<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.check()?;
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
