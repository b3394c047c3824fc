//! What becomes of a reply when the server is at fault. No test waits for more than its own short time-outs.

use super::*;
use crate::{
    Secret,
    remote::stub::{Say, Stub, fine},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tabletalk_core::{
    Error, Fault, Result,
    chat::{ChatOptions, Finish, Message, Reply, Tool},
};

/// Far more than any of the time-outs below, for a machine that is busy.
const GUARD: Duration = Duration::from_secs(20);

fn settings(stub: &Stub, provider: ChatProvider) -> ChatSettings {
    ChatSettings {
        url: Some(stub.endpoint.url.clone()),
        timeout_s: 10.0,
        silence_s: 0.4,
        retries: 2,
        ..ChatSettings::new(provider, "m")
    }
}

/// What was streamed and what came of it.
fn ask(settings: &ChatSettings, options: &ChatOptions) -> (String, Result<Reply>) {
    let begun = Instant::now();
    let chat = chat(settings).unwrap();
    let mut heard = String::new();
    let reply = chat.chat(&[Message::user("how many?")], options, &mut |text| heard.push_str(text));
    assert!(begun.elapsed() < GUARD);
    (heard, reply)
}

fn openai(stub: &Stub) -> (String, Result<Reply>) {
    ask(&settings(stub, ChatProvider::OpenAi), &ChatOptions::default())
}

fn failure(says: Vec<Say>) -> (Error, usize) {
    let stub = Stub::new(says);
    let error = openai(&stub).1.unwrap_err();
    (error, stub.requests())
}

fn event(value: Value) -> Vec<u8> {
    format!("data: {value}\n\n").into_bytes()
}

fn word(text: &str) -> Vec<u8> {
    event(json!({"choices": [{"delta": {"content": text}}]}))
}

fn last() -> Vec<u8> {
    event(json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}))
}

fn done() -> Vec<u8> {
    b"data: [DONE]\n\n".to_vec()
}

fn whole(text: &str) -> String {
    json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).to_string()
}

#[test]
fn a_reply_is_streamed_and_counted_by_the_server() {
    let usage = event(json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 2}}));
    let stub = Stub::new(vec![Say::Parts(vec![word("for"), word("ty"), last(), usage, done()])]);
    let (heard, reply) = openai(&stub);
    let reply = reply.unwrap();
    assert_eq!((heard.as_str(), reply.text.as_str(), reply.finish), ("forty", "forty", Finish::Stop));
    assert_eq!((reply.usage.calls, reply.usage.prompt_tokens, reply.usage.completion_tokens), (1, 11, 2));
    assert!(stub.heard.lock().unwrap()[0].starts_with("POST /chat/completions "));
}

#[test]
fn usage_that_is_missing_is_counted() {
    let (_, reply) = openai(&Stub::new(vec![Say::Parts(vec![word("forty two"), last()])]));
    let usage = reply.unwrap().usage;
    assert!(usage.prompt_tokens > 2 && usage.completion_tokens >= 2, "{usage:?}");
}

#[test]
fn a_sign_may_come_in_two_parts() {
    let bytes = word("价格é");
    let parts = bytes.iter().map(|byte| vec![*byte]).collect::<Vec<_>>();
    let (heard, reply) = openai(&Stub::new(vec![Say::Parts([parts, vec![last(), done()]].concat())]));
    assert_eq!((heard, reply.unwrap().text), ("价格é".to_owned(), "价格é".to_owned()));
}

#[test]
fn a_server_that_does_not_stream_is_understood_whatever_type_it_names() {
    let html = Say::Answer(200, "content-type: text/html\r\n", whole("forty"));
    for say in [fine(whole("forty")), html] {
        let (heard, reply) = openai(&Stub::new(vec![say]));
        assert_eq!((heard.as_str(), reply.unwrap().text.as_str()), ("forty", "forty"));
    }
    let events = String::from_utf8([word("forty"), done()].concat()).unwrap();
    let plain = Say::Answer(
        200,
        "content-type: text/plain\r\n",
        events.replace("\"content\"", "\"finish_reason\": \"stop\", \"content\""),
    );
    assert!(openai(&Stub::new(vec![plain])).1.is_err(), "a stream without an end is not whole");
}

