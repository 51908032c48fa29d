//! A client's standard input and output, joined to whichever engine has the vault at the moment. When the owner goes
//! away in the middle of a session (its window was closed, or a window took the vault), the client notices nothing: the
//! session is opened anew at the next owner, and questions that only read are asked again there.

use super::anteroom;
use super::gated::Gated;
use super::lines::{Line, LineReader};
use super::presence::Presence;
use super::serve_stream;
use super::session::Session;
use super::socket::Hello;
use crate::DoorSettings;
use engine::Desk;
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// A connection to an engine that speaks MCP in lines.
pub struct Upstream {
    read: Box<dyn AsyncRead + Send + Unpin>,
    write: Box<dyn AsyncWrite + Send + Unpin>,
    gives_way: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Upstream {
    /// Joins two halves.
    pub fn new(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Upstream {
        Upstream { read: Box::new(read), write: Box::new(write), gives_way: Box::pin(std::future::pending()) }
    }

    /// Has a relay leave this connection once `wanted` is ready: it sends nothing new, gives running calls a moment to
    /// be answered, and then connects anew.
    pub fn giving_way(self, wanted: impl Future<Output = ()> + Send + 'static) -> Upstream {
        Upstream { gives_way: Box::pin(wanted), ..self }
    }

    pub(crate) fn writer(&mut self) -> &mut (impl AsyncWrite + Unpin + use<>) {
        &mut self.write
    }

    /// Opens a session with a desk of this very process. It ends when `stop` is cancelled. Must be called within a
    /// tokio runtime.
    pub fn to_desk(
        desk: Desk,
        settings: DoorSettings,
        presence: Presence,
        stop: tokio_util::sync::CancellationToken,
    ) -> Upstream {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let (read, write) = tokio::io::split(theirs);
        let write = Gated::new(write, stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                // The client's side sees the streams close, whatever ended the session.
                _ = serve_stream(read, write, desk, settings, &presence) => {}
                () = stop.cancelled() => {}
            }
        });
        let (read, write) = tokio::io::split(ours);
        Upstream::new(read, write)
    }
}

