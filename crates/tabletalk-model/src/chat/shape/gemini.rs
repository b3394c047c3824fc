//! Gemini's `:streamGenerateContent`.

use super::{Draft, Request, Shape, text, unknown};
use crate::chat::schema::{Form, openapi};
use serde_json::{Value, json};
use tabletalk_core::chat::{Finish, Message, Speaker, Tool};

/// The Gemini shape.
pub(crate) struct Gemini;

impl Shape for Gemini {
    fn path(&self, model: &str) -> String {
        format!("/models/{}:streamGenerateContent?alt=sse", model.trim_start_matches("models/"))
    }

    fn body(&self, request: &Request<'_>) -> Value {
        let mut body = json!({"contents": contents(request.talk), "generationConfig": generation(request)});
        let system: Vec<Value> =
            request.talk.iter().filter(|m| m.speaker == Speaker::System).map(part).collect();
        if !system.is_empty() {
            body["systemInstruction"] = json!({"parts": system});
        }
        if !request.options.tools.is_empty() {
            let tools: Vec<Value> = request.options.tools.iter().map(tool).collect();
            body["tools"] = json!([{"functionDeclarations": tools}]);
        }
        body
    }

    fn event(&self, event: &Value, draft: &mut Draft) -> Result<(), String> {
        let usage = event.get("usageMetadata");
        draft.used(
            usage.and_then(|usage| usage.get("promptTokenCount")),
            usage.and_then(|usage| usage.get("candidatesTokenCount")),
        );
        if let Some(reason) = text(event, "/promptFeedback/blockReason") {
            draft.withheld = Some(reason.to_owned());
        }
        let Some(candidate) = event.pointer("/candidates/0") else {
            return if usage.is_some() || draft.withheld.is_some() { Ok(()) } else { Err(unknown(event)) };
        };
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        parts.into_iter().flatten().for_each(|part| read(part, draft));
        match text(candidate, "/finishReason") {
            Some("STOP") => draft.finish = Some(Finish::Stop),
            Some("MAX_TOKENS") => draft.finish = Some(Finish::Length),
            Some(reason) => draft.withheld = Some(reason.to_owned()),
            None => {}
        }
        Ok(())
    }

    fn whole(&self, answer: &Value, draft: &mut Draft) -> Result<(), String> {
        // Without `alt=sse` the events come as a list.
        match answer.as_array() {
            Some(events) => events.iter().try_for_each(|event| self.event(event, draft)),
            None => self.event(answer, draft),
        }
    }
}

fn generation(request: &Request<'_>) -> Value {
    let options = request.options;
    let mut config = json!({"temperature": request.temperature(), "maxOutputTokens": options.max_tokens});
    if let Some(seed) = request.seed() {
        config["seed"] = json!(seed);
    }
    if !options.stop.is_empty() {
        config["stopSequences"] = json!(options.stop);
    }
    if options.schema.is_some() && request.form != Form::Text {
        config["responseMimeType"] = json!("application/json");
    }
    if let Some(schema) = request.schema() {
        config["responseSchema"] = openapi(schema);
    }
    config
}

fn read(part: &Value, draft: &mut Draft) {
    if part.get("thought").and_then(Value::as_bool) == Some(true) {
        return;
    }
    if let Some(said) = text(part, "/text") {
        draft.say(said);
    }
    if let Some(call) = part.get("functionCall") {
        let arguments = call.get("args").map(Value::to_string).unwrap_or_default();
        draft.call(draft.calls(), text(call, "/id"), text(call, "/name"), &arguments);
    }
}

/// The messages without the instructions; neighbours of one speaker are one message.
fn contents(talk: &[Message]) -> Vec<Value> {
    let mut contents: Vec<(&str, Vec<Value>)> = Vec::new();
    for (at, message) in talk.iter().enumerate().filter(|(_, message)| message.speaker != Speaker::System) {
        let role = if message.speaker == Speaker::Assistant { "model" } else { "user" };
        let said = parts(message, talk.get(..at).unwrap_or_default());
        match contents.last_mut() {
            Some((last, parts)) if *last == role => parts.extend(said),
            _ => contents.push((role, said)),
        }
    }
    contents.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect()
}

fn part(message: &Message) -> Value {
    json!({"text": message.text})
}

fn parts(message: &Message, before: &[Message]) -> Vec<Value> {
    if let Some(id) = &message.answers {
        // An answer names the tool, not the call.
        let calls = before.iter().rev().flat_map(|message| &message.calls);
        let name = calls.into_iter().find(|call| call.id == *id).map_or(id.as_str(), |call| &call.name);
        return vec![json!({"functionResponse": {"name": name, "response": {"result": message.text}}})];
    }
    let mut parts = Vec::new();
    if !message.text.is_empty() || message.calls.is_empty() {
        parts.push(part(message));
    }
    let call =
        |c: &tabletalk_core::chat::Call| json!({"functionCall": {"name": c.name, "args": c.arguments}});
    parts.extend(message.calls.iter().map(call));
    parts
}

fn tool(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "parameters": openapi(&tool.parameters)})
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::chat::{Call, ChatOptions};

    #[test]
    fn a_talk_is_written_in_turns() {
        let calls = vec![Call { id: "call_0".into(), name: "sql".into(), arguments: json!({"q": 1}) }];
        let talk = [
            Message::system("be brief"),
            Message::user("how many?"),
            Message { calls, ..Message::assistant("") },
            Message::tool("call_0", "3"),
        ];
        let schema = json!({"type": "object", "additionalProperties": false, "properties": {"n": {"type": "integer"}}});
        let options = ChatOptions { schema: Some(schema), seed: Some(u64::MAX), ..ChatOptions::default() };
        let request = Request {
            model: "m",
            talk: &talk,
            options: &options,
            form: Form::Schema,
            without: &Default::default(),
        };
        let body = Gemini.body(&request);
        assert_eq!(body["systemInstruction"]["parts"][0]["text"], "be brief");
        assert_eq!(body["contents"][1]["parts"][0]["functionCall"]["args"], json!({"q": 1}));
        assert_eq!(body["contents"][2]["parts"][0]["functionResponse"]["name"], "sql");
        assert!(body["generationConfig"]["responseSchema"].get("additionalProperties").is_none());
        assert_eq!(Gemini.path("models/x"), "/models/x:streamGenerateContent?alt=sse");
    }

    #[test]
    fn a_list_of_events_is_read() {
        let mut draft = Draft::default();
        let answer = json!([
            {"candidates": [{"content": {"parts": [{"text": "hm", "thought": true}, {"text": "a"}]}}]},
            {"candidates": [{"content": {"parts": [{"text": "b"}, {"functionCall": {"name": "f", "args": {}}}]},
                             "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3}}]);
        Gemini.whole(&answer, &mut draft).unwrap();
        let reply = draft.reply(|| 0, |_| 1).unwrap();
        assert_eq!((reply.text.as_str(), reply.calls.len(), reply.usage.prompt_tokens), ("ab", 1, 3));
        let mut kept = Draft::default();
        Gemini.event(&json!({"promptFeedback": {"blockReason": "SAFETY"}}), &mut kept).unwrap();
        assert_eq!(kept.withheld.as_deref(), Some("SAFETY"));
        assert!(Gemini.event(&json!({"hello": 1}), &mut Draft::default()).is_err());
    }
}
