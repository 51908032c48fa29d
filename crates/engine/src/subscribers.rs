//! Who is told of events, and what somebody who comes a little late has missed.

use crate::event::Event;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How long an event is kept for those who come late, at least while nothing newer pushes it out.
const KEPT: Duration = Duration::from_secs(10);
/// How many are kept.
const MOST: usize = 256;

#[derive(Default)]
pub(crate) struct Subscribers {
    senders: Vec<Sender<Event>>,
    recent: VecDeque<(Instant, Event)>,
}

impl Subscribers {
    /// Returns events from now on; a receiver that is dropped is forgotten.
    pub fn add(&mut self) -> Receiver<Event> {
        let (sender, receiver) = channel();
        self.senders.push(sender);
        receiver
    }

    /// Returns what changed in notes and operations since a moment, and then all events.
    pub fn add_since(&mut self, since: Instant) -> Receiver<Event> {
        let (sender, receiver) = channel();
        for (_, event) in self.recent.iter().filter(|(at, _)| *at >= since) {
            // The other end is right here.
            let _ = sender.send(event.clone());
        }
        self.senders.push(sender);
        receiver
    }

    pub fn tell(&mut self, event: &Event) {
        self.senders.retain(|sender| sender.send(event.clone()).is_ok());
        if !matches!(event, Event::NotesChanged { .. } | Event::OperationChanged { .. }) {
            return;
        }
        let now = Instant::now();
        self.recent.push_back((now, event.clone()));
        while self.recent.len() > MOST || self.recent.front().is_some_and(|(at, _)| now.duration_since(*at) > KEPT) {
            self.recent.pop_front();
        }
    }

    /// Forgets everybody: nothing will happen any more.
    pub fn clear(&mut self) {
        *self = Subscribers::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::OpState;

    fn changed(id: usize) -> Event {
        Event::OperationChanged { id: id.to_string(), state: OpState::Proposed }
    }

    fn ids(receiver: &Receiver<Event>) -> Vec<String> {
        let id = |event| match event {
            Event::OperationChanged { id, .. } => Some(id),
            _ => None,
        };
        receiver.try_iter().filter_map(id).collect()
    }

    #[test]
    fn who_comes_late_is_told_once_of_what_it_missed() {
        let mut subscribers = Subscribers::default();
        subscribers.tell(&changed(1));
        let begun = Instant::now();
        subscribers.tell(&changed(2));
        subscribers.tell(&Event::LookChanged);
        let late = subscribers.add_since(begun);
        let from_now = subscribers.add();
        subscribers.tell(&changed(3));
        assert_eq!(ids(&late), ["2", "3"]);
        assert_eq!(ids(&from_now), ["3"]);
    }

    #[test]
    fn what_is_kept_for_who_comes_late_has_a_bound() {
        let mut subscribers = Subscribers::default();
        let begun = Instant::now();
        for id in 0..MOST + 5 {
            subscribers.tell(&changed(id));
        }
        let late = ids(&subscribers.add_since(begun));
        assert_eq!((late.len(), late.first().map(String::as_str)), (MOST, Some("5")));
    }
}
