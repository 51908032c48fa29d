//! Where a client waits while its vault is being opened: what does not depend on the vault is answered here and now, and
//! the rest is held until there is an owner to ask.

use super::handler::AgentServer;
use super::lines::LineTransport;
use super::relay::{Asked, Lines, PIPE_BYTES, RelayError, Upstream, deliver, send};
use super::session::Session;
use super::socket::Hello;
use serde_json::Value;
use std::io;
use std::pin::pin;
use tokio::io::{AsyncWrite, DuplexStream, WriteHalf};

/// What is answered in the same way whatever is in the vault, and whoever owns it.
const ANSWERED_HERE: [&str; 6] =
    ["initialize", "server/discover", "ping", "tools/list", "prompts/list", "resources/templates/list"];

/// Waits for an owner, and meanwhile answers what can be answered without one. Returns the owner, who has been told what
/// came before it.
///
/// # Errors
/// There is no owner, or the client's stream is gone.
pub(crate) async fn wait<E>(
    hello: &Hello,
    client: &mut Lines<Asked>,
    session: &mut Session,
    write: &mut (impl AsyncWrite + Unpin),
    connecting: impl Future<Output = Result<Upstream, E>>,
) -> Result<Upstream, RelayError<E>> {
    let mut room = Anteroom::open(hello);
    let mut connecting = pin!(connecting);
    let mut is_client_there = true;
    let mut upstream = loop {
        // Nobody leaves while an answer is under way: it would be given twice.
        let may_leave = !room.is_open || session.is_idle();
        tokio::select! {
            biased;
            connected = &mut connecting, if may_leave => break connected.map_err(RelayError::Connect)?,
            line = room.answers.recv(), if room.is_open => match line {
                Some(line) => deliver(session, write, &line).await?,
                None => room.is_open = false,
            },
            line = client.recv(), if is_client_there => match line {
                Some(Ok(line)) => room.take(session, line).await,
                Some(Err(refusal)) => send(write, &refusal).await?,
                None => is_client_there = false,
            },
        }
    };
    // An owner that goes away at once shows by its closed stream.
    let _ = room.leave(session, upstream.writer()).await;
    Ok(upstream)
}

/// A server without a vault, and what it cannot answer.
struct Anteroom {
    write: WriteHalf<DuplexStream>,
    answers: Lines<Vec<u8>>,
    is_open: bool,
    held: Vec<Vec<u8>>,
}

impl Anteroom {
    fn open(hello: &Hello) -> Anteroom {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let (read, write) = tokio::io::split(theirs);
        let server = AgentServer::not_yet(hello);
        tokio::spawn(async move {
            if let Ok(session) = rmcp::serve_server(server, LineTransport::new(read, write)).await {
                // What a client says wrongly ends the session; then the owner hears it, and answers as it does.
                let _ = session.waiting().await;
            }
        });
        let (read, write) = tokio::io::split(ours);
        Anteroom { write, answers: Lines::of_owner(read), is_open: true, held: Vec::new() }
    }

    /// Takes a client's line. Behind one that is held all are, so that they are heard in their order.
    async fn take(&mut self, session: &mut Session, line: Vec<u8>) {
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let is_for_here = ANSWERED_HERE.contains(&method) || method == "notifications/initialized";
        if !(is_for_here && self.is_open && self.held.is_empty()) {
            self.held.push(line);
            return;
        }
        session.asked(&line);
        self.is_open = send(&mut self.write, &line).await.is_ok();
    }

