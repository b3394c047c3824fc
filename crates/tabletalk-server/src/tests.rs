//! What callers can do to each other, tried over the routes of a server with two libraries.

use crate::app::App;
use crate::key::Role;
use crate::shelf::Shelf;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tabletalk_library::Config;
use tower::ServiceExt;

struct World {
    _dir: tempfile::TempDir,
    app: Arc<App>,
    routes: Router,
}

fn world(change: impl FnOnce(&mut Config)) -> World {
    let dir = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    change(&mut config);
    let shelf = |name: &str| Arc::new(Shelf::open(name, dir.path().join(name), &config).unwrap());
    let shelves = vec![shelf("mine"), shelf("theirs")];
    let app = Arc::new(App::new(config, shelves, true).unwrap());
    let routes = crate::serve::routes(&app);
    World { _dir: dir, app, routes }
}

impl World {
    fn key(&self, name: &str, role: Role, libraries: &[&str]) -> String {
        let libraries: Vec<String> = libraries.iter().map(|l| (*l).to_owned()).collect();
        self.app.keys.add(name, role, &libraries).unwrap()
    }

    async fn send(&self, method: &str, path: &str, key: &str, body: &str) -> Response {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "localhost")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {key}"));
        self.routes.clone().oneshot(request.body(Body::from(body.to_owned())).unwrap()).await.unwrap()
    }

    async fn text(&self, method: &str, path: &str, key: &str, body: &str) -> (StatusCode, String) {
        let response = self.send(method, path, key, body).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        (status, String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[tokio::test]
async fn a_backup_is_put_back_only_with_a_key_for_everything() {
    let world = world(|_| {});
    let all = world.key("all", Role::Admin, &[]);
    let some = world.key("some", Role::Admin, &["mine"]);
    let (status, text) = world.text("POST", "/api/v1/restore?library=mine", &some, "x").await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{text}");
    let (status, text) = world.text("POST", "/api/v1/restore?library=mine", &all, "x").await;
    assert!(status == StatusCode::BAD_REQUEST && text.contains("not a backup"), "{status} {text}");
}

#[tokio::test]
async fn a_conversation_is_seen_by_the_key_that_began_it() {
    let world = world(|_| {});
    let (ann, bob) = (world.key("ann", Role::Write, &[]), world.key("bob", Role::Admin, &[]));
    let question = r#"{"question": "How many cities are there?", "conversation": "new", "no_model": true}"#;
    let (status, text) = world.text("POST", "/api/v1/ask", &ann, question).await;
    assert_eq!(status, StatusCode::OK, "{text}");
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    let id = answer["conversation"].as_str().unwrap().to_owned();
    assert!(!id.contains("ann"), "{id}");
    let path = format!("/api/v1/conversations/{id}");
    assert_eq!(world.text("GET", &path, &ann, "").await.0, StatusCode::OK);
    assert!(world.text("GET", "/api/v1/conversations", &ann, "").await.1.contains(&id));
    assert_eq!(world.text("GET", &path, &bob, "").await.0, StatusCode::NOT_FOUND);
    assert!(!world.text("GET", "/api/v1/conversations", &bob, "").await.1.contains(&id));
    assert_eq!(world.text("DELETE", &path, &bob, "").await.0, StatusCode::NOT_FOUND);
    let gone_on = question.replace("new", &id);
    assert_eq!(world.text("POST", "/api/v1/ask", &bob, &gone_on).await.0, StatusCode::NOT_FOUND);
    assert_eq!(world.text("POST", "/api/v1/ask", &ann, &gone_on).await.0, StatusCode::OK);
    assert_eq!(world.text("DELETE", &path, &ann, "").await.0, StatusCode::OK);
}

#[tokio::test]
async fn metrics_name_the_libraries_of_the_key_alone() {
    let world = world(|_| {});
    let (some, all) = (world.key("some", Role::Read, &["mine"]), world.key("all", Role::Read, &[]));
    // Whoever may see all asks first: what was counted for them must not stay.
    let (_, everything) = world.text("GET", "/metrics", &all, "").await;
    assert!(everything.contains("\"theirs\"") && everything.contains("\"mine\""), "{everything}");
    let (status, text) = world.text("GET", "/metrics", &some, "").await;
    assert_eq!(status, StatusCode::OK);
    assert!(text.contains("\"mine\"") && !text.contains("theirs"), "{text}");
}

#[tokio::test]
async fn settings_tell_a_reader_nothing_of_how_models_are_reached() {
    let world = world(|config| {
        let chat = serde_json::json!({
            "provider": "openai", "model": "m-1", "url": "http://10.1.2.3/v1", "api_key_env": "HIDDEN_API_KEY",
        });
        config.chat = Some(serde_json::from_value(chat).unwrap());
    });
    let (reader, admin) = (world.key("reader", Role::Read, &[]), world.key("admin", Role::Admin, &[]));
    let limited = world.key("limited", Role::Admin, &["mine"]);
    for key in [&reader, &limited] {
        let (status, text) = world.text("GET", "/api/v1/settings", key, "").await;
        assert!(status == StatusCode::OK && text.contains("strategies"), "{text}");
        assert!(!text.contains("10.1.2.3") && !text.contains("HIDDEN") && !text.contains("openai"), "{text}");
    }
    assert!(world.text("GET", "/api/v1/settings", &admin, "").await.1.contains("10.1.2.3"));
}

#[tokio::test]
async fn a_stream_is_a_request_until_its_end() {
    let world = world(|config| {
        config.server.waiting = 1;
        config.server.request_timeout_s = 1;
    });
    let key = world.key("all", Role::Admin, &[]);
    // Nobody works on it, so it stays queued and the stream open.
    let task = world.app.shelf(None).unwrap().tasks.put(crate::task::Work::Doctor { repair: false }).unwrap();
    let path = format!("/api/v1/tasks/{}/events", task.id);
    let stream = world.send("GET", &path, &key, "").await;
    assert_eq!(stream.status(), StatusCode::OK);
    assert_eq!(world.app.in_work.load(Ordering::Relaxed), 1);
    assert_eq!(world.text("GET", "/api/v1/tasks", &key, "").await.0, StatusCode::SERVICE_UNAVAILABLE);
    let begun = std::time::Instant::now();
    let read = to_bytes(stream.into_body(), 1 << 20).await.unwrap();
    assert!(String::from_utf8_lossy(&read).contains("event: task"));
    assert!(begun.elapsed() < std::time::Duration::from_secs(10), "it ends like any request");
    assert_eq!(world.app.in_work.load(Ordering::Relaxed), 0);
    assert_eq!(world.text("GET", "/api/v1/tasks", &key, "").await.0, StatusCode::OK);
}

#[tokio::test]
async fn wrong_keys_do_not_delay_right_ones() {
    let world = world(|_| {});
    let key = world.key("all", Role::Read, &[]);
    let begun = std::time::Instant::now();
    let wrong = (0..50).map(|i| world.routes.clone().oneshot(request(&format!("tt_{i}"))));
    let right = world.routes.clone().oneshot(request(&key));
    let (wrong, right) = futures::join!(futures::future::join_all(wrong), right);
    assert!(wrong.into_iter().all(|r| r.unwrap().status() == StatusCode::UNAUTHORIZED));
    assert_eq!(right.unwrap().status(), StatusCode::OK);
    assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
}

fn request(key: &str) -> Request<Body> {
    let request = Request::builder().uri("/api/v1/tasks").header(header::HOST, "localhost");
    request.header(header::AUTHORIZATION, format!("Bearer {key}")).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn one_address_leaves_room_for_others() {
    let world = world(|config| config.server.waiting = 4);
    world.key("all", Role::Read, &[]);
    let address = |last: u8| std::net::IpAddr::from([10, 0, 0, last]);
    let held: Vec<_> = (0..4).map(|_| world.app.addresses.enter(address(1), 4)).collect();
    assert_eq!(held.iter().filter(|h| h.is_ok()).count(), 3);
    assert!(world.app.addresses.enter(address(2), 4).is_ok());
    drop(held);
    assert!(world.app.addresses.enter(address(1), 4).is_ok());
}