#[test]
fn a_stream_that_breaks_off_is_asked_again_and_nothing_is_said_twice() {
    let broken = Say::Parts(vec![word("for")]);
    let stub = Stub::new(vec![broken, Say::Parts(vec![word("f"), word("orty"), last(), done()])]);
    let (heard, reply) = openai(&stub);
    assert_eq!((heard.as_str(), reply.unwrap().text.as_str(), stub.requests()), ("forty", "forty", 2));
    let other = Say::Parts(vec![word("fifty"), last(), done()]);
    let (heard, reply) = openai(&Stub::new(vec![Say::Parts(vec![word("forty")]), other]));
    assert_eq!((heard.as_str(), reply.unwrap().text.as_str()), ("forty", "fifty"));
}

#[test]
fn a_stream_that_always_breaks_off_is_an_error() {
    let (error, requests) = failure(vec![Say::Parts(vec![word("for")])]);
    assert_eq!((error.fault(), requests), (Fault::Upstream, 3));
    assert!(error.message().contains("broke off in the middle of a reply"), "{error}");
}

#[test]
fn silence_is_waited_for_no_longer_than_told() {
    for say in [Say::Silence, Say::Hangs(vec![]), Say::Hangs(vec![word("for")])] {
        let stub = Stub::new(vec![say]);
        let settings = ChatSettings { retries: 1, ..settings(&stub, ChatProvider::OpenAi) };
        let error = ask(&settings, &ChatOptions::default()).1.unwrap_err();
        assert_eq!((error.fault(), stub.requests()), (Fault::Upstream, 2));
        assert!(error.message().contains("said nothing for 0.4 s"), "{error}");
        assert!(error.cure().is_some_and(|cure| cure.contains("silence_s")));
    }
}

#[test]
fn all_tries_together_take_no_longer_than_told() {
    let stub = Stub::new(vec![Say::Hangs(vec![word("for")])]);
    let settings = ChatSettings {
        timeout_s: 0.5,
        silence_s: 60.0,
        retries: 100,
        ..settings(&stub, ChatProvider::OpenAi)
    };
    let error = ask(&settings, &ChatOptions::default()).1.unwrap_err();
    assert!(error.message().contains("did not answer in 0.5 s"), "{error}");
    let busy = Stub::new(vec![Say::Answer(429, "retry-after: 3600\r\n", "wait".into())]);
    let error = openai(&busy).1.unwrap_err();
    assert!(error.message().contains("answered 429") && busy.requests() == 1, "{error}");
}

#[test]
fn a_queue_before_the_server_is_left_in_time() {
    let stub = Stub::new(vec![Say::Hangs(vec![word("for")])]);
    let settings = ChatSettings {
        timeout_s: 0.5,
        silence_s: 60.0,
        retries: 0,
        requests_at_once: 1,
        ..settings(&stub, ChatProvider::OpenAi)
    };
    let chat = chat(&settings).unwrap();
    let begun = Instant::now();
    let say = || chat.chat(&[Message::user("q")], &ChatOptions::default(), &mut |_| {}).unwrap_err();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(say)).collect();
        threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap().fault(), Fault::Upstream));
    });
    assert!(begun.elapsed() < GUARD);
}

#[test]
fn failures_that_pass_are_waited_out() {
    let busy = Say::Answer(429, "retry-after: 0\r\n", "slow down".into());
    let stub = Stub::new(vec![busy, Say::Answer(500, "", "oops".into()), fine(whole("forty"))]);
    assert_eq!(openai(&stub).1.unwrap().text, "forty");
    let overloaded = Say::Parts(vec![event(json!({"error": {"message": "overloaded", "code": 503}}))]);
    let stub = Stub::new(vec![overloaded, fine(whole("forty"))]);
    assert_eq!(openai(&stub).1.unwrap().text, "forty");
}

