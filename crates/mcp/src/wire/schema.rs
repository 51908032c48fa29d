//! JSON schemas: inputs from the argument lists, outputs from the wire types.

use super::args::{Arg, Kind};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Returns the input schema of a tool.
pub(crate) fn input_schema(args: &[Arg]) -> Map<String, Value> {
    let properties: Map<String, Value> = args.iter().map(|arg| (arg.name.to_owned(), property(arg))).collect();
    let required: Vec<&str> = args.iter().filter(|arg| arg.required).map(|arg| arg.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(arg: &Arg) -> Value {
    let mut schema = match arg.kind {
        Kind::Text { .. } => json!({"type": "string"}),
        Kind::Choice(words) => json!({"type": "string", "enum": words}),
        Kind::Integer { min, max, default } => {
            let mut schema = json!({"type": "integer"});
            if min > 0 {
                schema["minimum"] = json!(min);
            }
            if max < u64::from(u32::MAX) {
                schema["maximum"] = json!(max);
            }
            if let Some(default) = default.filter(|default| *default > 0) {
                schema["default"] = json!(default);
            }
            schema
        }
        Kind::Flag { default: true } => json!({"type": "boolean", "default": true}),
        Kind::Flag { default: false } => json!({"type": "boolean"}),
        Kind::HeadingPath => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Words => json!({"type": "array", "items": {"type": "string"}}),
        // A list of types would be as good JSON Schema, but some clients take only one type at a place.
        Kind::Pairs => json!({"type": "object", "additionalProperties": {
            "anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}],
        }}),
        Kind::Object => json!({"type": "object"}),
        Kind::Edits => json!({"type": "array", "items": {
            "type": "object",
            "properties": {
                "find": {"type": "string"},
                "replace": {"type": "string"},
                "expected_count": {"type": "integer"},
            },
            "required": ["find", "replace"],
        }}),
        Kind::Hash => json!({"type": "string"}),
        Kind::RequestId => json!({"type": "string"}),
    };
    schema["description"] = json!(arg.about);
    schema
}

/// Returns the output schema of a wire type, without what no caller reads.
pub(crate) fn output_schema<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    slim(&mut schema, true);
    match schema {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Returns one schema for a tool whose answers come in several shapes: every property any of them has, and those
/// required that all of them require.
pub(crate) fn union_schema(shapes: impl IntoIterator<Item = Map<String, Value>>) -> Map<String, Value> {
    let mut shapes = shapes.into_iter().map(Value::Object);
    let first = shapes.next().unwrap_or_else(|| json!({"type": "object"}));
    match shapes.fold(first, union) {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn union(a: Value, b: Value) -> Value {
    let (mut a, b) = match (a, b) {
        (a, b) if a == b => return a,
        (Value::Object(a), Value::Object(b)) => (a, b),
        (a, _) => return a,
    };
    let types = |schema: &Map<String, Value>| match schema.get("type") {
        Some(Value::Array(names)) => names.clone(),
        Some(name) => vec![name.clone()],
        None => Vec::new(),
    };
    let mut names = types(&a);
    names.extend(types(&b).into_iter().filter(|name| !types(&a).contains(name)));
    match names.len() {
        0 => {}
        1 => drop(a.insert("type".to_owned(), names.remove(0))),
        _ => drop(a.insert("type".to_owned(), Value::Array(names))),
    }
    for (key, theirs) in b {
        match (key.as_str(), a.remove(&key)) {
            ("type", Some(kind)) => drop(a.insert(key, kind)),
            ("properties", Some(Value::Object(mut ours))) => {
                for (name, schema) in theirs.as_object().cloned().unwrap_or_default() {
                    match ours.get_mut(&name) {
                        Some(mine) => *mine = union(mine.take(), schema),
                        None => drop(ours.insert(name, schema)),
                    }
                }
                a.insert(key, Value::Object(ours));
            }
            ("items", Some(ours)) => drop(a.insert(key, union(ours, theirs))),
            ("required" | "enum", Some(Value::Array(ours))) => {
                let theirs = theirs.as_array().cloned().unwrap_or_default();
                let both: Vec<Value> = if key == "required" {
                    ours.into_iter().filter(|name| theirs.contains(name)).collect()
                } else {
                    let more: Vec<Value> = theirs.into_iter().filter(|word| !ours.contains(word)).collect();
                    ours.into_iter().chain(more).collect()
                };
                // Saying that nothing is required is saying nothing.
                if !both.is_empty() {
                    a.insert(key, Value::Array(both));
                }
            }
            (_, Some(ours)) => drop(a.insert(key, ours)),
            (_, None) => {}
        }
    }
    Value::Object(a)
}

/// Takes out what costs characters in every catalog and tells a caller little: a tool's own words say what it answers,
/// and what stands within lists and objects shows itself.
/// Fields that are left out when they do not apply are never null, so their schema does not allow it either.
fn slim(schema: &mut Value, top: bool) {
    match schema {
        Value::Object(object) => {
            for key in ["title", "description", "format", "$schema", "default"] {
                if !object.get(key).is_some_and(Value::is_object) {
                    object.remove(key);
                }
            }
            if object.get("minimum") == Some(&json!(0)) {
                object.remove("minimum");
            }
            object.remove("maximum");
            let required = object.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                for (name, property) in properties.iter_mut() {
                    slim(property, false);
                    let always = required.as_array().is_some_and(|names| names.contains(&json!(name)));
                    if !always {
                        forbid_null(property);
                    }
                }
            }
            if let (true, Some(Value::Object(properties))) = (top, object.get_mut("properties")) {
                // Counts, flags and where to go on are told by their names, which stand in `required`.
                let plain =
                    [json!("integer"), json!("boolean"), json!(["integer", "null"])].map(|kind| json!({"type": kind}));
                properties.retain(|_, schema| !plain.contains(schema));
            }
            if !top {
                object.remove("required");
                object.remove("properties");
            }
            if object.get("additionalProperties") == Some(&json!(true)) {
                object.remove("additionalProperties");
            }
            for (key, value) in object.iter_mut() {
                if key != "properties" {
                    slim(value, false);
                }
            }
            let plain = [json!({"type": "object"}), json!({"type": "string"})];
            if object.get("items").is_some_and(|items| plain.contains(items)) {
                object.remove("items");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| slim(item, false)),
        _ => {}
    }
}

fn forbid_null(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(names)) = object.get_mut("type") {
        names.retain(|name| name != "null");
        if let [only] = names.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            object.extend(only);
        }
    }
}
