//! The head line of a callout: `[!type|meta]- Title`.

/// How a callout folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// `+`: it can be folded, and is open.
    Open,
    /// `-`: it can be folded, and is folded.
    Folded,
}

/// What the head line of a callout says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// The type as it was written, in lower case.
    pub written: String,
    /// One of the thirteen types.
    pub kind: &'static str,
    /// What stands after `|`.
    pub metadata: Option<String>,
    pub fold: Option<Fold>,
    /// How many bytes the head takes, up to the title.
    pub len: usize,
}

impl Head {
    /// The title of a callout that was given none.
    pub fn default_title(&self) -> String {
        let spaced = self.written.replace(['-', '_'], " ");
        let mut letters = spaced.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }
}

/// Reads the head of a callout at the start of a line.
pub(super) fn head(line: &str) -> Option<Head> {
    let inner = line.strip_prefix("[!")?;
    let end = inner.find([']', '\n', '\r'])?;
    let (name, rest) = inner.split_at(end);
    let mut rest = rest.strip_prefix(']')?;
    let (name, metadata) = match name.split_once('|') {
        Some((name, metadata)) => (name, Some(metadata.trim().to_owned())),
        None => (name, None),
    };
    let written = name.trim().to_lowercase();
    if written.is_empty() || written.contains(['[', '(', '<', ':']) {
        return None;
    }
    let fold = match rest.as_bytes().first() {
        Some(b'+') => Some(Fold::Open),
        Some(b'-') => Some(Fold::Folded),
        _ => None,
    };
    if fold.is_some() {
        rest = &rest[1..];
    }
    // Words right behind the bracket make it a link, a reference or nothing at all.
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    // A no-break space is a blank here.
    let title = rest.trim_start_matches(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\r'));
    Some(Head { kind: kind(&written), written, metadata, fold, len: line.len() - title.len() })
}

/// The type that a written name stands for; a name nobody knows is a note.
fn kind(name: &str) -> &'static str {
    match name {
        "abstract" | "summary" | "tldr" => "abstract",
        "info" => "info",
        "todo" => "todo",
        "tip" | "hint" | "important" => "tip",
        "success" | "check" | "done" => "success",
        "question" | "help" | "faq" => "question",
        "warning" | "caution" | "attention" => "warning",
        "failure" | "fail" | "missing" => "failure",
        "danger" | "error" => "danger",
        "bug" => "bug",
        "example" => "example",
        "quote" | "cite" => "quote",
        _ => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, kind: &str, title: &str, fold: Option<Fold>, rest: &str) {
        let head = head(line).unwrap_or_else(|| panic!("{line:?} is the head of a callout"));
        assert_eq!((head.kind, head.default_title().as_str(), head.fold, &line[head.len..]), (kind, title, fold, rest));
    }

    #[test]
    fn heads_of_callouts() {
        check("[!note]", "note", "Note", None, "");
        check("[!TLDR]- Kept short", "abstract", "Tldr", Some(Fold::Folded), "Kept short");
        check("[!faq]+", "question", "Faq", Some(Fold::Open), "");
        check("[!my-own] x", "note", "My own", None, "x");
        check("[!my-own]\u{a0}x", "note", "My own", None, "x");
        check("[!quote|wide] - said", "quote", "Quote", None, "- said");
        assert_eq!(head("[!quote|wide]").and_then(|head| head.metadata).as_deref(), Some("wide"));
        for line in [
            "[!]",
            "[! ]",
            "[note]",
            "[!note",
            "[!a\n]",
            "text",
            "[!note](n.md) x",
            "[!note][x]",
            "[!note]-[x]",
            "[!note]: x",
            "[!note]x",
            "[!note]+x",
            "[!note]--",
        ] {
            assert_eq!(head(line), None, "{line:?}");
        }
    }
}
