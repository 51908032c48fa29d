//! The one shape in which a tool call fails.

use crate::limits::window::{cut_to_cost, json_chars};
use serde_json::{Map, Value, json};

/// A failed call: what went wrong, what to do next, and the facts that the next call needs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolError {
    pub code: Code,
    pub message: String,
    pub hint: String,
    pub details: Box<Map<String, Value>>,
    retryable: bool,
}

impl ToolError {
    /// Makes an error; `message` names the value that was wrong, `hint` the next step. Each is one line: control
    /// characters that they quote are written as escapes.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> ToolError {
        ToolError {
            code,
            message: in_one_line(message.into()),
            hint: in_one_line(hint.into()),
            details: Box::default(),
            retryable: code.is_retryable(),
        }
    }

    /// Says that following the hint cannot make this very wish succeed.
    pub fn for_good(mut self) -> ToolError {
        self.retryable = false;
        self
    }

    /// Adds a fact for the next call.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> ToolError {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a fact unless there is none.
    pub fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> ToolError {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Brings the error under a limit of characters: lists lose their ends, and say so in a field beside them, and a
    /// message or a detail that quotes too much is cut.
    pub fn within(mut self, limit: usize) -> ToolError {
        let size = |error: &ToolError| json_chars(&error.to_json());
        if size(&self) <= limit {
            return self;
        }
        self.message = cut_to_cost(&self.message, limit / 8).to_owned();
        self.hint = cut_to_cost(&self.hint, limit / 8).to_owned();
        self.details.values_mut().for_each(|value| shorten(value, limit / 4));
        while size(&self) > limit {
            let lists = self.details.iter_mut().filter_map(|(name, value)| Some((name.clone(), value.as_array_mut()?)));
            let longest = lists.filter(|(_, list)| !list.is_empty()).max_by_key(|(_, list)| json_chars(list));
            let Some((name, list)) = longest else { break };
            list.truncate(list.len() / 2);
            self.details.insert(format!("{name}_truncated"), json!(true));
        }
        self
    }

    /// Returns the object that goes out as `structuredContent` and as text.
    pub fn to_json(&self) -> Value {
        let mut out = json!({
            "code": self.code.as_str(),
            "message": self.message,
            "hint": self.hint,
            "retryable": self.retryable,
        });
        if let Some(object) = out.as_object_mut() {
            for (key, value) in self.details.iter() {
                object.entry(key).or_insert_with(|| value.clone());
            }
        }
        out
    }
}

/// Cuts the texts of a value that are too long to be anything but a quotation.
fn shorten(value: &mut Value, budget: usize) {
    match value {
        Value::String(text) => *text = cut_to_cost(text, budget).to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, budget)),
        Value::Object(entries) => entries.values_mut().for_each(|value| shorten(value, budget)),
        _ => {}
    }
}

fn in_one_line(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() {
            true => line.extend(c.escape_debug()),
            false => line.push(c),
        }
    }
    line
}

macro_rules! codes {
    ($($variant:ident = $text:literal),* $(,)?) => {
        /// What kind of failure; stable, because callers branch on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Code { $($variant),* }

        impl Code {
            /// Returns the code's name on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text),* }
            }
        }
    };
}

codes! {
    InvalidArguments = "invalid_arguments",
    NotFound = "not_found",
    AmbiguousTitle = "ambiguous_title",
    AmbiguousHeading = "ambiguous_heading",
    HeadingNotFound = "heading_not_found",
    HeadingLevel1 = "heading_level_1",
    HeadingCollision = "heading_collision",
    InvalidHeading = "invalid_heading",
    HashRequired = "hash_required",
    Conflict = "conflict",
    StaleChunk = "stale_chunk",
    StructureChanged = "structure_changed",
    PathOutsideVault = "path_outside_vault",
    PathNotAllowed = "path_not_allowed",
    NotANote = "not_a_note",
    NotUtf8 = "not_utf8",
    TooLarge = "too_large",
    WritesOff = "writes_off",
    ToolNotAllowed = "tool_not_allowed",
    Declined = "declined",
    RequestIdReused = "request_id_reused",
    VaultBusy = "vault_busy",
    Internal = "internal",
}

impl Code {
    /// Whether the same wish can succeed without a person once the hint has been followed.
    fn is_retryable(self) -> bool {
        matches!(self, Code::Conflict | Code::StaleChunk | Code::VaultBusy | Code::Internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn an_error_has_one_shape_and_details_cannot_replace_it() {
        let error = ToolError::new(Code::Conflict, "note changed since it was read: `a.md`", "read it again")
            .with("current_hash", "00ff")
            .with("code", "forged");
        expect![[r#"{"code":"conflict","message":"note changed since it was read: `a.md`","hint":"read it again","retryable":true,"current_hash":"00ff"}"#]]
            .assert_eq(&error.to_json().to_string());
    }
}
