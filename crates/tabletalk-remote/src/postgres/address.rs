//! Where the engine is, and as whom it is spoken to.

use crate::secret;
use std::time::Duration;
use tabletalk_core::seam::remote::Settings;
use tabletalk_core::{Error, Result};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, TargetSessionAttrs};

/// How long making a connection may take.
const LONGEST_GREETING: Duration = Duration::from_secs(10);
/// How addresses say that certificates are checked, which the client does not know.
const CHECKED: [&str; 2] = ["sslmode=verify-full", "sslmode=verify-ca"];

/// The addresses, with the user and the time-outs of the settings. Of several the one that can be written to
/// counts.
pub(super) fn all(settings: &Settings) -> Result<Vec<Config>> {
    let (client, all) = (&settings.client, settings.addresses()?);
    let secret = secret::password(client)?.or(secret::api_key(client)?);
    let one = |address: &&str| {
        // Whether certificates are checked is said by `client.verify`.
        let address =
            CHECKED.iter().fold((*address).to_owned(), |a, checked| a.replace(checked, "sslmode=require"));
        let mut config: Config = address.parse().map_err(|e: tokio_postgres::Error| {
            Error::input(format!("the `uri` of the store of type `postgres` cannot be read: {e}"))
                .hint("write it like postgres://user@host:5432/database")
        })?;
        if let Some(user) = &client.user {
            config.user(user);
        }
        if let Some(secret) = &secret {
            config.password(secret);
        }
        if all.len() > 1 {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let patience = client.timeout().min(LONGEST_GREETING);
        config.connect_timeout(patience).tcp_user_timeout(client.timeout()).keepalives_idle(client.timeout());
        Ok(config)
    };
    all.iter().map(one).collect()
}

/// An address without secrets.
pub(super) fn shown(config: &Config) -> String {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    let hosts: Vec<String> = config.get_hosts().iter().map(host).collect();
    let ports: Vec<String> = config.get_ports().iter().map(u16::to_string).collect();
    let port = if ports.is_empty() { "5432".to_owned() } else { ports.join(",") };
    format!("{}:{port}/{}", hosts.join(","), config.get_dbname().unwrap_or("postgres"))
}
