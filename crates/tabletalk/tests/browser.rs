//! A real browser, driven over the DevTools protocol.

use crate::world::World;
use base64::Engine;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

/// How long the page may take to show something.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one open page.
pub struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    calls: u64,
}

fn program() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut places = std::env::split_paths(&paths).flat_map(|dir| names.map(|name| dir.join(name)));
    places.find(|path| path.is_file())
}

impl Browser {
    /// Opens a page of this size; `None`, and a line that says so, when there is no browser.
    #[allow(clippy::print_stderr, reason = "a test that is skipped must be seen")]
    pub fn open(world: &World, url: &str, (width, height): (u32, u32)) -> Option<Browser> {
        let Some(program) = program() else {
            eprintln!("SKIPPED: there is no browser; `apt-get install chromium` brings one");
            return None;
        };
        let mut child = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--remote-debugging-port=0", "--no-first-run", "--force-color-profile=srgb"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", world.path("browser").display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines.map_while(Result::ok).find_map(|line| {
            Some(line.strip_prefix("DevTools listening on ws://")?.split('/').next()?.to_owned())
        });
        let address = address.unwrap();
        let socket = connect(&address);
        let mut browser = Browser { child, socket, calls: 0 };
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        browser.call("Emulation.setDeviceMetricsOverride", metrics);
        browser.call("Page.enable", json!({}));
        browser.call("Page.navigate", json!({"url": url}));
        Some(browser)
    }

    /// Sends a command and waits for its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let said = self.say(method, params);
        assert!(said.get("error").is_none(), "{method}: {said}");
        said["result"].clone()
    }

    fn say(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let command = json!({"id": self.calls, "method": method, "params": params});
        self.socket.send(Message::text(command.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let said: Value = serde_json::from_str(&text).unwrap();
            if said["id"] == json!(self.calls) {
                return said;
            }
        }
    }

    /// The value of an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let said = self.ask(expression);
        assert!(said.get("error").is_none(), "{expression}: {said}");
        said["result"]["result"]["value"].clone()
    }

    fn ask(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        self.say("Runtime.evaluate", asked)
    }

    /// The same; nothing yet while the page goes to another.
    fn eval_there(&mut self, expression: &str) -> Value {
        let said = self.ask(expression);
        let is_gone = said["error"]["message"].as_str().is_some_and(|m| m.contains("navigated or closed"));
        assert!(is_gone || said.get("error").is_none(), "{expression}: {said}");
        said["result"]["result"]["value"].clone()
    }

    /// Waits until an expression is true of the page.
    pub fn until(&mut self, expression: &str) -> Value {
        let begun = Instant::now();
        loop {
            let value = self.eval_there(expression);
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return value;
            }
            if begun.elapsed() > PATIENCE {
                let text = self.eval("document.body.innerText");
                self.picture("failed");
                panic!("never true: {expression}\n{}", text.as_str().unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Clicks the first element of a selector, once it is there.
    pub fn click(&mut self, selector: &str) {
        self.until(&format!("!!document.querySelector({})", json!(selector)));
        self.eval(&format!("document.querySelector({}).click()", json!(selector)));
    }

    /// Types into whatever has the focus.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    pub fn press(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let text = if key == "Enter" && kind == "keyDown" { "\r" } else { "" };
            let event =
                json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Gives a file to an input.
    pub fn choose(&mut self, selector: &str, file: &Path) {
        self.until(&format!("!!document.querySelector({})", json!(selector)));
        let root = self.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
        let node = self.call("DOM.querySelector", json!({"nodeId": root, "selector": selector}));
        self.call("DOM.setFileInputFiles", json!({"nodeId": node["nodeId"], "files": [file]}));
    }

    /// Keeps a picture of the page among the files of the build, to be looked at.
    pub fn picture(&mut self, name: &str) {
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let bytes = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{name}.png")), bytes)
            .unwrap();
    }
}

/// Connects to the one page that is open.
fn connect(address: &str) -> WebSocket<TcpStream> {
    let begun = Instant::now();
    loop {
        let listed = ureq::get(format!("http://{address}/json/list")).call();
        let pages: Option<Value> = listed.ok().and_then(|mut l| l.body_mut().read_json().ok());
        let page = pages.iter().flat_map(|p| p.as_array().unwrap()).find(|p| p["type"] == "page");
        if let Some(url) = page.and_then(|p| p["webSocketDebuggerUrl"].as_str()) {
            let stream = TcpStream::connect(address).unwrap();
            return tungstenite::client(url, stream).unwrap().0;
        }
        assert!(begun.elapsed() < PATIENCE, "the browser has no page");
        std::thread::sleep(Duration::from_millis(50));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
