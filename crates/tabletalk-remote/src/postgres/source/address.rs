//! Addresses of databases, as people write them and without what nobody may see.

use std::path::PathBuf;
use tabletalk_core::seam::remote::Client;
use tabletalk_core::{Error, Result};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// What addresses begin with.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// Where PostgreSQL listens.
const PORT: u16 = 5432;

/// How a database is reached, but for the password.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    /// As it is shown and kept.
    pub(super) shown: String,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: String,
    pub(super) database: String,
    /// How certificates are checked.
    pub(super) client: Client,
}

/// Reads an address. What is wrong with it is said without repeating it: it may hold a password.
pub(super) fn read(text: &str) -> Result<Address> {
    let rest = SCHEMES.iter().find_map(|s| text.strip_prefix(s)).ok_or_else(unreadable)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let options = Options::read(query)?;
    let mut config: Config = format!("postgres://{rest}").parse().map_err(|_| unreadable())?;
    if config.get_password().is_some() {
        return Err(Error::input(
            "the address of the database holds a password, which is not taken from there",
        )
        .hint("leave it out: PGPASSWORD or a line of ~/.pgpass (mode 0600) says it"));
    }
    if let Some(socket) = &options.socket {
        config.host_path(socket);
    }
    let host = match config.get_hosts() {
        [Host::Tcp(name)] => name.clone(),
        #[cfg(unix)]
        [Host::Unix(path)] => path.display().to_string(),
        _ => return Err(Error::input("the address names no host, or several").hint(FORM)),
    };
    let port = config.get_ports().first().copied().unwrap_or(PORT);
    let user =
        config.get_user().map(str::to_owned).or_else(|| variable("PGUSER")).or_else(|| variable("USER"));
    let user = user.ok_or_else(|| Error::input("the address names no user").hint(FORM))?;
    let database = config.get_dbname().filter(|name| !name.is_empty()).unwrap_or(&user).to_owned();
    config.user(&user).dbname(&database);
    config.ssl_mode(options.mode.unwrap_or(if is_here(&host) { SslMode::Disable } else { SslMode::Prefer }));
    let client = Client { ca_file: options.certificates.clone(), ..Client::default() };
    let shown = shown(&host, port, &user, &database, &options);
    Ok(Address { config, shown, host, port, user, database, client })
}

const FORM: &str = "write it like postgres://reader@host:5432/database";

fn unreadable() -> Error {
    Error::input("the address of the database cannot be read").hint(FORM)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether what is said to a host leaves the machine.
fn is_here(host: &str) -> bool {
    host.starts_with('/') || ["localhost", "127.0.0.1", "::1", "[::1]"].contains(&host)
}

/// What stands behind the question mark.
#[derive(Debug, Default)]
struct Options {
    mode: Option<SslMode>,
    written: Vec<String>,
    certificates: Option<PathBuf>,
    socket: Option<String>,
}

impl Options {
    fn read(query: &str) -> Result<Self> {
        let mut options =
            Options { certificates: variable("PGSSLROOTCERT").map(PathBuf::from), ..Options::default() };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", "disable")) => options.mode = Some(SslMode::Disable),
                Some(("sslmode", "prefer" | "allow")) => options.mode = Some(SslMode::Prefer),
                Some(("sslmode", "require" | "verify-ca" | "verify-full")) => {
                    options.mode = Some(SslMode::Require)
                }
                Some(("sslrootcert", file)) => options.certificates = Some(file.into()),
                Some(("host", path)) if path.starts_with('/') => options.socket = Some(path.to_owned()),
                _ => {
                    return Err(Error::input("the address of the database has an option that is not known")
                        .hint("sslmode, sslrootcert and host=/folder/of/the/socket are"));
                }
            }
            options.written.push(pair.to_owned());
        }
        Ok(options)
    }
}

fn shown(host: &str, port: u16, user: &str, database: &str, options: &Options) -> String {
    let host = if options.socket.is_some() { "" } else { host };
    let host =
        if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.to_owned() };
    let port = if port == PORT { String::new() } else { format!(":{port}") };
    let query =
        if options.written.is_empty() { String::new() } else { format!("?{}", options.written.join("&")) };
    format!("postgres://{}@{host}{port}/{}{query}", escaped(user), escaped(database))
}

/// A part of an address in which no letter means anything else.
fn escaped(part: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    part.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_database_has_one_address() {
        for text in ["postgres://ann@db.example.org/shop", "postgresql://ann@db.example.org:5432/shop"] {
            assert_eq!(read(text).unwrap().shown, "postgres://ann@db.example.org/shop");
        }
        let odd = read("postgres://a%20b@127.0.0.1:6543/my%2Fshop?sslmode=disable").unwrap();
        assert_eq!((odd.user.as_str(), odd.database.as_str(), odd.port), ("a b", "my/shop", 6543));
        assert_eq!(odd.shown, "postgres://a%20b@127.0.0.1:6543/my%2Fshop?sslmode=disable");
        assert_eq!(read(&odd.shown).unwrap().shown, odd.shown);
        let socket = read("postgres://ann@/shop?host=/run/pg").unwrap();
        assert_eq!(
            (socket.host.as_str(), socket.shown.as_str()),
            ("/run/pg", "postgres://ann@/shop?host=/run/pg")
        );
    }

    #[test]
    fn an_address_with_a_password_is_refused_and_not_repeated() {
        for text in [
            "postgres://ann:hunter2@host/shop",
            "postgres://ann:hunter2@host/shop?password=hunter2",
            "postgres://ann@host/shop?password=hunter2",
            "postgres://ann:hunter2@ho st:x/shop",
            "hunter2",
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn what_leaves_the_machine_is_encrypted_where_it_can_be() {
        let mode = |text: &str| read(text).unwrap().config.get_ssl_mode();
        assert_eq!(mode("postgres://a@127.0.0.1/b"), SslMode::Disable);
        assert_eq!(mode("postgres://a@db.example.org/b"), SslMode::Prefer);
        assert_eq!(mode("postgres://a@db.example.org/b?sslmode=verify-full"), SslMode::Require);
    }
}
