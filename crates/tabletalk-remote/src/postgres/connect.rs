//! How the engine is reached: its addresses, as whom it is spoken to, and encrypted connections.

use crate::secret;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tabletalk_core::seam::remote::{Client, Settings};
use tabletalk_core::{Error, Result};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

/// What makes connections encrypted, as the settings want it.
pub(super) fn connector(client: &Client) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|e| Error::bug(format!("no encryption: {e}")))?;
    let config = match client.verify {
        true => builder.with_root_certificates(roots(client.ca_file.as_deref())?).with_no_client_auth(),
        false => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
            .with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

/// The usual certificates, and those of a file.
fn roots(file: Option<&Path>) -> Result<RootCertStore> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let Some(file) = file else { return Ok(roots) };
    let pem = std::fs::read(file).map_err(|e| Error::from(e).at(file.display()))?;
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&pem).flatten().collect();
    let (added, _) = roots.add_parsable_certificates(certificates);
    match added {
        0 => Err(Error::input(format!("{} holds no certificate", file.display()))),
        _ => Ok(roots),
    }
}

/// Takes every certificate, as `verify = false` wants it.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

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
