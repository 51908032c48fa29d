//! What went wrong in the program or in its page, kept on this computer for the person to read or to hand on.
//!
//! Nothing is sent anywhere. What is quoted in a message may come from a note, so it is left out before anything is
//! written; so are the folders of whoever built the program.

use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::fs;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Reports that are kept; the oldest give way.
const MOST: usize = 20;
/// Reports that one run of the program writes, so that a fault in every frame fills nothing.
const MOST_OF_A_RUN: u32 = 10;
/// Bytes of one report.
const LONGEST: usize = 16 * 1024;
/// Reports that nobody has looked at end so, all others in `.txt`.
const UNSEEN: &str = "unseen.txt";

static N_WRITTEN: AtomicU32 = AtomicU32::new(0);
static WRITTEN: OnceLock<Sender<()>> = OnceLock::new();

thread_local! {
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// The folder of the reports.
#[derive(Debug, Clone)]
pub struct Reports {
    folder: PathBuf,
}

/// A report as the window shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Report {
    pub path: String,
    pub text: String,
}

/// What the page tells of an error in it.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type)]
pub struct PageError {
    pub message: String,
    /// The functions that it happened in, a line each.
    pub stack: String,
}

/// Writes a report of each panic from now on, beside what is printed anyway.
pub fn keep_panics() {
    let Ok(store) = Store::of_this_account() else { return };
    Reports::of(&store).hook();
}

/// Does what may panic as a matter of course: nobody needs to hear of it. `None` if it did.
pub fn expecting_panics<T>(act: impl FnOnce() -> T) -> Option<T> {
    EXPECTED.set(true);
    let done = catch_unwind(AssertUnwindSafe(act)).ok();
    EXPECTED.set(false);
    done
}

/// Tells of each report that this process writes from now on. Heard once, by the first who asks.
pub fn heard() -> Option<Receiver<()>> {
    let (sender, receiver) = channel();
    WRITTEN.set(sender).ok().map(|()| receiver)
}

impl Reports {
    /// Finds the reports of an account.
    pub fn of(store: &Store) -> Reports {
        Reports { folder: store.reports_folder() }
    }

    /// Takes down an error of the page.
    pub fn of_page(&self, error: &PageError) {
        let stack =
            error.stack.lines().filter(|line| !line.contains(&*error.message)).map(|line| unquoted(line.trim()));
        self.write("the page", &unquoted(&error.message), stack);
    }

    /// Lists what nobody has looked at, the newest first.
    pub fn unseen(&self) -> Vec<Report> {
        let paths = self.files().into_iter().rev().filter(|path| path.to_string_lossy().ends_with(UNSEEN));
        let report =
            |path: PathBuf| Some(Report { text: fs::read_to_string(&path).ok()?, path: path.display().to_string() });
        paths.filter_map(report).collect()
    }

    /// Takes all reports as seen; they stay where they are.
    pub fn seen(&self) {
        for path in self.files() {
            if let Some(name) = path.to_string_lossy().strip_suffix(UNSEEN) {
                let _ = fs::rename(&path, format!("{name}txt"));
            }
        }
    }

