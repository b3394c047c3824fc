//! JSON from a model, whether or not it can be made to write JSON.

use super::{schema::fits, tolerant};
use serde_json::Value;
use tabletalk_core::{
    Error, Result,
    chat::{ChatOptions, Finish, Message, Reply, Usage},
    seam::Chat,
};

/// The reply to `talk` as JSON that follows `schema`.
///
/// A model that can follow a schema is made to. What another writes is read tolerantly; when that fails, it is shown what
/// was wrong and asked once more. What is cut off at the most tokens is asked for once more too, and only then closed and
/// taken as it is.
pub fn structured(
    chat: &dyn Chat,
    talk: &[Message],
    options: &ChatOptions,
    schema: &Value,
) -> Result<(Value, Usage)> {
    let options = ChatOptions { schema: Some(schema.clone()), ..options.clone() };
    let first = chat.chat(talk, &options, &mut |_| {})?;
    let mut usage = first.usage;
    let why = match whole(&first).and_then(|()| read(&first, schema)) {
        Ok(value) => return Ok((value, usage)),
        Err(why) => why,
    };
    let second = chat.chat(&repair(talk, &first.text, &why), &options, &mut |_| {})?;
    usage += second.usage;
    let value = read(&second, schema).map_err(|why| {
        Error::upstream(format!("{} gave no JSON that can be used: {why}", chat.identity()))
            .hint("use a model that follows a schema, or raise the most tokens of a reply")
    })?;
    Ok((value, usage))
}

/// Whether a reply has an end: half a query is another query.
fn whole(reply: &Reply) -> Result<(), String> {
    let is_cut = reply.finish == Finish::Length && serde_json::from_str::<Value>(reply.text.trim()).is_err();
    if is_cut { Err("it is too long and was cut off".to_owned()) } else { Ok(()) }
}

fn read(reply: &Reply, schema: &Value) -> Result<Value, String> {
    let value = tolerant::json(&reply.text).ok_or("there is no JSON in it")?;
    fits(&value, schema).map(|()| value)
}

/// The talk with what was wrong.
fn repair(talk: &[Message], said: &str, why: &str) -> Vec<Message> {
    let mut talk = talk.to_vec();
    talk.push(Message::assistant(said));
    talk.push(Message::user(format!(
        "That reply cannot be used: {why}. Give the reply again, as JSON only and without any other words."
    )));
    talk
}

#[cfg(test)]
mod tests {
    use super::super::script::Scripted;
    use super::*;
    use serde_json::json;
    use tabletalk_core::Fault;

    fn ask(chat: &Scripted) -> Result<(Value, Usage)> {
        let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
        structured(chat, &[Message::user("how many?")], &ChatOptions::default(), &schema)
    }

    #[test]
    fn what_can_be_read_is_asked_once() {
        let (value, usage) = ask(&Scripted::new(&["```json\n{'n': 3,}\n```"])).unwrap();
        assert_eq!((value, usage.calls), (json!({"n": 3}), 1));
    }

    #[test]
    fn the_model_is_shown_what_was_wrong_once() {
        let chat = Scripted::new(&[r#"{"m": 3}"#, r#"{"n": 3}"#]);
        let (value, usage) = ask(&chat).unwrap();
        assert_eq!((value, usage.calls), (json!({"n": 3}), 2));
        let heard = chat.heard.lock().unwrap();
        assert!(heard[1].last().unwrap().text.contains("has no `n`"));
        let error = ask(&Scripted::new(&["three", "I said three", "never asked"])).unwrap_err();
        assert_eq!(error.fault(), Fault::Upstream);
    }

    #[test]
    fn what_is_cut_off_is_asked_for_again_before_it_is_closed() {
        let again = Scripted::new(&["{\"n\": 1…", r#"{"n": 100}"#]);
        assert_eq!(ask(&again).unwrap().0, json!({"n": 100}));
        let always = Scripted::new(&["{\"n\": 1…", "{\"n\": 1…"]);
        assert_eq!(ask(&always).unwrap().0, json!({"n": 1}));
        let whole = Scripted::new(&[r#"{"n": 1}…"#]);
        assert_eq!(ask(&whole).unwrap().1.calls, 1);
    }
}
