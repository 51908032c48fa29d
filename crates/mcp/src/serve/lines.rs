//! A client's lines: how each is read, and what is answered to one that is no message. Every such line gets an answer,
//! because a client that asked waits for one.

use rmcp::RoleServer;
use rmcp::model::RequestId;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};
use std::fmt;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// The longest line that is read. No tool takes a text that comes near it.
const MAX_LINE: usize = 16 * 1024 * 1024;
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// One session's streams, as the protocol library takes them.
pub(crate) struct LineTransport<R, W> {
    lines: LineReader<R>,
    write: Arc<Mutex<Option<W>>>,
    /// A refusal that is being written, in a task of its own: the library may give up waiting for a message at any time,
    /// and answers must not wait for it to ask again.
    refusing: Option<JoinHandle<io::Result<()>>>,
}

impl<R: AsyncRead + Unpin, W> LineTransport<R, W> {
    pub fn new(read: R, write: W) -> LineTransport<R, W> {
        LineTransport { lines: LineReader::new(read), write: Arc::new(Mutex::new(Some(write))), refusing: None }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let write = self.write.clone();
        async move { put(&write, serde_json::to_vec(&item)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                let refused = refusing.await;
                self.refusing = None;
                refused.ok()?.ok()?;
            }
            match self.lines.next().await.ok()?? {
                Line::Message(message) => return Some(*message),
                Line::Nothing => {}
                Line::Refused(answer) => {
                    let write = self.write.clone();
                    self.refusing =
                        Some(tokio::spawn(async move { put(&write, answer.to_string().into_bytes()).await }));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        drop(self.write.lock().await.take());
        Ok(())
    }
}

async fn put(write: &Mutex<Option<impl AsyncWrite + Unpin>>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut write = write.lock().await;
    let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    write.write_all(&line).await?;
    write.flush().await
}

/// What a line turned out to be.
pub(crate) enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Blank, or a notification that means nothing here; neither is answered.
    Nothing,
    /// No message, and what to answer.
    Refused(Value),
}

impl Line {
    /// Reads one line, with or without its end.
    pub fn of(line: &[u8]) -> Line {
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return Line::Nothing;
        }
        if line.len() > MAX_LINE {
            let message = format!("the line is longer than {MAX_LINE} bytes; send less at once");
            return unreadable(Head::of(line), &message);
        }
        if let Ok(message) = serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
            return Line::Message(Box::new(message));
        }
        let head = Head::of(line);
        match serde_json::from_slice::<Value>(line) {
            Ok(_) if head.has_method && !head.has_id => Line::Nothing,
            Ok(_) => refused(INVALID_REQUEST, head.asked(), "not a JSON-RPC message of MCP"),
            Err(error) => unreadable(head, &format!("not valid JSON: {error}")),
        }
    }
}

/// A request whose id is there is answered under it: a client waits for its ids, and for nothing else.
fn unreadable(head: Head, message: &str) -> Line {
    match head.asked() {
        Some(id) => refused(INVALID_REQUEST, Some(id), message),
        None => refused(PARSE_ERROR, None, message),
    }
}

fn refused(code: i32, id: Option<RequestId>, message: &str) -> Line {
    Line::Refused(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}

/// What can be told of a message that is not whole: values are skipped without a look at what strings hold or at how
/// deep they are nested.
#[derive(Default)]
struct Head {
    id: Option<RequestId>,
    has_id: bool,
    has_method: bool,
}

impl Head {
    fn of(line: &[u8]) -> Head {
        let mut head = Head::default();
        // Where the reading stops is no matter: what came before it counts.
        let _ = serde_json::Deserializer::from_slice(line).deserialize_map(&mut head);
        head
    }

    /// The id of a request. What has no method is an answer, whose id is not the client's own.
    fn asked(self) -> Option<RequestId> {
        self.id.filter(|_| self.has_method)
    }
}

impl<'de> Visitor<'de> for &mut Head {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut id: Option<Value> = None;
        loop {
            let key = map.next_key::<String>()?;
            // Only now: a number that the end of the line cuts off looks whole until something follows it.
            if let Some(id) = id.take() {
                self.id = serde_json::from_value(id).ok();
            }
            match key.as_deref() {
                None => return Ok(()),
                Some("id") => {
                    self.has_id = true;
                    id = Some(map.next_value()?);
                }
                Some(other) => {
                    self.has_method |= other == "method";
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
    }
}

/// Reads lines. Waiting for one may be given up at any time; what was read of it is kept.
pub(crate) struct LineReader<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is still to come.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub fn new(read: R) -> LineReader<R> {
        LineReader { read: BufReader::new(read), line: Vec::new(), skipping: false }
    }

    /// Returns the next line; `None` at the end. The last one may lack its end.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        Ok(self.next_bytes().await?.map(|bytes| Line::of(&bytes)))
    }

    /// Returns the bytes of the next line. One that is too long comes as its beginning, which is no message either.
    pub async fn next_bytes(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let room = (MAX_LINE + 1).saturating_sub(self.line.len()) as u64;
            (&mut self.read).take(room).read_until(b'\n', &mut self.line).await?;
            let (is_whole, is_full) = (self.line.ends_with(b"\n"), self.line.len() > MAX_LINE);
            if !is_whole && is_full {
                let beginning = std::mem::take(&mut self.line);
                if !std::mem::replace(&mut self.skipping, true) {
                    return Ok(Some(beginning));
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            match (std::mem::take(&mut self.skipping), line.is_empty()) {
                (_, true) => return Ok(None),
                (true, false) => {}
                (false, false) => return Ok(Some(line)),
            }
        }
    }
}