    fn hook(self) {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if EXPECTED.get() {
                return;
            }
            usual(info);
            self.of_panic(info);
        }));
    }

    fn of_panic(&self, info: &PanicHookInfo<'_>) {
        let message = info.payload_as_str().unwrap_or("a panic that says nothing");
        // Whoever read our output has gone, as `head` does.
        if message.starts_with("failed printing to") {
            return;
        }
        let place = info.location().map(|at| format!("at {}:{}", shortened(at.file()), at.line()));
        let thread = std::thread::current().name().map(|name| format!("in the thread {name}"));
        let trace = std::backtrace::Backtrace::force_capture().to_string();
        // The lines between name the files of whoever built the program.
        let frames =
            trace.lines().map(str::trim).filter(|line| !line.starts_with("at ") && !line.ends_with("<unknown>"));
        self.write("the program", &unquoted(message), place.into_iter().chain(thread).chain(frames.map(str::to_owned)));
    }

    /// Writes a report, unless the same has been written and not looked at.
    fn write(&self, what: &str, message: &str, lines: impl Iterator<Item = String>) {
        let mut text = format!("Something went wrong in {what} of Vidimus.\n\n{message}\n");
        lines.for_each(|line| text.extend([line.as_str(), "\n"]));
        text.truncate(text.floor_char_boundary(LONGEST));
        if self.unseen().iter().any(|report| report.text.ends_with(&text))
            || N_WRITTEN.load(Ordering::Relaxed) >= MOST_OF_A_RUN
        {
            return;
        }
        let nth = N_WRITTEN.fetch_add(1, Ordering::Relaxed);
        let now = jiff::Timestamp::now();
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let head = format!(
            "Vidimus {}, {os} {arch}, {}\n\n",
            env!("CARGO_PKG_VERSION"),
            now.strftime("%Y-%m-%d %H:%M:%S UTC")
        );
        // The process is named, since several of one account may write at once.
        let name = format!("{}-{}-{nth}.{UNSEEN}", now.strftime("%Y%m%dT%H%M%S%3f"), std::process::id());
        if self.put(&name, &(head + &text)).is_ok()
            && let Some(written) = WRITTEN.get()
        {
            let _ = written.send(());
        }
        let files = self.files();
        files.iter().take(files.len().saturating_sub(MOST)).for_each(|path| drop(fs::remove_file(path)));
    }

    fn put(&self, name: &str, text: &str) -> std::io::Result<()> {
        crate::store::write_own(&self.folder.join(name), text.as_bytes())
    }

    /// Lists the reports, the oldest first: names begin with the time.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|one| one == "txt")).collect();
        files.sort();
        files
    }
}

/// The first line of a message, without what stands in it between quotes.
fn unquoted(message: &str) -> String {
    const QUOTES: [char; 6] = ['`', '"', '\'', '“', '”', '‘'];
    let is_quote = |at: usize, quote: &str| {
        // An apostrophe is none.
        let between = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
        quote != "'" || !(between(message[..at].chars().next_back()) && between(message[at + 1..].chars().next()))
    };
    let mut quotes = message.match_indices(QUOTES).filter(|(at, quote)| is_quote(*at, quote));
    let said = match (quotes.next(), quotes.next_back()) {
        // What is quoted may hold quotes itself, so all between the first and the last goes.
        (Some((from, _)), Some((to, last))) => format!("{}…{}", &message[..from], &message[to + last.len()..]),
        (Some((from, _)), None) => format!("{}…", &message[..from]),
        _ => message.to_owned(),
    };
    said.lines().next().unwrap_or_default().chars().take(500).collect()
}

/// A source file without the folders of whoever built the program.
fn shortened(file: &str) -> String {
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    let from = if file.starts_with(['/', '\\']) || file.contains(':') { parts.len().saturating_sub(4) } else { 0 };
    parts[from..].join("/")
}