#[test]
fn failures_that_last_are_told_at_once() {
    let (error, requests) = failure(vec![Say::Answer(401, "", "bad key".into())]);
    assert!(error.message().contains("answered 401: bad key") && requests == 1, "{error}");
    let (error, requests) =
        failure(vec![Say::Answer(400, "", "this model's maximum context length is 9".into())]);
    assert_eq!((error.fault(), requests), (Fault::Limit, 1));
    for (status, cure) in [(404, "model"), (403, "api_key")] {
        let (error, _) = failure(vec![Say::Answer(status, "", "no".into())]);
        assert!(error.cure().is_some_and(|text| text.contains(cure)), "{error}");
    }
    let kept = event(json!({"choices": [{"delta": {}, "finish_reason": "content_filter"}]}));
    assert!(
        failure(vec![Say::Parts(vec![kept])]).0.message().contains("keeps the reply back: content_filter")
    );
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let settings = ChatSettings {
        url: Some("http://127.0.0.1:1".into()),
        retries: 0,
        ..ChatSettings::new(ChatProvider::OpenAi, "m")
    };
    let error = ask(&settings, &ChatOptions::default()).1.unwrap_err();
    assert!(error.fault() == Fault::Upstream && error.message().contains("127.0.0.1:1"), "{error}");
}

#[test]
fn rubbish_is_named() {
    for body in [
        "<html><body>welcome</body></html>",
        "{\"hello\": 1}",
        "[1, 2]",
        "{\"choices\": 7}",
        "data: {choices}\n\n",
        "{\"choices\" = 7}",
    ] {
        let (error, requests) = failure(vec![fine(body)]);
        assert_eq!((error.fault(), requests), (Fault::Upstream, 1), "{body}");
        assert!(error.message().contains("another shape"), "{body}: {error}");
    }
    for body in ["", "{\"choi", "data: {\"cho"] {
        let (error, requests) = failure(vec![fine(body)]);
        assert!(error.message().contains("broke off") && requests == 3, "{error}");
    }
}

#[test]
fn a_reply_that_never_ends_is_cut_off() {
    let endless = [Say::Flood(word(&"x".repeat(1000)), 300_000), Say::Flood(vec![b'x'; 1 << 20], 300)];
    let line = Say::Flood([&b"data: "[..], &vec![b'x'; 1 << 20]].concat(), 300);
    for say in endless.into_iter().chain([line]) {
        let (error, requests) = failure(vec![say]);
        assert_eq!((error.fault(), requests), (Fault::Upstream, 1));
        assert!(error.message().contains("more than 64 MB"), "{error}");
    }
}

#[test]
fn keys_are_in_no_error() {
    for say in [
        Say::Answer(401, "", "bad key sk-123456 or tok-98765".into()),
        fine("<p>sk-123456 tok-98765</p>"),
        Say::Parts(vec![event(json!({"error": {"message": "sk-123456 tok-98765", "code": 400}}))]),
    ] {
        let stub = Stub::new(vec![say]);
        let url = stub.endpoint.url.replace("http://", "http://user:sk-pass@") + "?token=sk-query";
        let settings = ChatSettings {
            url: Some(url),
            api_key: Some(Secret::new("sk-123456")),
            headers: [("x-more".to_owned(), Secret::new("tok-98765"))].into(),
            ..settings(&stub, ChatProvider::OpenAi)
        };
        let error = ask(&settings, &ChatOptions::default()).1.unwrap_err().to_string();
        for key in ["sk-123456", "tok-98765", "sk-pass", "sk-query"] {
            assert!(!error.contains(key), "{error}");
        }
        let chat = chat(&settings).unwrap();
        assert!(!chat.identity().contains("sk-"), "{}", chat.identity());
        let heard = stub.heard.lock().unwrap()[0].clone();
        assert!(heard.contains("Bearer sk-123456") && heard.contains("x-more: tok-98765"));
        assert!(heard.starts_with("POST /chat/completions?token=sk-query "), "{heard}");
    }
}

#[test]
fn a_server_that_takes_no_schema_is_asked_in_words_and_remembered() {
    let refuses = || Say::Answer(400, "", "no such thing".into());
    let stub = Stub::new(vec![refuses(), refuses(), fine(whole("{}"))]);
    let chat = chat(&settings(&stub, ChatProvider::OpenAi)).unwrap();
    let options =
        ChatOptions { schema: Some(json!({"type": "object", "title": "wanted"})), ..ChatOptions::default() };
    for _ in 0..2 {
        assert_eq!(chat.chat(&[Message::user("q")], &options, &mut |_| {}).unwrap().text, "{}");
    }
    let heard = stub.heard.lock().unwrap();
    assert_eq!(heard.len(), 4);
    let formats = ["json_schema", "json_object", "Reply with JSON only", "Reply with JSON only"];
    assert!(heard.iter().zip(formats).all(|(request, format)| request.contains(format)));
    assert!(!heard[3].contains("response_format"));
}

