//! Where Milvus is, and how a connection to it is made.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use std::sync::Arc;
use std::time::Duration;
use tabletalk_core::seam::remote::{Client, Settings};
use tabletalk_core::{Error, Result};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use ureq::http::Uri;

/// The port when none is named.
const PORT: u16 = 19530;
/// How long making a connection may take at most.
const CONNECT: Duration = Duration::from_secs(10);
/// How often a connection that is waited on is asked whether it is still there.
const ALIVE: Duration = Duration::from_secs(20);
/// Bytes that the server may send before they are taken up.
const WINDOW: u32 = 4 << 20;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Address {
    /// `http://host:port`.
    base: String,
    /// The database, when the address names one: `http://host:port/database`.
    pub(super) database: Option<String>,
}

pub(super) fn all(settings: &Settings) -> Result<Vec<Address>> {
    settings.addresses()?.into_iter().map(Address::read).collect()
}

/// What is shown in messages.
pub(super) fn shown(addresses: &[Address]) -> String {
    let bases: Vec<&str> = addresses.iter().map(|a| a.base.as_str()).collect();
    format!("milvus at {}", bases.join(", "))
}

impl Address {
    fn read(text: &str) -> Result<Self> {
        let wrong = |hint: &str| Err(Error::input("the `uri` of a milvus store is no address").hint(hint));
        if text.contains('@') {
            return wrong(
                "name the user in `client.user`, and the password's variable in `client.password_env`",
            );
        }
        let uri = text.parse::<Uri>().ok();
        let parts = uri.as_ref().and_then(|uri| Some((uri.scheme_str()?, uri.host()?, uri)));
        let Some((scheme @ ("http" | "https"), host, uri)) = parts else {
            return wrong("write it like http://127.0.0.1:19530 or https://host:19530/database");
        };
        let port = uri.port_u16().unwrap_or(PORT);
        let database = uri.path().trim_matches('/');
        Ok(Address {
            base: format!("{scheme}://{host}:{port}"),
            database: (!database.is_empty()).then(|| database.to_owned()),
        })
    }

    /// A connection, made when it is first needed, and again when it breaks. Must be called in a runtime.
    pub(super) fn channel(&self, client: &Client) -> Result<Channel> {
        let bad = |e: tonic::transport::Error| Error::input(format!("milvus at {}: {e}", self.base));
        let endpoint = Endpoint::from_shared(self.base.clone())
            .map_err(bad)?
            .connect_timeout(client.timeout().min(CONNECT))
            .tcp_keepalive(Some(ALIVE * 3))
            .http2_keep_alive_interval(ALIVE)
            .keep_alive_timeout(CONNECT)
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW * 4);
        let endpoint = match self.base.starts_with("https:") {
            false => endpoint,
            true if !client.verify => endpoint
                .tls_config_with_verifier(ClientTlsConfig::new(), Arc::new(Unverified(provider())))
                .map_err(bad)?,
            true => endpoint.tls_config(trusted(client)?).map_err(bad)?,
        };
        Ok(endpoint.connect_lazy())
    }
}

fn trusted(client: &Client) -> Result<ClientTlsConfig> {
    let config = ClientTlsConfig::new().with_enabled_roots();
    let Some(file) = &client.ca_file else { return Ok(config) };
    let pem = std::fs::read(file).map_err(|e| Error::from(e).at(file.display()))?;
    if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
        return Err(Error::input(format!("{} holds no certificate", file.display())));
    }
    Ok(config.ca_certificate(Certificate::from_pem(pem)))
}

fn provider() -> Arc<CryptoProvider> {
    CryptoProvider::get_default().cloned().unwrap_or_else(|| Arc::new(ring::default_provider()))
}

/// Takes every certificate, for `verify = false`. Signatures are still checked.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_addresses() {
        let read = |text| Address::read(text).map(|a| (a.base, a.database)).ok();
        assert_eq!(read("http://127.0.0.1:19531"), Some(("http://127.0.0.1:19531".into(), None)));
        assert_eq!(read("https://host/own"), Some(("https://host:19530".into(), Some("own".into()))));
        assert_eq!(read("host:19530"), None);
        assert_eq!(read("http://me:secret@host"), None);
    }
}
