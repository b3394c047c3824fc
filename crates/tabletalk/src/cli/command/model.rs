//! `model`: finds language models, tries one, and uses it.

use super::Context;
use crate::cli::args::Model;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal, Write as _};
use std::path::PathBuf;
use std::time::Instant;
use tabletalk::config::{Chat, FILE, find_above};
use tabletalk::providers::{self, Offer};
use tabletalk::{Error, Result};

/// Models of one provider that are listed; the others can be named.
const LISTED: usize = 12;

pub fn run(context: &Context<'_>, args: &Model) -> Result<u8> {
    if args.none {
        return none(context);
    }
    if let (Some(model), Some(url)) = (&args.model, &args.url) {
        return take(context, &given(model, url, args.key_env.as_deref()));
    }
    context.output.note("looking for language models …");
    let offers = providers::offers();
    let wanted = match &args.model {
        Some(model) => Some(model.clone()),
        None => {
            list(context, &offers);
            ask(context, &offers)?
        }
    };
    match wanted {
        Some(wanted) => take(context, &picked(&offers, &wanted)?),
        None => Ok(if offers.is_empty() { 1 } else { 0 }),
    }
}

/// A model at an address that was given.
fn given(model: &str, url: &str, key_env: Option<&str>) -> Chat {
    let provider = tabletalk::ChatProvider::OpenAi;
    let settings = tabletalk::ChatSettings {
        url: Some(url.to_owned()),
        ..tabletalk::ChatSettings::new(provider, model)
    };
    Chat { api_key_env: key_env.map(str::to_owned), ..Chat::of(settings) }
}

fn picked(offers: &[Offer], wanted: &str) -> Result<Chat> {
    if let Some((offer, model)) = providers::pick(offers, wanted) {
        return Ok(offer.chat(model));
    }
    let names = offers.iter().flat_map(|o| o.models.iter().map(String::as_str));
    let near = tabletalk::sql::suggestion(wanted, names);
    let hint =
        near.unwrap_or_else(|| "`tabletalk model` lists what was found; --url names another server".into());
    Err(Error::missing(format!("no language model `{wanted}` was found")).hint(hint))
}

/// Tries a model; one that answers is written into the configuration.
fn take(context: &Context<'_>, chat: &Chat) -> Result<u8> {
    context.output.note(&format!("asking {} a question about a small table …", chat.model.model));
    let begun = Instant::now();
    let reply = providers::try_model(chat)?;
    let (seconds, is_right) = (begun.elapsed().as_secs_f64(), providers::is_right(&reply));
    let file = file(context);
    providers::write(&file, Some(chat))?;
    let leaves = providers::leaves(chat);
    if context.output.is_json() {
        let model = &chat.model.model;
        context.output.value(&json!({"model": model, "reply": reply, "right": is_right, "seconds": seconds, "written": file, "leaves": leaves}));
        return Ok(0);
    }
    let verdict = match is_right {
        true => format!("it answered right in {seconds:.1} s"),
        false => format!("it answered in {seconds:.1} s, but not right: expect little of it"),
    };
    context.output.text(&format!(
        "{}: {verdict}\nprivacy: {leaves}\nwritten to {}; `tabletalk model --none` takes it out again\n",
        chat.model.model,
        file.display()
    ));
    Ok(0)
}

fn none(context: &Context<'_>) -> Result<u8> {
    let file = file(context);
    if file.exists() {
        providers::write(&file, None)?;
    }
    match context.output.is_json() {
        true => context.output.value(&json!({"model": null, "written": file})),
        false => context.output.text("no language model is used any more: the built-in parser answers\n"),
    }
    Ok(0)
}

/// The configuration that is in force, or a new one here.
fn file(context: &Context<'_>) -> PathBuf {
    context.global.config.clone().or_else(|| find_above(FILE)).unwrap_or_else(|| PathBuf::from(FILE))
}

fn list(context: &Context<'_>, offers: &[Offer]) {
    let now = context.config.chat.as_ref();
    if context.output.is_json() {
        let model =
            now.map_or(Value::Null, |c| json!({"provider": c.model.provider, "model": c.model.model}));
        context.output.value(&json!({"model": model, "found": offers}));
        return;
    }
    let in_use = now.map_or("no language model is used: the built-in parser answers".to_owned(), |c| {
        format!("{} is used; {}", c.model.model, providers::leaves(c))
    });
    context.output.text(&format!("{in_use}\n\n{}", offers_text(offers)));
}

fn offers_text(offers: &[Offer]) -> String {
    if offers.is_empty() {
        return "No language model was found on this machine, and no API key in the environment.\n\n  \
                https://ollama.com runs models here: `ollama pull qwen2.5:7b`, then `tabletalk model`\n  \
                export OPENAI_API_KEY=…              or ANTHROPIC_, GEMINI_, DEEPSEEK_, DASHSCOPE_API_KEY\n  \
                tabletalk model NAME --url http://…  any server with OpenAI's interface\n"
            .to_owned();
    }
    let (mut text, mut number) = (String::new(), 0);
    for offer in offers {
        let place = if offer.is_local { "on this machine" } else { "over the network" };
        let key = offer.api_key_env.as_ref().map_or(String::new(), |name| format!(", key in {name}"));
        let _ = writeln!(text, "{} ({place}{key})", offer.name);
        if let Some(error) = &offer.error {
            let _ = writeln!(text, "     its models could not be listed: {error}");
        }
        for (i, model) in offer.models.iter().enumerate() {
            number += 1;
            if i < LISTED {
                let _ = writeln!(text, "{number:>4} {model}");
            }
        }
        let more = offer.models.len().saturating_sub(LISTED);
        if more > 0 {
            let _ = writeln!(text, "     and {more} more, which can be named");
        }
    }
    text
}

/// Which one to use, where there is somebody to ask.
fn ask(context: &Context<'_>, offers: &[Offer]) -> Result<Option<String>> {
    if context.output.is_json() || offers.iter().all(|o| o.models.is_empty()) {
        return Ok(None);
    }
    if !std::io::stdin().is_terminal() {
        context.output.text("\n`tabletalk model NAME` tries one and uses it.\n");
        return Ok(None);
    }
    let mut err = std::io::stderr();
    write!(err, "\nNumber or name of the one to use (empty for none): ").and_then(|()| err.flush())?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
}
