//! `/chat/completions`, as OpenAI, Ollama, vLLM, llama.cpp, DeepSeek, DashScope and many others understand it.

use super::{Draft, Request, Shape, text, unknown};
use crate::chat::schema::{Form, is_strict};
use serde_json::{Value, json};
use tabletalk_core::chat::{Call, Finish, Message, Speaker, Tool};

/// The OpenAI shape.
pub(crate) struct OpenAi;

impl Shape for OpenAi {
    fn path(&self, _: &str) -> String {
        "/chat/completions".to_owned()
    }

    fn body(&self, request: &Request<'_>) -> Value {
        let options = request.options;
        let messages: Vec<Value> = request.talk.iter().map(message).collect();
        let mut body = json!({"model": request.model, "messages": messages, "stream": true});
        let mut put = |name: &'static str, value: Value| {
            if !request.without.contains(name) {
                body[name] = value;
            }
        };
        put("stream_options", json!({"include_usage": true}));
        put("temperature", json!(request.temperature()));
        // Newer models of OpenAI take the most tokens by another name only.
        let newer = request.without.contains("max_tokens");
        put(if newer { "max_completion_tokens" } else { "max_tokens" }, json!(options.max_tokens));
        if let Some(seed) = request.seed() {
            put("seed", json!(seed));
        }
        if !options.stop.is_empty() {
            put("stop", json!(options.stop));
        }
        if !options.tools.is_empty() {
            put("tools", options.tools.iter().map(tool).collect());
        }
        if let Some(format) = format(request) {
            put("response_format", format);
        }
        body
    }

    fn event(&self, event: &Value, draft: &mut Draft) -> Result<(), String> {
        read(event, "delta", draft)
    }

    fn whole(&self, answer: &Value, draft: &mut Draft) -> Result<(), String> {
        read(answer, "message", draft)?;
        draft.finish.get_or_insert_default();
        Ok(())
    }
}

fn format(request: &Request<'_>) -> Option<Value> {
    let schema = request.options.schema.as_ref()?;
    match request.form {
        Form::Schema => Some(json!({"type": "json_schema",
            "json_schema": {"name": "reply", "schema": schema, "strict": is_strict(schema)}})),
        Form::Json => Some(json!({"type": "json_object"})),
        Form::Text => None,
    }
}

fn message(message: &Message) -> Value {
    let role = match message.speaker {
        Speaker::System => "system",
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
        Speaker::Tool => "tool",
    };
    let mut written = json!({"role": role, "content": message.text});
    if !message.calls.is_empty() {
        written["tool_calls"] = message.calls.iter().map(call).collect();
    }
    if let Some(id) = &message.answers {
        written["tool_call_id"] = json!(id);
    }
    written
}

fn call(call: &Call) -> Value {
    json!({"id": call.id, "type": "function",
           "function": {"name": call.name, "arguments": call.arguments.to_string()}})
}

