//! Anthropic's `/v1/messages`.

use super::{Draft, Request, Shape, text, unknown};
use serde_json::{Value, json};
use tabletalk_core::chat::{Finish, Message, Speaker, Tool};

/// The tool by which JSON that follows a schema is asked for.
const REPLY: &str = "reply";

/// The Anthropic shape.
pub(crate) struct Anthropic;

impl Shape for Anthropic {
    fn path(&self, _: &str) -> String {
        "/v1/messages".to_owned()
    }

    fn body(&self, request: &Request<'_>) -> Value {
        let options = request.options;
        let mut body = json!({"model": request.model, "messages": messages(request.talk),
                              "max_tokens": options.max_tokens, "stream": true});
        if !request.without.contains("temperature") {
            // Theirs ends at one.
            body["temperature"] = json!(request.temperature().min(1.0));
        }
        let system: Vec<&str> = system(request.talk).collect();
        if !system.is_empty() {
            body["system"] = json!(system.join("\n\n"));
        }
        // A text of blanks alone is refused.
        let stop: Vec<&String> = options.stop.iter().filter(|stop| !stop.trim().is_empty()).collect();
        if !stop.is_empty() {
            body["stop_sequences"] = json!(stop);
        }
        let mut tools: Vec<Value> = options.tools.iter().map(tool).collect();
        if let Some(schema) = request.schema() {
            tools.push(json!({"name": REPLY, "description": "Give the reply.", "input_schema": schema}));
            body["tool_choice"] = if options.tools.is_empty() {
                json!({"type": "tool", "name": REPLY})
            } else {
                json!({"type": "any"})
            };
        }
        if !tools.is_empty() {
            body["tools"] = json!(tools);
        }
        body
    }

    fn event(&self, event: &Value, draft: &mut Draft) -> Result<(), String> {
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        match text(event, "/type") {
            Some("message_start") => draft.used(event.pointer("/message/usage/input_tokens"), None),
            Some("content_block_start") => block(index, &event["content_block"], draft),
            Some("content_block_delta") => delta(index, &event["delta"], draft),
            Some("message_delta") => {
                draft.used(event.pointer("/usage/input_tokens"), event.pointer("/usage/output_tokens"));
                ended(text(event, "/delta/stop_reason"), draft);
            }
            Some("message_stop") => _ = draft.finish.get_or_insert_default(),
            Some(_) => {}
            None => return Err(unknown(event)),
        }
        Ok(())
    }

    fn whole(&self, answer: &Value, draft: &mut Draft) -> Result<(), String> {
        let blocks = answer.get("content").and_then(Value::as_array).ok_or_else(|| unknown(answer))?;
        for (index, content) in blocks.iter().enumerate() {
            let arguments = content.get("input").filter(|input| input.is_object());
            let index = index as u64;
            block(index, content, draft);
            if let Some(arguments) = arguments {
                delta(
                    index,
                    &json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
                    draft,
                );
            }
        }
        draft.used(answer.pointer("/usage/input_tokens"), answer.pointer("/usage/output_tokens"));
        ended(text(answer, "/stop_reason").or(Some("end_turn")), draft);
        Ok(())
    }
}

/// A block of the reply begins.
fn block(index: u64, block: &Value, draft: &mut Draft) {
    match text(block, "/type") {
        Some("text") => draft.say(text(block, "/text").unwrap_or_default()),
        Some("tool_use") if text(block, "/name") == Some(REPLY) => draft.spoken_call = Some(index),
        Some("tool_use") => draft.call(index, text(block, "/id"), text(block, "/name"), ""),
        _ => {}
    }
}

/// A block of the reply goes on. What is thought is not said.
fn delta(index: u64, delta: &Value, draft: &mut Draft) {
    match text(delta, "/type") {
        Some("text_delta") => draft.say(text(delta, "/text").unwrap_or_default()),
        Some("input_json_delta") => {
            let json = text(delta, "/partial_json").unwrap_or_default();
            if draft.spoken_call == Some(index) {
                draft.say(json)
            } else {
                draft.call(index, None, None, json)
            }
        }
        _ => {}
    }
}

