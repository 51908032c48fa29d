//! Words to a terminal: results to standard output, everything else to standard error.

use std::io::{self, IsTerminal, Write};

/// Prints a result. A reader that went away (`| head`) ends the program quietly.
pub fn say(text: &str) {
    let mut out = io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// Prints a message that is no result. That standard error is closed is no reason to stop.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints what went wrong and the next step.
pub fn complain(message: &str, hint: &str) {
    note(&format!("vidimus: {message}"));
    if !hint.is_empty() {
        note(&format!("hint: {hint}"));
    }
}

/// Tells whether a person can be asked.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question that is answered with yes or no; anything but yes is no.
pub fn ask(question: &str) -> bool {
    let _ = write!(io::stderr(), "{question} [y/N] ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    matches!(io::stdin().read_line(&mut answer), Ok(n) if n > 0)
        && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Marks text for a terminal, and leaves it plain for a file, a pipe, or who set `NO_COLOR`.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// No marks at all.
    #[cfg(test)]
    pub const PLAIN: Paint = Paint { on: false };

    /// Looks at where standard output goes.
    pub fn of_stdout() -> Paint {
        Paint { on: io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty()) }
    }

    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub fn removed(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub fn added(self, text: &str) -> String {
        self.wrap("32", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Takes out of text that came from elsewhere what could steer a terminal: control characters, and the marks that
/// would have it show letters in another order than the one that is written.
pub fn plain(text: &str) -> String {
    let steers =
        |c: char| c.is_control() && c != '\t' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn shown_text_steers_no_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\rc\u{202e}dm\u{2066}e\tf"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}dm\u{fffd}e\tf");
        assert_eq!(plain("سلام 🦀 é"), "سلام 🦀 é");
    }
}