fn tool(tool: &Tool) -> Value {
    json!({"type": "function",
           "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters}})
}

/// Reads an event, whose news are in `part`, or a whole answer, whose message is.
fn read(answer: &Value, part: &str, draft: &mut Draft) -> Result<(), String> {
    let usage = answer.get("usage").filter(|usage| usage.is_object());
    if let Some(usage) = usage {
        draft.used(usage.get("prompt_tokens"), usage.get("completion_tokens"));
    }
    let Some(choices) = answer.get("choices").and_then(Value::as_array) else {
        return if usage.is_some() { Ok(()) } else { Err(unknown(answer)) };
    };
    // The last event has the usage and no choice.
    let Some(choice) = choices.first() else { return Ok(()) };
    if let Some(news) = choice.get(part).filter(|news| !news.is_null()) {
        read_message(news, draft)?;
    }
    match text(choice, "/finish_reason") {
        Some("content_filter") => draft.withheld = Some("content_filter".to_owned()),
        Some("length") => draft.finish = Some(Finish::Length),
        Some(_) => draft.finish = Some(Finish::Stop),
        None => {}
    }
    Ok(())
}

fn read_message(news: &Value, draft: &mut Draft) -> Result<(), String> {
    match news.get("content") {
        Some(Value::String(text)) => draft.say(text),
        Some(Value::Array(parts)) => parts.iter().filter_map(|p| text(p, "/text")).for_each(|t| draft.say(t)),
        Some(Value::Null) | None => {}
        Some(other) => return Err(unknown(other)),
    }
    if let Some(refusal) = text(news, "/refusal") {
        draft.withheld = Some(refusal.to_owned());
    }
    for call in news.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let index = call.get("index").and_then(Value::as_u64).unwrap_or(draft.calls());
        let arguments = match call.pointer("/function/arguments") {
            Some(Value::String(written)) => written.clone(),
            Some(arguments @ Value::Object(_)) => arguments.to_string(),
            _ => String::new(),
        };
        draft.call(index, text(call, "/id"), text(call, "/function/name"), &arguments);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::chat::ChatOptions;

    fn body(options: &ChatOptions, form: Form, without: &[&'static str]) -> Value {
        let calls = vec![Call { id: "c1".into(), name: "sql".into(), arguments: json!({"q": 1}) }];
        let talk = [
            Message::system("be brief"),
            Message { calls, ..Message::assistant("") },
            Message::tool("c1", "3 rows"),
        ];
        let without = without.iter().copied().collect();
        OpenAi.body(&Request { model: "m", talk: &talk, options, form, without: &without })
    }

    #[test]
    fn a_talk_with_tools_is_written() {
        let tools = vec![Tool { name: "sql".into(), description: "runs SQL".into(), parameters: json!({}) }];
        let options =
            ChatOptions { tools, seed: Some(3), stop: vec!["\n\n".into()], ..ChatOptions::default() };
        let body = body(&options, Form::Schema, &[]);
        assert_eq!(body["messages"][1]["tool_calls"][0]["function"]["arguments"], r#"{"q":1}"#);
        assert_eq!(body["messages"][2]["tool_call_id"], "c1");
        assert_eq!(body["tools"][0]["function"]["name"], "sql");
        assert_eq!(
            (&body["seed"], &body["max_tokens"], &body["stop"][0]),
            (&json!(3), &json!(512), &json!("\n\n"))
        );
        assert!(body.get("response_format").is_none());
    }

    #[test]
    fn what_a_server_refuses_is_left_out() {
        let body =
            body(&ChatOptions::default(), Form::Schema, &["max_tokens", "temperature", "stream_options"]);
        assert_eq!(body["max_completion_tokens"], 512);
        assert!(["max_tokens", "temperature", "stream_options"].iter().all(|name| body.get(name).is_none()));
    }

    #[test]
    fn json_is_asked_for_in_the_form_that_is_left() {
        let options = ChatOptions { schema: Some(json!({"type": "object"})), ..ChatOptions::default() };
        assert_eq!(
            body(&options, Form::Schema, &[])["response_format"]["json_schema"]["schema"]["type"],
            "object"
        );
        assert_eq!(body(&options, Form::Json, &[])["response_format"], json!({"type": "json_object"}));
        assert!(body(&options, Form::Text, &[]).get("response_format").is_none());
    }

    #[test]
    fn a_whole_answer_is_read() {
        let mut draft = Draft::default();
        let answer = json!({"choices": [{"message": {"content": "hi", "tool_calls": [
            {"id": "a", "function": {"name": "x", "arguments": {"n": 1}}},
            {"id": "b", "function": {"name": "y", "arguments": "{}"}}]}, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2}});
        OpenAi.whole(&answer, &mut draft).unwrap();
        let reply = draft.reply(|| 0, |_| 0).unwrap();
        assert_eq!((reply.text.as_str(), reply.calls.len(), reply.usage.prompt_tokens), ("hi", 2, 5));
        assert!(OpenAi.whole(&json!({"hello": 1}), &mut Draft::default()).is_err());
    }
}
