//! A PostgreSQL server of Debian's package, of the tests' own.

use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tempfile::TempDir;

/// The password of the account that may only read.
pub const SECRET: &str = "tiger-77-secret";

/// A running server; it ends when nobody holds it any more.
pub struct Server {
    bin: PathBuf,
    dir: TempDir,
    port: u16,
    databases: AtomicUsize,
}

/// A database on it.
pub struct Database {
    server: Arc<Server>,
    pub name: String,
}

static RUNNING: Mutex<Weak<Server>> = Mutex::new(Weak::new());

/// The server that other tests use too; `None`, with a word why, where there is no PostgreSQL here.
fn server() -> Option<Arc<Server>> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = running.upgrade() {
        return Some(server);
    }
    let server = Arc::new(Server::start()?);
    *running = Arc::downgrade(&server);
    Some(server)
}

/// A database with what `sql` makes in it.
#[allow(clippy::print_stderr, reason = "a test that is skipped must be seen")]
pub fn database(sql: &str) -> Option<Database> {
    let Some(server) = server() else {
        eprintln!(
            "skipped, because there is no PostgreSQL server in /usr/lib/postgresql (Debian's package postgresql)"
        );
        return None;
    };
    let name = format!("shop{}", server.databases.fetch_add(1, Ordering::SeqCst));
    server.psql("postgres", &format!("CREATE DATABASE {name}"));
    server.psql(&name, sql);
    server.psql(&name, READER);
    Some(Database { server, name })
}

/// An account that may only read.
const READER: &str = "DO $$ DECLARE s text; BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN
        CREATE ROLE reader LOGIN PASSWORD 'tiger-77-secret';
    END IF;
    FOR s IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO reader', s);
        EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO reader', s);
    END LOOP;
END $$";

impl Database {
    /// Its address for the account that may do everything: what keeps it from writing is not its rights.
    pub fn address(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{}", self.server.port, self.name)
    }

    /// Its address for the account that may read, and needs a password.
    pub fn reader(&self) -> String {
        format!("postgres://reader@127.0.0.1:{}/{}", self.server.port, self.name)
    }

    /// Runs statements in it, and gives what they print.
    pub fn psql(&self, sql: &str) -> String {
        self.server.psql(&self.name, sql)
    }

    /// All that the server wrote into its log about this database: every statement that reached it.
    pub fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.server.dir.path().join("log")).unwrap();
        let mine = log.lines().filter_map(|line| line.strip_prefix(&format!("{}:", self.name)));
        mine.map(str::to_owned).collect()
    }
}

impl Server {
    fn start() -> Option<Server> {
        let bin = installed()?;
        let dir = tempfile::Builder::new().prefix("tabletalk-postgres").tempdir_in("/tmp").unwrap();
        give(dir.path());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Server { bin, dir, port, databases: AtomicUsize::new(0) };
        let data = server.dir.path().join("data");
        let mut made = server.command(
            "initdb",
            &["-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "-D"],
        );
        run(made.arg(&data), "");
        let rules = "host all reader 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n";
        std::fs::write(data.join("pg_hba.conf"), rules).unwrap();
        let options = format!(
            "-c listen_addresses=127.0.0.1 -p {port} -c unix_socket_directories= -c fsync=off -c shared_buffers=32MB \
             -c log_line_prefix=%d: -c log_statement=all -c log_parameter_max_length=0 -c log_parameter_max_length_on_error=0"
        );
        let log = server.dir.path().join("log");
        let mut started = server.command("pg_ctl", &["-w", "-t", "120", "-o", &options, "-D"]);
        run(started.arg(&data).arg("-l").arg(&log).arg("start"), "");
        Some(server)
    }

    /// A program of the package. It refuses to be the system's administrator, and is nobody instead.
    fn command(&self, program: &str, args: &[&str]) -> Command {
        let path = self.bin.join(program);
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(path);
                command
            }
            false => Command::new(path),
        };
        command.args(args).current_dir(self.dir.path()).env("HOME", self.dir.path());
        command
    }

    fn psql(&self, database: &str, sql: &str) -> String {
        let mut command = Command::new(self.bin.join("psql"));
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres"]);
        run(command.arg("-p").arg(self.port.to_string()).args(["-d", database]), sql)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.dir.path().join("data");
        let mut stop = self.command("pg_ctl", &["-m", "immediate", "-w", "stop", "-D"]);
        let _ = stop.arg(data).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

fn run(command: &mut Command, input: &str) -> String {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // What a server that was started holds open must not be waited for.
    if input.is_empty() {
        let status = piped.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{command:?}");
        return String::new();
    }
    let mut child = piped.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{}\n{input}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

/// The newest server of Debian's packages, with its client.
fn installed() -> Option<PathBuf> {
    let found = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|e| e.path().join("bin"));
    let mut found: Vec<PathBuf> =
        found.filter(|bin| ["postgres", "initdb", "psql"].iter().all(|p| bin.join(p).exists())).collect();
    found.sort();
    found.pop()
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    tempfile::tempfile().unwrap().metadata().unwrap().uid() == 0
}

fn give(dir: &Path) {
    const NOBODY: u32 = 65534;
    if is_root() {
        std::os::unix::fs::chown(dir, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}
