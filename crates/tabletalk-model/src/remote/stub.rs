//! A tiny HTTP server that says what a test wants it to say.

use super::Endpoint;
use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
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
                let mut stream = stream.unwrap();
                log.lock().unwrap().push(read(&mut BufReader::new(&stream)));
                match answers.get(at).or(answers.last()) {
                    Some(Say::Answer(status, header, body)) => {
                        let length = body.len();
                        let head = format!(
                            "HTTP/1.1 {status} x\r\n{header}content-length: {length}\r\nconnection: close\r\n\r\n"
                        );
                        let _ = stream.write_all(format!("{head}{body}").as_bytes());
                    }
                    // Held open in a thread, so that the next request is heard.
                    _ => drop(std::thread::spawn(move || {
                        std::thread::sleep(Duration::from_secs(5));
                        drop(stream);
                    })),
                }
            }
        });
        Stub { endpoint, heard }
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> usize {
        self.heard.lock().unwrap().len()
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
