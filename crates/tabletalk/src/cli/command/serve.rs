//! `serve`, `mcp` and `key`.

use super::Context;
use crate::cli::args::{Key, KeyWhat, Serve};
use serde_json::json;
use tabletalk::{Error, Result};
use tabletalk_server::key::Keys;
use tabletalk_server::{Setup, init_log, mcp, serve};

pub fn run(context: &Context<'_>, args: &Serve) -> Result<u8> {
    let mut config = context.config.clone();
    if let Some(listen) = &args.listen {
        config.server.listen.clone_from(listen);
    }
    if context.global.verbose > 0 {
        config.server.log = "debug".into();
    }
    let _log = init_log(&config.server)?;
    let is_json = context.output.is_json();
    serve(Setup {
        config,
        library: context.library_dir(),
        on_listening: Box::new(move |address| {
            let output = crate::cli::output::Output::new(is_json, false);
            match is_json {
                true => output.value(&json!({"url": format!("http://{address}")})),
                false => output.text(&format!("listening on http://{address}\n")),
            }
        }),
    })?;
    Ok(0)
}

pub fn mcp(context: &Context<'_>) -> Result<u8> {
    mcp::stdio(context.config.clone(), context.library()?.dir().to_owned())?;
    Ok(0)
}

pub fn key(context: &Context<'_>, args: &Key) -> Result<u8> {
    let dir = context.library_dir();
    std::fs::create_dir_all(&dir)?;
    let file = context.config.server.keys.clone().unwrap_or_else(|| dir.join("keys.json"));
    let keys = Keys::open(file)?;
    let output = context.output;
    match &args.what {
        KeyWhat::Add { name, role, libraries } => {
            let text = keys.add(name, *role, libraries)?;
            match output.is_json() {
                true => {
                    output.value(&json!({"name": name, "role": role, "libraries": libraries, "key": text}))
                }
                false => {
                    output.text(&format!("{text}\n"));
                    output.note("this is the only time it is shown; send it as `Authorization: Bearer KEY`");
                }
            }
        }
        KeyWhat::List => {
            let all = keys.list()?;
            if output.is_json() {
                let key = |k: &tabletalk_server::key::Key| json!({"name": k.name, "role": k.role, "libraries": k.libraries});
                output.value(&json!({"keys": all.iter().map(key).collect::<Vec<_>>()}));
                return Ok(0);
            }
            let mut out = super::list::table(&["name", "role", "libraries"]);
            for key in all {
                let libraries =
                    if key.libraries.is_empty() { "all".into() } else { key.libraries.join(", ") };
                out.add_row([key.name, key.role.name().to_owned(), libraries]);
            }
            output.text(&out.to_string());
        }
        KeyWhat::Remove { name } => match keys.remove(name)? {
            true => output.note(&format!("key `{name}` opens nothing any more")),
            false => return Err(Error::missing(format!("there is no key `{name}`"))),
        },
    }
    Ok(0)
}
