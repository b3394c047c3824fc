//! JSON schemas: how a model is asked to follow one, and whether it did.

use serde_json::{Map, Value};
use tabletalk_core::chat::{Message, Speaker};

/// How a server is asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// It follows the schema by itself.
    Schema,
    /// It writes JSON, and is told the schema in words.
    Json,
    /// It is told all in words.
    Text,
}

impl Form {
    /// The next form to try when a server refuses this one.
    pub(crate) fn weaker(self) -> Option<Form> {
        match self {
            Form::Schema => Some(Form::Json),
            Form::Json => Some(Form::Text),
            Form::Text => None,
        }
    }
}

/// The talk with the schema told in words, for a model that does not follow it by itself.
pub(crate) fn told(talk: &[Message], schema: &Value) -> Vec<Message> {
    let words = format!(
        "Reply with JSON only, nothing before or after it. It must follow this JSON schema:\n{schema}"
    );
    let mut talk = talk.to_vec();
    match talk.last_mut() {
        Some(last) if last.speaker == Speaker::User => last.text = format!("{}\n\n{words}", last.text),
        _ => talk.push(Message::user(words)),
    }
    talk
}

/// Whether OpenAI would follow the schema to the letter: every object names all of its properties as required and
/// allows no others.
pub(crate) fn is_strict(schema: &Value) -> bool {
    let closed = match schema.get("properties").and_then(Value::as_object) {
        Some(properties) => {
            let required = schema.get("required").and_then(Value::as_array);
            let is_required =
                |name: &String| required.is_some_and(|all| all.iter().any(|r| r.as_str() == Some(name)));
            schema.get("additionalProperties") == Some(&Value::Bool(false))
                && properties.keys().all(is_required)
        }
        None => schema.get("type").and_then(Value::as_str) != Some("object"),
    };
    closed && inner(schema).all(is_strict)
}

/// The schemas inside a schema.
fn inner(schema: &Value) -> impl Iterator<Item = &Value> {
    let named = ["properties", "$defs"].into_iter().filter_map(|key| schema.get(key)?.as_object());
    let listed = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
    let items = schema.get("items").into_iter();
    named.flat_map(Map::values).chain(listed.flatten()).chain(items)
}

/// The schema in the little that Gemini takes.
pub(crate) fn openapi(schema: &Value) -> Value {
    const KEPT: [&str; 14] = [
        "type",
        "format",
        "description",
        "nullable",
        "enum",
        "items",
        "maxItems",
        "minItems",
        "properties",
        "required",
        "anyOf",
        "minimum",
        "maximum",
        "propertyOrdering",
    ];
    let Some(schema) = schema.as_object() else { return schema.clone() };
    let kept = schema.iter().filter(|(key, _)| KEPT.contains(&key.as_str()));
    Value::Object(kept.map(|(key, value)| (key.clone(), openapi_part(key, value))).collect())
}

fn openapi_part(key: &str, value: &Value) -> Value {
    match (key, value) {
        ("properties", Value::Object(all)) => {
            Value::Object(all.iter().map(|(name, schema)| (name.clone(), openapi(schema))).collect())
        }
        ("anyOf", Value::Array(all)) => all.iter().map(openapi).collect(),
        ("items", schema) => openapi(schema),
        _ => value.clone(),
    }
}

/// Whether `value` follows `schema`, as far as types, required properties, choices and items go; else where it does not.
pub(crate) fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    fits_at("the reply", value, schema)
}

fn fits_at(at: &str, value: &Value, schema: &Value) -> Result<(), String> {
    if let Some(wanted) = schema.get("type").filter(|wanted| !is_of(value, wanted)) {
        return Err(format!("{at} is {}, not {wanted}", kind(value)));
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array).filter(|all| !all.contains(value)) {
        return Err(format!("{at} is {value}, not one of {}", Value::Array(choices.clone())));
    }
    for name in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if value.as_object().is_some_and(|object| !object.contains_key(name)) {
            return Err(format!("{at} has no `{name}`"));
        }
    }
    for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        value.get(name).map_or(Ok(()), |value| fits_at(&format!("`{name}`"), value, schema))?;
    }
    match (schema.get("items"), value.as_array()) {
        (Some(schema), Some(items)) => {
            items.iter().try_for_each(|item| fits_at(&format!("an item of {at}"), item, schema))
        }
        _ => Ok(()),
    }
}

fn is_of(value: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Array(any) => any.iter().any(|wanted| is_of(value, wanted)),
        Value::String(wanted) => match wanted.as_str() {
            "integer" => value.as_f64().is_some_and(|n| n.fract() == 0.0),
            wanted => kind(value) == wanted,
        },
        _ => true,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_follow_the_schema_is_named() {
        let schema = json!({"type": "object", "required": ["sql"], "properties": {
            "sql": {"type": "string"}, "n": {"type": ["integer", "null"]},
            "rows": {"type": "array", "items": {"enum": ["a", "b"]}}}});
        assert_eq!(fits(&json!({"sql": "x", "n": null, "rows": ["a"], "more": 1}), &schema), Ok(()));
        let why = |value| fits(&value, &schema).unwrap_err();
        assert_eq!(why(json!({})), "the reply has no `sql`");
        assert_eq!(why(json!([])), r#"the reply is array, not "object""#);
        assert!(why(json!({"sql": "x", "n": 1.5})).starts_with("`n` is number"));
        assert!(why(json!({"sql": "x", "rows": ["c"]})).contains("an item of `rows`"));
    }

    #[test]
    fn a_strict_schema_is_closed_all_the_way_down() {
        let open = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        let mut closed = open.clone();
        closed["additionalProperties"] = json!(false);
        assert!(is_strict(&closed) && !is_strict(&open));
        assert!(!is_strict(&json!({"type": "array", "items": open})));
        assert!(!is_strict(&json!({"type": "object"})));
    }

    #[test]
    fn the_schema_is_told_in_the_last_words() {
        let talk = told(&[Message::user("list them")], &json!({"type": "array"}));
        assert!(talk.len() == 1 && talk[0].text.starts_with("list them\n\nReply with JSON"));
        assert_eq!(told(&[Message::assistant("so")], &json!({})).len(), 2);
    }
}
