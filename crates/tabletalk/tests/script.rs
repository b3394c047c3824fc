//! A language model for tests: a server that goes through a script, also badly.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with one request.
#[derive(Clone)]
pub enum Do {
    /// Says this.
    Say(&'static str),
    /// Answers with this status.
    Status(u16),
    /// Sends bytes that are no answer.
    Rubbish,
    /// Ends in the middle of an answer.
    Cut,
    /// Says nothing for a long time.
    Hang,
    /// Takes so many milliseconds and says something that is different for every prompt.
    Echo(u64),
}

/// A server that goes through a script, its last line again and again.
pub struct Server {
    pub url: String,
    pub seen: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    pub fn start(script: Vec<Do>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let at = log.lock().unwrap().len().min(script.len() - 1);
                let (act, log) = (script[at].clone(), log.clone());
                std::thread::spawn(move || serve(stream, &act, &log));
            }
        });
        Server { url, seen }
    }

    pub fn prompts(&self) -> Vec<String> {
        let text =
            |v: &Value| v["messages"].as_array().unwrap().iter().map(|m| m["content"].to_string()).collect();
        self.seen.lock().unwrap().iter().map(text).collect()
    }
}

/// The models that it says it has.
const MODELS: &str = r#"{"data": [{"id": "scripted"}, {"id": "scripted-embed"}]}"#;

fn serve(mut stream: TcpStream, act: &Do, log: &Mutex<Vec<Value>>) {
    let mut first = [0; 4];
    if stream.peek(&mut first).is_ok_and(|n| n == 4) && &first == b"GET " {
        // Its lines are read before it is answered: a connection is not closed over what nobody heard.
        let _ = read(&stream);
        let length = MODELS.len();
        return send(
            &mut stream,
            &format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{MODELS}"
            ),
        );
    }
    let Some(request) = read(&stream) else { return };
    let streams = request["stream"] == json!(true);
    log.lock().unwrap().push(request);
    let echo = match act {
        Do::Echo(ms) => {
            std::thread::sleep(Duration::from_millis(*ms));
            let prompt = log.lock().unwrap().last().map(Value::to_string).unwrap_or_default();
            let words: Vec<&str> = prompt.split_whitespace().rev().skip(12).step_by(9).take(9).collect();
            format!("In short: {}.", words.join(" ").replace(['\\', '"', '`'], ""))
        }
        _ => String::new(),
    };
    let text = match act {
        Do::Echo(_) => echo.as_str(),
        Do::Say(text) => text,
        Do::Status(code) => {
            return send(
                &mut stream,
                &format!(
                    "HTTP/1.1 {code} X\r\nretry-after: 0\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno"
                ),
            );
        }
        Do::Rubbish => {
            return send(
                &mut stream,
                "HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n<html>oh?",
            );
        }
        Do::Cut => {
            return send(
                &mut stream,
                "HTTP/1.1 200 OK\r\ncontent-length: 900\r\nconnection: close\r\n\r\n{\"choices\":[{\"mess",
            );
        }
        Do::Hang => return std::thread::sleep(Duration::from_secs(120)),
    };
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10});
    let (kind, body) = match streams {
        false => ("application/json", json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}], "usage": usage}).to_string()),
        true => {
            let one = json!({"choices": [{"delta": {"content": text}, "finish_reason": null}]});
            let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage});
            ("text/event-stream", format!("data: {one}\n\ndata: {end}\n\ndata: [DONE]\n\n"))
        }
    };
    send(
        &mut stream,
        &format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        ),
    );
}

fn send(stream: &mut TcpStream, text: &str) {
    let _ = stream.write_all(text.as_bytes());
}

fn read(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if let Some(n) = line.to_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
