//! Asks a language model one thing, or times it.
//!
//! ```text
//! cargo run --release -p tabletalk-model --example chat_once -- openai m http://127.0.0.1:8080/v1 "How many legs has a cat?"
//! cargo run --release -p tabletalk-model --features gguf --example chat_once -- gguf model.gguf - "How many legs has a cat?"
//! ```
//!
//! With `--time` instead of a question it prints how many tokens a second are read and written, and how much faster a prompt
//! is whose beginning was read before. With `--json` it asks for JSON by schema.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::{io::Write, time::Instant};
use tabletalk_core::{
    Error, Result,
    chat::{ChatOptions, Message},
    seam::Chat,
};
use tabletalk_model::{ChatProvider, ChatSettings, Secret, chat::structured};

fn main() -> Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [provider, model, url, question] = given.as_slice() else {
        return Err(Error::input("give a provider, a model, a url (or -) and a question"));
    };
    let provider: ChatProvider = serde_json::from_value(provider.as_str().into())?;
    let chat = tabletalk_model::chat(&ChatSettings {
        url: Some(url.clone()).filter(|url| url != "-"),
        api_key: std::env::var("API_KEY").ok().map(Secret::new),
        threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
        ..ChatSettings::new(provider, model.as_str())
    })?;
    match question.as_str() {
        "--time" => time(chat.as_ref()),
        "--json" => json(chat.as_ref()),
        question => once(chat.as_ref(), question),
    }
}

fn once(chat: &dyn Chat, question: &str) -> Result<()> {
    let reply = chat.chat(&[Message::user(question)], &ChatOptions::default(), &mut |text| {
        print!("{text}");
        let _ = std::io::stdout().flush();
    })?;
    println!("\n{:?} {:?}", reply.finish, reply.usage);
    Ok(())
}

fn json(chat: &dyn Chat) -> Result<()> {
    let schema = serde_json::json!({"type": "object", "additionalProperties": false, "required": ["columns", "sql"],
        "properties": {"columns": {"type": "array", "items": {"type": "string"}}, "sql": {"type": "string"}}});
    let talk =
        [Message::user("Table t has the columns city, people. Which query gives the largest city? JSON.")];
    let (value, usage) =
        structured(chat, &talk, &ChatOptions { max_tokens: 128, ..ChatOptions::default() }, &schema)?;
    println!("{value} {usage:?}");
    Ok(())
}

/// A prompt of some 1,000 tokens, twice with another ending, and a reply of 64.
fn time(chat: &dyn Chat) -> Result<()> {
    let rows: String = (0..60).map(|n| format!("| city {n} | region {} | {} |\n", n % 7, n * 137)).collect();
    let ask = |question: &str| -> Result<(f64, f64, u64, u64)> {
        let talk = [Message::user(format!("| name | region | people |\n{rows}\n{question}"))];
        let begun = Instant::now();
        let mut first = None;
        let options = ChatOptions { max_tokens: 64, ..ChatOptions::default() };
        let reply = chat
            .chat(&talk, &options, &mut |_| _ = first.get_or_insert_with(|| begun.elapsed().as_secs_f64()))?;
        let (all, first) = (begun.elapsed().as_secs_f64(), first.unwrap_or_default());
        Ok((first, all - first, reply.usage.prompt_tokens, reply.usage.completion_tokens))
    };
    let (first, rest, read, written) = ask("Describe this table at length.")?;
    println!("{}", chat.identity());
    println!("read    {read} tokens in {first:.2} s: {:.0} a second", read as f64 / first);
    println!(
        "written {written} tokens in {rest:.2} s: {:.1} a second",
        written.saturating_sub(1) as f64 / rest
    );
    let (again, ..) = ask("What is the largest city? Describe it at length.")?;
    println!("the same table with another question: {:.1} times as fast to the first word", first / again);
    Ok(())
}