/// Why a relay ended before its client closed.
#[derive(Debug, Error)]
pub enum RelayError<E> {
    /// No engine could be reached or made.
    #[error(transparent)]
    Connect(E),
    /// The client's own streams failed.
    #[error("the client's connection failed: {0}")]
    Client(#[from] io::Error),
}

pub(crate) const PIPE_BYTES: usize = 256 * 1024;
/// How long running calls may take to end at an owner that gives way.
const DRAIN_WAIT: Duration = Duration::from_secs(3);
/// How long answers may take to come once the client has closed its side; longer than any call may wait.
const FAREWELL_WAIT: Duration = Duration::from_secs(60);

/// Joins standard input and output to what `connect` returns, and calls it again whenever that closes. Until it is there
/// for the first time, the client is told what `hello` will be offered.
///
/// # Errors
/// `connect` failed, or standard output is gone.
pub async fn relay_stdio<E, F>(hello: Hello, connect: impl FnMut() -> F) -> Result<(), RelayError<E>>
where
    F: Future<Output = Result<Upstream, E>>,
{
    let (read, write) = rmcp::transport::stdio_pipes();
    relay(read, write, hello, connect).await
}

/// Joins a client's streams to what `connect` returns, and calls it again whenever that closes. Until it is there for the
/// first time, the client is told what `hello` will be offered.
///
/// # Errors
/// `connect` failed, or the client's stream is gone.
pub async fn relay<E, F>(
    read: impl AsyncRead + Send + Unpin + 'static,
    mut write: impl AsyncWrite + Unpin,
    hello: Hello,
    mut connect: impl FnMut() -> F,
) -> Result<(), RelayError<E>>
where
    F: Future<Output = Result<Upstream, E>>,
{
    let mut client = Lines::of_client(read);
    let mut session = Session::default();
    let mut upstream = anteroom::wait(&hello, &mut client, &mut session, &mut write, connect()).await?;
    loop {
        let Upstream { read, write: mut to_owner, gives_way } = upstream;
        let (mut answers, mut leaving, mut gives_way) = (Lines::of_owner(read), None, gives_way);
        loop {
            if leaving.is_some() && session.is_idle() {
                break;
            }
            tokio::select! {
                () = &mut gives_way, if leaving.is_none() => leaving = Some(Box::pin(sleep(DRAIN_WAIT))),
                () = async { if let Some(end) = &mut leaving { end.await } }, if leaving.is_some() => break,
                line = client.recv(), if leaving.is_none() => {
                    let Some(line) = line else {
                        // The client is done; what it still waits for is delivered before we end. The owner's own end
                        // is not waited for: a local socket cannot be closed by halves everywhere.
                        let _ = to_owner.shutdown().await;
                        let mut late = pin!(sleep(FAREWELL_WAIT));
                        while !session.is_idle() {
                            tokio::select! {
                                line = answers.recv() => match line {
                                    Some(line) => deliver(&mut session, &mut write, &line).await?,
                                    None => break,
                                },
                                () = &mut late => break,
                            }
                        }
                        return Ok(());
                    };
                    let line = match line {
                        Ok(line) => line,
                        Err(refusal) => {
                            send(&mut write, &refusal).await?;
                            continue;
                        }
                    };
                    session.asked(&line);
                    if send(&mut to_owner, &line).await.is_err() {
                        break;
                    }
                }
                line = answers.recv() => match line {
                    Some(line) => deliver(&mut session, &mut write, &line).await?,
                    None => break,
                },
            }
        }
        // The owner may have gone already; then there is nothing to close.
        let _ = to_owner.shutdown().await;
        drop((answers, to_owner));
        upstream = connect().await.map_err(RelayError::Connect)?;
        let (again, failed) = session.reopen();
        for line in failed {
            send(&mut write, &line).await?;
        }
        for line in again {
            // If this owner goes too, its closed stream shows it and the loop comes round once more.
            if send(&mut upstream.write, &line).await.is_err() {
                break;
            }
        }
    }
}

pub(crate) async fn deliver(
    session: &mut Session,
    write: &mut (impl AsyncWrite + Unpin),
    line: &[u8],
) -> io::Result<()> {
    match session.answered(line) {
        true => send(write, line).await,
        false => Ok(()),
    }
}

pub(crate) async fn send(write: &mut (impl AsyncWrite + Unpin), line: &[u8]) -> io::Result<()> {
    write.write_all(line).await?;
    write.flush().await
}

/// The lines of a stream, read in a task of their own, so that waiting for one can be given up without losing a part
/// of it. Dropping it lets go of the stream.
pub(crate) struct Lines<T> {
    lines: mpsc::Receiver<T>,
    reading: JoinHandle<()>,
}

/// A client's line, or what to answer to one that is no message.
pub(crate) type Asked = Result<Vec<u8>, Vec<u8>>;

impl Lines<Asked> {
    /// Reads a client's lines. The last one may lack its end.
    fn of_client(read: impl AsyncRead + Send + Unpin + 'static) -> Lines<Asked> {
        let (sender, lines) = mpsc::channel(64);
        let reading = tokio::spawn(async move {
            let mut read = LineReader::new(read);
            while let Ok(Some(mut line)) = read.next_bytes().await {
                let asked = match Line::of(&line) {
                    Line::Nothing => continue,
                    Line::Message(_) => {
                        if !line.ends_with(b"\n") {
                            line.push(b'\n');
                        }
                        Ok(line)
                    }
                    Line::Refused(answer) => Err(format!("{answer}\n").into_bytes()),
                };
                if sender.send(asked).await.is_err() {
                    return;
                }
            }
        });
        Lines { lines, reading }
    }
}

impl Lines<Vec<u8>> {
    /// Reads an owner's lines. The last one is broken off if it lacks its end, and is dropped.
    pub(crate) fn of_owner(read: impl AsyncRead + Send + Unpin + 'static) -> Lines<Vec<u8>> {
        let (sender, lines) = mpsc::channel(64);
        let reading = tokio::spawn(async move {
            let mut read = BufReader::new(read);
            loop {
                let mut line = Vec::new();
                match read.read_until(b'\n', &mut line).await {
                    Ok(_) if line.ends_with(b"\n") => {}
                    _ => return,
                }
                if sender.send(line).await.is_err() {
                    return;
                }
            }
        });
        Lines { lines, reading }
    }
}

impl<T> Lines<T> {
    pub(crate) async fn recv(&mut self) -> Option<T> {
        self.lines.recv().await
    }
}

impl<T> Drop for Lines<T> {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::convert::Infallible;
    use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

