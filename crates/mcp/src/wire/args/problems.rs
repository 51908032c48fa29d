//! What is wrong with the arguments of a call, in one message that names every one of them.

use super::{Arg, Kind, count_of};
use crate::wire::error::{Code, ToolError};
use crate::wire::nearest::nearest;
use serde_json::{Map, Value, json};

/// Everything that is wrong with one call's arguments.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Problem>);

#[derive(Debug)]
struct Problem {
    name: String,
    text: String,
    extra: Map<String, Value>,
}

impl Problems {
    /// Notes something wrong about an argument; `text` continues a sentence that begins with its name. What follows from a
    /// value that is wrong already is not worth another word.
    pub fn add(&mut self, name: &str, text: impl Into<String>) {
        if self.0.iter().any(|problem| problem.name == name) {
            return;
        }
        self.0.push(Problem { name: name.to_owned(), text: text.into(), extra: Map::new() });
    }

    /// Notes a value that is none of its kind.
    pub fn wrong_value(&mut self, arg: &Arg, wanted: &str, got: &Value) {
        let mut extra = Map::new();
        if let Kind::Choice(words) = arg.kind {
            extra.insert("allowed".to_owned(), json!(words));
        }
        let why = match (arg.kind, got) {
            (Kind::HeadingPath, Value::String(text)) => path_instead(text),
            (kind, got) => odd_part(arg.name, kind, got).map(|part| format!(": {part}")).unwrap_or_default(),
        };
        let text = format!("must be {wanted}, not {}{why}", shown(got));
        self.0.push(Problem { name: arg.name.to_owned(), text, extra });
    }

    /// Notes a name that the tool has no argument of.
    pub fn unknown(&mut self, name: &str, known: &[Arg]) {
        let mut extra = Map::new();
        let shown_name: String = name.chars().take(80).collect();
        let text = match same_meaning(name, known).or_else(|| nearest(name, known.iter().map(|arg| arg.name))) {
            Some(near) => {
                extra.insert("nearest".to_owned(), json!(near));
                format!("is unknown; the nearest known argument is `{near}`")
            }
            None => "is unknown".to_owned(),
        };
        extra.insert("allowed".to_owned(), json!(known.iter().map(|arg| arg.name).collect::<Vec<_>>()));
        self.0.push(Problem { name: shown_name, text, extra });
    }

    /// Ends the check: an error that lists everything, or nothing.
    pub fn into_result(self) -> Result<(), ToolError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let sentences: Vec<String> =
            self.0.iter().map(|problem| format!("`{}` {}", problem.name, problem.text)).collect();
        let message = match sentences.as_slice() {
            [only] => format!("wrong argument: {only}"),
            all => format!("{} wrong arguments: {}", all.len(), all.join("; ")),
        };
        let listed: Vec<Value> = self
            .0
            .into_iter()
            .map(|problem| {
                let mut item = Map::new();
                item.insert("name".to_owned(), json!(problem.name));
                item.insert("problem".to_owned(), json!(problem.text));
                item.extend(problem.extra);
                Value::Object(item)
            })
            .collect();
        Err(ToolError::new(
            Code::InvalidArguments,
            message,
            "nothing was done; correct every argument listed in `arguments` and call again",
        )
        .with("arguments", listed))
    }
}

/// What other tools call the same thing, as a caller who mixes them up would send it.
const SAME_MEANING: &[&[&str]] = &[
    &["id_or_path", "rel_path", "note", "target", "path", "file", "note_id", "note_path"],
    &["content", "new_content", "text", "body"],
    &["version_id", "version"],
    &["new_rel_path", "new_path", "destination", "to"],
    &["heading", "section"],
];

/// Finds the argument that has the same meaning under another name.
fn same_meaning(name: &str, known: &[Arg]) -> Option<&'static str> {
    let group = SAME_MEANING.iter().find(|group| group.contains(&name))?;
    known.iter().map(|arg| arg.name).find(|known| group.contains(known))
}

/// Says what to send instead of a string that is no path: it holds another array, or it is meant as one title.
fn path_instead(text: &str) -> String {
    match serde_json::from_str::<Vec<Value>>(text) {
        Ok(items) if items.iter().all(Value::is_string) => format!(", which holds an array of {}", items.len()),
        Ok(_) => ", which holds an array of something else".to_owned(),
        Err(_) if text.is_empty() => String::new(),
        Err(_) if text.trim_start().starts_with("[\"") => {
            "; it begins as a JSON array and is none, so send the array itself".to_owned()
        }
        Err(_) if text.chars().count() <= SHOWN => {
            format!("; for the section of that title send the array {}", json!([text]))
        }
        Err(_) => "; for the section of that title send an array with the title in it".to_owned(),
    }
}

/// Names the first part of a list or an object that is not as it must be.
fn odd_part(name: &str, kind: Kind, got: &Value) -> Option<String> {
    match (kind, got) {
        (Kind::HeadingPath | Kind::Words, Value::Array(items)) => {
            let (at, item) = items.iter().enumerate().find(|(_, item)| !item.is_string())?;
            Some(format!("{name}[{at}] is {}", shown(item)))
        }
        (Kind::Pairs, Value::Object(object)) => {
            let is_plain = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
            let (key, value) = object.iter().find(|(_, value)| !is_plain(value))?;
            Some(format!("{name}[{:?}] is {}", key.chars().take(SHOWN).collect::<String>(), shown(value)))
        }
        (Kind::Edits, Value::Array(items)) => {
            let odd = items.iter().enumerate().find_map(|(at, item)| Some((at, odd_edit(item)?)))?;
            Some(format!("{name}[{}]{}", odd.0, odd.1))
        }
        _ => None,
    }
}

fn odd_edit(item: &Value) -> Option<String> {
    const NAMES: [&str; 3] = ["find", "replace", "expected_count"];
    let Some(object) = item.as_object() else { return Some(format!(" is {}", shown(item))) };
    if let Some(unknown) = object.keys().find(|key| !NAMES.contains(&key.as_str())) {
        let near = nearest(unknown, NAMES).map(|near| format!(", the nearest known name is `{near}`"));
        let unknown: String = unknown.chars().take(SHOWN).collect();
        return Some(format!(".{unknown} is unknown{}", near.unwrap_or_default()));
    }
    let text = |name: &str| match object.get(name) {
        Some(Value::String(_)) => None,
        Some(other) => Some(format!(".{name} is {}", shown(other))),
        None => Some(format!(" has no {name}")),
    };
    text("find").or_else(|| text("replace")).or_else(|| {
        let count = object.get("expected_count").filter(|count| count_of(count).is_none())?;
        Some(format!(".expected_count is {}, not an integer from 1 up", shown(count)))
    })
}

/// How many characters of a wrong string are quoted.
const SHOWN: usize = 60;

/// Names a wrong value so that its type can be seen, cut where it gets long.
pub(crate) fn shown(value: &Value) -> String {
    let text: String = match value {
        Value::String(text) => match text.chars().count() {
            n if n > SHOWN => {
                format!("a string of {n} characters that begins {:?}", text.chars().take(SHOWN).collect::<String>())
            }
            _ => format!("the string {text:?}"),
        },
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(entries) => format!("an object of {}", entries.len()),
        other => other.to_string(),
    };
    text
}
