//! Files of large tables in an object store. `TABLETALK_S3` says where a server is that `scripts/stores/s3` has started.

use std::path::Path;
use tabletalk_core::Fault;
use tabletalk_core::seam::TableStore;
use tabletalk_remote::{Client, S3, S3Settings, memory};

/// Secrets are read from the environment only: this one holds that of the server.
const SECRET: &str = "TABLETALK_S3_SECRET";

fn settings(uri: &str) -> S3Settings {
    let client = Client {
        user: Some("tabletalk".into()),
        password_env: Some(SECRET.into()),
        retries: 1,
        timeout_s: 5,
        ..Client::default()
    };
    S3Settings { uri: Some(uri.into()), client, ..S3Settings::default() }
}

/// Settings for the server; `None` when none is named.
fn server() -> Option<S3Settings> {
    match (std::env::var("TABLETALK_S3"), std::env::var(SECRET)) {
        (Ok(uri), Ok(_)) => Some(settings(&uri)),
        _ => {
            eprintln!("not run: TABLETALK_S3 and {SECRET} are not set");
            None
        }
    }
}

/// What every store of files must do.
fn run(store: &dyn TableStore, dir: &Path) {
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(dir.join(name), bytes).unwrap();
        dir.join(name)
    };
    let names = || {
        let mut names: Vec<String> = store.files().unwrap().into_iter().map(|file| file.name).collect();
        names.sort();
        names
    };
    assert!(names().is_empty());
    assert!(!store.get("none", &dir.join("out")).unwrap());
    assert_eq!(store.size("none").unwrap(), None);
    store.remove("none").unwrap();
    let large: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    for (name, bytes) in [("a-1-0f.parquet", &large[..]), ("empty", b""), ("Größe 北京 &?#.parquet", b"odd")]
    {
        store.put(name, &write("in", bytes)).unwrap();
        store.put(name, &write("in", bytes)).unwrap();
        assert_eq!(store.size(name).unwrap(), Some(bytes.len() as u64), "{name}");
        assert!(store.get(name, &dir.join("out")).unwrap(), "{name}");
        assert_eq!(std::fs::read(dir.join("out")).unwrap(), bytes, "{name}");
    }
    assert_eq!(names(), ["Größe 北京 &?#.parquet", "a-1-0f.parquet", "empty"]);
    assert!(store.files().unwrap().iter().all(|file| file.age.as_secs() < 3600));
    store.remove("empty").unwrap();
    store.remove("empty").unwrap();
    assert_eq!(names().len(), 2);
    for i in 0..1_100 {
        store.put(&format!("many-{i}"), &write("in", b"x")).unwrap();
    }
    assert_eq!(names().len(), 1_102, "more than one page");
    for name in names() {
        store.remove(&name).unwrap();
    }
    assert!(names().is_empty());
}

#[test]
fn files_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    run(&memory::Tables::default(), dir.path());
}

#[test]
fn files_in_an_object_store() {
    let Some(settings) = server() else { return };
    let dir = tempfile::tempdir().unwrap();
    run(&S3::open(&format!("tables/test {}/of", std::process::id()), &settings).unwrap(), dir.path());
}

#[test]
fn refusals_of_an_object_store_are_explained() {
    let Some(settings) = server() else { return };
    let list = |place: &str, settings: &S3Settings| S3::open(place, settings).unwrap().files().unwrap_err();
    let error = list("no-such-bucket", &settings);
    assert!(error.fault() == Fault::Upstream && error.cure().unwrap().contains("bucket"), "{error}");
    let mut other = settings.clone();
    other.client.user = Some("stranger".into());
    let error = list("tables", &other);
    assert!(error.fault() == Fault::Upstream && error.cure().unwrap().contains("client"), "{error}");
}

#[test]
fn an_object_store_that_is_not_there_is_named() {
    let mut settings = settings("http://127.0.0.1:9");
    settings.client.password_env = Some("PATH".into());
    let store = S3::open("tables", &settings).unwrap();
    let error = store.size("a").unwrap_err();
    assert!(error.fault() == Fault::Upstream && error.message().contains("127.0.0.1"), "{error}");
}

#[test]
fn wrong_addresses_are_refused() {
    for (place, uri) in
        [("", "http://host"), ("bucket", "host:9000"), ("bucket", "ftp://host"), ("bucket", "http://")]
    {
        let mut settings = settings(uri);
        settings.client.password_env = Some("PATH".into());
        let error = S3::open(place, &settings).err().expect("refused");
        assert_eq!(error.fault(), Fault::Input, "{place} at {uri}: {error}");
    }
    let mut settings = settings("http://host");
    settings.client.password_env = Some("TABLETALK_NO_SUCH_VARIABLE".into());
    assert_eq!(S3::open("bucket", &settings).err().expect("refused").fault(), Fault::Input);
}