    /// A client or an owner at the end of a duplex stream, speaking lines.
    struct End {
        read: BufReader<ReadHalf<DuplexStream>>,
        write: WriteHalf<DuplexStream>,
    }

    impl End {
        fn new(stream: DuplexStream) -> End {
            let (read, write) = tokio::io::split(stream);
            End { read: BufReader::new(read), write }
        }

        async fn say(&mut self, value: Value) {
            self.write.write_all(format!("{value}\n").as_bytes()).await.unwrap();
        }

        async fn hear(&mut self) -> Value {
            let mut line = String::new();
            self.read.read_line(&mut line).await.unwrap();
            serde_json::from_str(&line).unwrap_or_default()
        }
    }

    fn hello() -> Hello {
        Hello::new("A", engine::Writes::Review)
    }

    #[tokio::test]
    async fn a_session_goes_on_at_the_next_owner() {
        let (client, ours) = tokio::io::duplex(65_536);
        let mut client = End::new(client);
        let (sender, mut owners) = mpsc::channel(4);
        let (read, write) = tokio::io::split(ours);
        let relaying = tokio::spawn(relay(read, write, hello(), move || {
            let (theirs, owner) = tokio::io::duplex(65_536);
            sender.try_send(End::new(owner)).unwrap();
            let (read, write) = tokio::io::split(theirs);
            std::future::ready(Ok::<_, Infallible>(Upstream::new(read, write)))
        }));

        let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize"});
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
        let rename = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "rename_note_section", "arguments": {}}});
        let retry = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "rename_note_section", "arguments": {"request_id": "r"}}});
        let mut first = owners.recv().await.unwrap();
        client.say(initialize.clone()).await;
        assert_eq!(first.hear().await, initialize);
        first.say(json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await;
        assert_eq!(client.hear().await["id"], 1);
        for message in [&initialized, &list, &rename, &retry] {
            client.say(message.clone()).await;
            assert_eq!(first.hear().await, *message);
        }
        drop(first);

        let broken = client.hear().await;
        assert_eq!(broken["id"], 3);
        assert_eq!(broken["result"]["structuredContent"]["code"], "vault_busy");
        let mut second = owners.recv().await.unwrap();
        assert_eq!(second.hear().await, initialize);
        assert_eq!(second.hear().await, initialized);
        let mut again = [second.hear().await, second.hear().await];
        again.sort_by_key(|message| message["id"].as_u64());
        assert_eq!(again, [list, retry]);
        second.say(json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await;
        second.say(json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": []}})).await;
        assert_eq!(client.hear().await["id"], 2);

        client.write.shutdown().await.unwrap();
        assert_eq!(second.hear().await, Value::Null);
        second.say(json!({"jsonrpc": "2.0", "id": 4, "result": {}})).await;
        assert_eq!(client.hear().await["id"], 4);
        drop(second);
        relaying.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn an_owner_that_gives_way_answers_what_it_was_asked() {
        let (client, ours) = tokio::io::duplex(65_536);
        let mut client = End::new(client);
        let (sender, mut owners) = mpsc::channel(4);
        let (wanted, wait) = tokio::sync::oneshot::channel::<()>();
        let mut wait = Some(wait);
        let (read, write) = tokio::io::split(ours);
        tokio::spawn(relay(read, write, hello(), move || {
            let (theirs, owner) = tokio::io::duplex(65_536);
            sender.try_send(End::new(owner)).unwrap();
            let (read, write) = tokio::io::split(theirs);
            let upstream = Upstream::new(read, write);
            std::future::ready(Ok::<_, Infallible>(match wait.take() {
                Some(wait) => upstream.giving_way(async { drop(wait.await) }),
                None => upstream,
            }))
        }));
        let call = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "rename_note_section"}});
        let mut first = owners.recv().await.unwrap();
        client.say(call(1)).await;
        assert_eq!(first.hear().await, call(1));
        wanted.send(()).unwrap();
        tokio::task::yield_now().await;
        first.say(json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await;
        assert_eq!(client.hear().await["result"], json!({}));
        let mut second = owners.recv().await.unwrap();
        client.say(call(2)).await;
        assert_eq!(second.hear().await, call(2));
        assert_eq!(first.hear().await, Value::Null);
    }
}