fn ended(reason: Option<&str>, draft: &mut Draft) {
    match reason {
        Some("refusal") => draft.withheld = Some("refusal".to_owned()),
        Some("max_tokens" | "model_context_window_exceeded") => draft.finish = Some(Finish::Length),
        Some(_) => draft.finish = Some(Finish::Stop),
        None => {}
    }
}

fn system(talk: &[Message]) -> impl Iterator<Item = &str> {
    talk.iter().filter(|message| message.speaker == Speaker::System).map(|message| message.text.as_str())
}

/// The messages without the instructions. Neighbours of one speaker are one message, as results of tools must be.
fn messages(talk: &[Message]) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in talk.iter().filter(|message| message.speaker != Speaker::System) {
        let role = if message.speaker == Speaker::Assistant { "assistant" } else { "user" };
        let said = blocks(message);
        match messages.last_mut() {
            Some((last, blocks)) if *last == role => blocks.extend(said),
            _ => messages.push((role, said)),
        }
    }
    messages.into_iter().map(|(role, blocks)| json!({"role": role, "content": blocks})).collect()
}

fn blocks(message: &Message) -> Vec<Value> {
    if let Some(id) = &message.answers {
        return vec![json!({"type": "tool_result", "tool_use_id": id, "content": message.text})];
    }
    let mut blocks = Vec::new();
    // An empty text is refused.
    if !message.text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": message.text}));
    }
    let call = |c: &tabletalk_core::chat::Call| json!({"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments});
    blocks.extend(message.calls.iter().map(call));
    blocks
}

fn tool(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::schema::Form;
    use tabletalk_core::chat::{Call, ChatOptions};

    #[test]
    fn a_talk_is_written_in_turns() {
        let calls = ["a", "b"].map(|id| Call { id: id.into(), name: "sql".into(), arguments: json!({}) });
        let talk = [
            Message::system("be brief"),
            Message::user("how many?"),
            Message { calls: calls.into(), ..Message::assistant("") },
            Message::tool("a", "1"),
            Message::tool("b", "2"),
        ];
        let options = ChatOptions {
            schema: Some(json!({"type": "object"})),
            temperature: 1.5,
            ..ChatOptions::default()
        };
        let request = Request {
            model: "m",
            talk: &talk,
            options: &options,
            form: Form::Schema,
            without: &Default::default(),
        };
        let body = Anthropic.body(&request);
        assert_eq!((&body["system"], &body["temperature"]), (&json!("be brief"), &json!(1.0)));
        assert_eq!(body["messages"].as_array().unwrap().len(), 3);
        assert_eq!(body["messages"][1]["content"][1]["id"], "b");
        assert_eq!(
            body["messages"][2]["content"][1],
            json!({"type": "tool_result", "tool_use_id": "b", "content": "2"})
        );
        assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "reply"}));
    }

    #[test]
    fn json_comes_by_the_forced_tool_and_is_text() {
        let mut draft = Draft::default();
        for event in [
            json!({"type": "message_start", "message": {"usage": {"input_tokens": 9}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "x", "name": "reply"}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"a\":"}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": " 1}"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}}),
        ] {
            Anthropic.event(&event, &mut draft).unwrap();
        }
        let reply = draft.reply(|| 0, |_| 0).unwrap();
        assert_eq!((reply.text.as_str(), reply.calls.len(), reply.finish), ("{\"a\": 1}", 0, Finish::Stop));
        assert_eq!((reply.usage.prompt_tokens, reply.usage.completion_tokens), (9, 4));
    }

    #[test]
    fn a_whole_answer_is_read() {
        let mut draft = Draft::default();
        let answer = json!({"content": [{"type": "text", "text": "hi"},
            {"type": "tool_use", "id": "t", "name": "sql", "input": {"q": "x"}}], "stop_reason": "max_tokens"});
        Anthropic.whole(&answer, &mut draft).unwrap();
        let reply = draft.reply(|| 0, |_| 0).unwrap();
        assert_eq!((reply.text.as_str(), &reply.calls[0].arguments), ("hi", &json!({"q": "x"})));
        assert!(Anthropic.whole(&json!({"hello": 1}), &mut Draft::default()).is_err());
    }
}