    /// Tells the owner how the session was opened, and what was held.
    async fn leave(self, session: &mut Session, to_owner: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        // All that was asked here may be asked twice.
        let (again, _) = session.reopen();
        for line in &again {
            send(to_owner, line).await?;
        }
        for line in &self.held {
            session.asked(line);
            send(to_owner, line).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::relay::relay;
    use engine::Writes;
    use serde_json::json;
    use std::convert::Infallible;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, ReadHalf};
    use tokio::sync::oneshot;

    struct End(BufReader<ReadHalf<DuplexStream>>, WriteHalf<DuplexStream>);

    impl End {
        fn of(stream: DuplexStream) -> End {
            let (read, write) = tokio::io::split(stream);
            End(BufReader::new(read), write)
        }

        async fn say(&mut self, value: Value) {
            self.1.write_all(format!("{value}\n").as_bytes()).await.unwrap();
        }

        async fn hear(&mut self) -> Value {
            let mut line = String::new();
            self.0.read_line(&mut line).await.unwrap();
            serde_json::from_str(&line).unwrap_or_default()
        }
    }

    fn request(id: u32, method: &str, params: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    fn initialize() -> Value {
        let who = json!({"name": "c", "version": "1"});
        request(1, "initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who}))
    }

    /// Starts a relay whose owner comes when it is told to.
    fn waiting(hello: Hello) -> (End, oneshot::Sender<DuplexStream>) {
        let (client, ours) = tokio::io::duplex(65_536);
        let (come, comes) = oneshot::channel::<DuplexStream>();
        let mut comes = Some(comes);
        tokio::spawn(async move {
            let (read, write) = tokio::io::split(ours);
            let connect = move || {
                let comes = comes.take();
                async move {
                    match comes {
                        Some(comes) => {
                            let (read, write) = tokio::io::split(comes.await.expect("the test has an owner"));
                            Ok::<_, Infallible>(Upstream::new(read, write))
                        }
                        None => std::future::pending().await,
                    }
                }
            };
            relay(read, write, hello, connect).await
        });
        (End::of(client), come)
    }

    #[tokio::test]
    async fn what_needs_no_vault_is_answered_while_it_is_opened_and_the_rest_after_that() {
        let (mut client, come) = waiting(Hello::new("A", Writes::Review));
        client.say(initialize()).await;
        let hello = client.hear().await;
        assert_eq!(hello["result"]["serverInfo"]["name"], "vidimus");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.say(initialized.clone()).await;
        client.say(request(2, "tools/list", json!({}))).await;
        let list = client.hear().await;
        assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(crate::tools().count()));
        let calls =
            [3, 4].map(|id| request(id, "tools/call", json!({"name": "list_notes", "arguments": {"limit": id}})));
        for call in &calls {
            client.say(call.clone()).await;
        }
        // It came after the calls, and the owner hears it after them.
        let again = request(5, "tools/list", json!({}));
        client.say(again.clone()).await;

        let (theirs, owner) = tokio::io::duplex(65_536);
        assert!(come.send(theirs).is_ok());
        let mut owner = End::of(owner);
        assert_eq!(owner.hear().await, initialize());
        assert_eq!(owner.hear().await, initialized);
        owner.say(json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await;
        for asked in [&calls[0], &calls[1], &again] {
            assert_eq!(owner.hear().await, *asked);
            owner.say(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"of": asked["id"]}})).await;
            let answer = client.hear().await;
            assert_eq!((&answer["id"], &answer["result"]["of"]), (&asked["id"], &asked["id"]));
        }
    }

    #[tokio::test]
    async fn only_the_tools_that_will_be_there_are_listed() {
        let some = Some(vec!["get_note".to_owned(), "edit_note".to_owned()]);
        for (writes, expected) in [(Writes::Review, vec!["edit_note", "get_note"]), (Writes::Off, vec!["get_note"])] {
            let (mut client, _come) = waiting(Hello::new("A", writes).limited_to(None, some.clone()));
            client.say(initialize()).await;
            client.hear().await;
            client.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
            client.say(request(2, "tools/list", json!({}))).await;
            let list = client.hear().await;
            let names = list["result"]["tools"].as_array().into_iter().flatten();
            let mut names: Vec<&str> = names.filter_map(|tool| tool["name"].as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, expected);
        }
    }

    #[tokio::test]
    async fn what_does_not_open_a_session_is_the_owners_to_answer() {
        let (mut client, come) = waiting(Hello::new("A", Writes::Review));
        let early = request(7, "tools/list", json!({}));
        client.say(early.clone()).await;
        let (theirs, owner) = tokio::io::duplex(65_536);
        assert!(come.send(theirs).is_ok());
        let mut owner = End::of(owner);
        let heard = owner.hear();
        let told = tokio::select! {
            heard = heard => heard,
            answer = client.hear() => answer,
        };
        // Answered here in the era without handshakes, or by the owner: once in either case.
        assert_eq!(told["id"], 7);
    }

    #[tokio::test]
    async fn a_client_that_goes_before_there_is_an_owner_ends_the_session() {
        let (mut client, come) = waiting(Hello::new("A", Writes::Review));
        let call = request(1, "tools/call", json!({"name": "list_notes"}));
        client.say(call.clone()).await;
        client.1.shutdown().await.unwrap();
        let (theirs, owner) = tokio::io::duplex(65_536);
        assert!(come.send(theirs).is_ok());
        let mut owner = End::of(owner);
        assert_eq!(owner.hear().await, call);
        owner.say(json!({"jsonrpc": "2.0", "id": 1, "result": {"late": true}})).await;
        assert_eq!(client.hear().await["result"]["late"], true);
        assert_eq!(client.hear().await, Value::Null);
    }
}
