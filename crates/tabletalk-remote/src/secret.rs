//! Secrets of stores, which are read from the environment and nowhere else.

use tabletalk_core::seam::remote::Client;
use tabletalk_core::{Error, Result};

/// The password that the configuration names the variable of.
pub(crate) fn password(client: &Client) -> Result<Option<String>> {
    client.password_env.as_deref().map(secret).transpose()
}

/// The key or token that the configuration names the variable of.
pub(crate) fn api_key(client: &Client) -> Result<Option<String>> {
    client.api_key_env.as_deref().map(secret).transpose()
}

fn secret(variable: &str) -> Result<String> {
    std::env::var(variable).map_err(|_| {
        Error::input(format!("the environment variable {variable} is not set"))
            .hint("the configuration of the store names it; set it to the secret")
    })
}