/// Panics if `VIDIMUS_PANIC` says so, for tests.
#[cfg(debug_assertions)]
pub fn panic_if_told() {
    if let Some(text) = std::env::var_os("VIDIMUS_PANIC") {
        let _ = std::thread::Builder::new()
            .name("told-to".to_owned())
            .spawn(move || panic!("a panic on purpose over {:?}", text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn reports(root: &Path) -> Reports {
        Reports::of(&Store::at(root.join("config"), root.join("data")))
    }

    fn page_error(message: &str) -> PageError {
        PageError { message: message.to_owned(), stack: "save@tauri://localhost/assets/index.js:1:2\n".to_owned() }
    }

    #[test]
    fn what_is_quoted_stays_out() {
        for (message, kept) in [
            (
                "index out of bounds: the len is 3 but the index is 3",
                "index out of bounds: the len is 3 but the index is 3",
            ),
            (
                "end byte index 2 is not a char boundary; it is inside 'é' (bytes 1..3) of `my note`",
                "end byte index 2 is not a char boundary; it is inside …",
            ),
            ("of `my `code` note\nsecond` line", "of … line"),
            ("called on an `Err` value: Error(\"my note\", line: 1)", "called on an …, line: 1)"),
            ("a torn quote: `my note", "a torn quote: …"),
            ("JSON Parse error: Unexpected identifier \"note\"", "JSON Parse error: Unexpected identifier …"),
            ("it can't be and isn't", "it can't be and isn't"),
            ("assertion failed\n  left: note", "assertion failed"),
            ("“my note” is gone", "… is gone"),
            ("", ""),
        ] {
            assert_eq!(unquoted(message), kept);
        }
    }

    #[test]
    fn folders_of_the_builder_stay_out() {
        assert_eq!(shortened("crates/vault/src/commit.rs"), "crates/vault/src/commit.rs");
        assert_eq!(shortened("/home/ada/.cargo/registry/src/index-1/x-1.0/src/lib.rs"), "index-1/x-1.0/src/lib.rs");
        assert_eq!(shortened("C:\\Users\\ada\\x\\src\\lib.rs"), "ada/x/src/lib.rs");
    }

    // One test for all that counts what the process has written.
    #[test]
    fn reports_are_few_private_and_told_once() {
        let root = tempfile::tempdir().unwrap();
        let reports = reports(root.path());
        assert_eq!(reports.unseen(), []);
        reports.of_page(&page_error("it broke over `secret`"));
        reports.of_page(&page_error("it broke over `another`"));
        let unseen = reports.unseen();
        assert_eq!(unseen.len(), 1, "{unseen:?}");
        let text = &unseen[0].text;
        assert!(
            text.contains("in the page of Vidimus.\n\nit broke over …\nsave@tauri://localhost/assets/index.js:1:2\n"),
            "{text}"
        );
        assert!(text.starts_with(concat!("Vidimus ", env!("CARGO_PKG_VERSION"))), "{text}");
        assert!(!text.contains("secret"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(Path::new(&unseen[0].path)), mode(&reports.folder)), (0o600, 0o700));
        }
        reports.seen();
        assert_eq!((reports.unseen(), reports.files().len()), (Vec::new(), 1));

        // A panic in a thread of the program, and one that was expected.
        let before = panic::take_hook();
        reports.clone().hook();
        let spawned =
            std::thread::Builder::new().name("worker".to_owned()).spawn(|| panic!("on purpose over {:?}", "secret"));
        assert!(spawned.unwrap().join().is_err());
        assert_eq!(expecting_panics(|| panic!("as a matter of course")), None::<()>);
        panic::set_hook(before);
        let unseen: Vec<Report> = reports.unseen().into_iter().filter(|one| one.text.contains("on purpose")).collect();
        let [Report { text, .. }] = &unseen[..] else { panic!("{unseen:?}") };
        assert!(text.contains("on purpose over …\nat crates/headless/src/report.rs:"), "{text}");
        assert!(text.contains("\nin the thread worker\n") && !text.contains("secret"), "{text}");
        assert!(!reports.unseen().iter().any(|one| one.text.contains("matter of course")));

        // However often it breaks, little is written, and what others wrote before gives way at last.
        for n in 0..30 {
            fs::write(reports.folder.join(format!("20000101T0000{n:02}000-1-0.txt")), "old").unwrap();
        }
        for n in 0..2 * MOST_OF_A_RUN {
            reports.of_page(&page_error(&format!("it broke {n} times")));
        }
        assert_eq!(reports.files().len(), MOST);
        assert_eq!(N_WRITTEN.load(Ordering::Relaxed), MOST_OF_A_RUN);
        assert!(reports.files().iter().all(|path| fs::metadata(path).unwrap().len() <= LONGEST as u64 + 200));
    }
}
