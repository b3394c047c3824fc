//! A tiny HTTP server that says what a test wants it to say.

use super::Endpoint;
use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    time::Duration,
};

/// One answer of the server.
#[derive(Clone)]
pub(crate) enum Say {
    /// A status, further header lines and a body.
    Answer(u16, &'static str, String),
    /// Nothing for longer than the client waits.
    Silence,
    /// The head of a stream of events and then these parts, each after a moment, until the connection is closed.
    Parts(Vec<Vec<u8>>),
    /// The same, but after the last part the connection stays open and nothing more comes.
    Hangs(Vec<Vec<u8>>),
    /// A part that is sent so many times, as fast as it is taken.
    Flood(Vec<u8>, usize),
}

/// A server on a free port; `heard` holds the requests, head and body.
pub(crate) struct Stub {
    pub(crate) endpoint: Endpoint,
    pub(crate) heard: Arc<Mutex<Vec<String>>>,
}

impl Stub {
    /// Says `answers` in order and then the last one again and again.
    pub(crate) fn new(answers: Vec<Say>) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut endpoint = Endpoint::new(format!("http://{}", listener.local_addr().unwrap()), "m");
        endpoint.timeout = Duration::from_secs(20);
        endpoint.dim = Some(2);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = heard.clone();
        std::thread::spawn(move || {
            for (at, stream) in listener.incoming().enumerate() {
                let stream = stream.unwrap();
                log.lock().unwrap().push(read(&mut BufReader::new(&stream)));
                let answer = answers.get(at).or(answers.last()).cloned().unwrap_or(Say::Silence);
                // In a thread, so that the next request is heard. A client that has gone is no failure.
                std::thread::spawn(move || drop(answer.to(stream)));
            }
        });
        Stub { endpoint, heard }
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> usize {
        self.heard.lock().unwrap().len()
    }
}

impl Say {
    fn to(self, mut stream: TcpStream) -> std::io::Result<()> {
        const STREAM: &[u8] =
            b"HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let hangs = matches!(self, Say::Silence | Say::Hangs(_));
        match self {
            Say::Answer(status, header, body) => {
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status} x\r\n{header}content-length: {length}\r\nconnection: close\r\n\r\n"
                );
                stream.write_all(format!("{head}{body}").as_bytes())?;
            }
            Say::Silence => {}
            Say::Parts(parts) | Say::Hangs(parts) => {
                stream.write_all(STREAM)?;
                for part in parts {
                    stream.write_all(&part)?;
                    stream.flush()?;
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            Say::Flood(part, times) => {
                stream.write_all(STREAM)?;
                (0..times).try_for_each(|_| stream.write_all(&part))?;
            }
        }
        if hangs {
            std::thread::sleep(Duration::from_secs(5));
        }
        Ok(())
    }
}

/// An answer that is fine.
pub(crate) fn fine(body: impl Into<String>) -> Say {
    Say::Answer(200, "content-type: application/json\r\n", body.into())
}

fn read(reader: &mut impl BufRead) -> String {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        let lower = line.to_lowercase();
        length = lower.strip_prefix("content-length:").and_then(|n| n.trim().parse().ok()).unwrap_or(length);
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    head + &String::from_utf8_lossy(&body)
}