#[test]
fn a_schema_that_was_insisted_on_is_not_given_up() {
    let stub = Stub::new(vec![Say::Answer(400, "", "no schemas here".into())]);
    let settings = ChatSettings { structured: Structured::Schema, ..settings(&stub, ChatProvider::OpenAi) };
    let options = ChatOptions { schema: Some(json!({})), ..ChatOptions::default() };
    assert!(ask(&settings, &options).1.unwrap_err().message().contains("no schemas here"));
    assert_eq!(stub.requests(), 1);
}

#[test]
fn parameters_that_a_server_names_are_left_out() {
    let stub = Stub::new(vec![
        Say::Answer(400, "", "use max_completion_tokens, not 'max_tokens'".into()),
        Say::Answer(422, "", "unsupported: temperature".into()),
        fine(whole("forty")),
    ]);
    assert_eq!(openai(&stub).1.unwrap().text, "forty");
    let heard = stub.heard.lock().unwrap();
    assert!(heard[2].contains("max_completion_tokens") && !heard[2].contains("temperature"));
}

#[test]
fn tools_are_called_side_by_side() {
    let part = |index: u64, id: &str, name: &str, arguments: &str| {
        let call = json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
        event(json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
    };
    let parts = vec![
        part(0, "a", "sql", ""),
        part(0, "", "", r#"{"q": "#),
        part(1, "b", "schema", "{}"),
        part(0, "", "", "1}"),
        event(json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})),
        done(),
    ];
    let stub = Stub::new(vec![Say::Parts(parts)]);
    let tool =
        Tool { name: "sql".into(), description: "runs SQL".into(), parameters: json!({"type": "object"}) };
    let reply = ask(
        &settings(&stub, ChatProvider::OpenAi),
        &ChatOptions { tools: vec![tool], ..ChatOptions::default() },
    )
    .1
    .unwrap();
    assert_eq!((reply.finish, reply.calls.len()), (Finish::Calls, 2));
    assert_eq!((&*reply.calls[0].id, &reply.calls[0].arguments), ("a", &json!({"q": 1})));
}

#[test]
fn anthropic_and_gemini_are_streamed() {
    let parts = vec![
        event(json!({"type": "message_start", "message": {"usage": {"input_tokens": 9}}})),
        event(
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "forty"}}),
        ),
        event(
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}),
        ),
        event(json!({"type": "message_stop"})),
    ];
    let stub = Stub::new(vec![Say::Parts(parts)]);
    let (heard, reply) = ask(&settings(&stub, ChatProvider::Anthropic), &ChatOptions::default());
    assert_eq!((heard.as_str(), reply.unwrap().usage.prompt_tokens), ("forty", 9));
    let request = stub.heard.lock().unwrap()[0].to_lowercase();
    assert!(request.starts_with("post /v1/messages ") && request.contains("anthropic-version: 2023-06-01"));

    let part = json!({"candidates": [{"content": {"parts": [{"text": "forty"}]}, "finishReason": "STOP"}]});
    let stub = Stub::new(vec![Say::Parts(vec![event(part)])]);
    let (heard, reply) = ask(&settings(&stub, ChatProvider::Gemini), &ChatOptions::default());
    assert_eq!((heard.as_str(), reply.unwrap().text.as_str()), ("forty", "forty"));
    assert!(stub.heard.lock().unwrap()[0].starts_with("POST /models/m:streamGenerateContent?alt=sse "));

    let overloaded =
        event(json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}));
    let stub = Stub::new(vec![Say::Parts(vec![overloaded])]);
    let error = ask(&settings(&stub, ChatProvider::Anthropic), &ChatOptions::default()).1.unwrap_err();
    assert!(error.message().contains("busy") && stub.requests() == 3, "{error}");
}
