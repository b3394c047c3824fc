//! The command line: what can be typed, and what is done then. Public for the sake of programs around it, such as
//! `tabletalk-lab`, which measures; not for others.

#![allow(missing_docs, reason = "a command line is documented by its help")]

pub mod args;
pub mod command;
pub mod output;
pub mod progress;

use args::{Args, Command, Global};
use clap::Parser;
use command::Context;
use output::Output;
use std::ffi::OsString;
use std::process::ExitCode;
use tabletalk::{Config, Result};

/// The commit that this program was built from, where that was known.
pub const COMMIT: Option<&str> = option_env!("BUILT_FROM_COMMIT");

/// Does what was typed.
pub fn main() -> ExitCode {
    ExitCode::from(main_of(std::env::args_os()))
}

/// Does what these words say, of which the first is the name of the program, and gives the exit code: for programs of another
/// language, whose command line is not that of the process.
pub fn main_of(words: impl IntoIterator<Item = OsString>) -> u8 {
    match parse_from::<Args>(words) {
        Ok(Args { global, command: Some(command) }) => code_of(&global, |context| begin(context, &command)),
        Ok(Args { global, command: None }) => code_of(&global, command::hello::run),
        Err(code) => code,
    }
}

/// What was typed; help, the version and what is wrong with it have been printed.
pub fn parse<A: Parser>() -> Result<A, ExitCode> {
    parse_from(std::env::args_os()).map_err(ExitCode::from)
}

fn parse_from<A: Parser>(words: impl IntoIterator<Item = OsString>) -> Result<A, u8> {
    A::try_parse_from(words).map_err(|mut e| {
        suggest(&mut e, &A::command());
        // Help and version are no errors; everything else is bad input.
        let _ = e.print();
        if e.use_stderr() { 2 } else { 0 }
    })
}

/// Names the command that was probably meant. Swapped letters are the commonest slip, and clap does not know them.
fn suggest(error: &mut clap::Error, command: &clap::Command) {
    use clap::error::{ContextKind, ContextValue};
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let near = tabletalk::sql::nearest(typed, names.into_iter());
    let near = near.into_iter().map(str::to_owned).collect();
    error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(near));
}

/// Does something with the configuration that was named, and says what went wrong.
pub fn run(global: &Global, command: impl FnOnce(&Context<'_>) -> Result<u8>) -> ExitCode {
    ExitCode::from(code_of(global, command))
}

fn code_of(global: &Global, command: impl FnOnce(&Context<'_>) -> Result<u8>) -> u8 {
    let output = Output::new(global.json, global.quiet);
    let config = Config::load(global.config.as_deref());
    match config.and_then(|config| command(&Context { global, config, output: &output })) {
        Ok(code) => code,
        Err(error) => {
            output.error(&error);
            error.fault().exit_code() as u8
        }
    }
}

fn begin(context: &Context<'_>, command: &Command) -> Result<u8> {
    match command {
        Command::Add(add) => command::add::run(context, add),
        Command::Sync(sync) => command::add::sync(context, sync),
        Command::Search(search) => command::search::run(context, search),
        Command::Ask(ask) => command::ask::run(context, ask),
        Command::Verify(ask) => command::ask::verify(context, ask),
        Command::Sql(sql) => command::sql::run(context, sql),
        Command::Model(model) => command::model::run(context, model),
        Command::Conversations(args) => command::conversations::run(context, args),
        Command::Feedback { format } => command::conversations::feedback(context, *format),
        Command::Show(show) => command::show::run(context, show),
        Command::Docs(page) => command::list::docs(context, page),
        Command::Tables(args) if args.relations => command::relate::list(context, &args.page),
        Command::Tables(args) => command::list::tables(context, &args.page),
        Command::Relate(args) => command::relate::relate(context, args),
        Command::Groups => command::list::groups(context),
        Command::Embed => command::add::embed(context),
        Command::Clarify => command::add::clarify(context),
        Command::Make(make) => command::raptor::make(context, make),
        Command::Raptor(raptor) => command::raptor::run(context, raptor),
        Command::Forget { names } => command::add::forget(context, names),
        Command::Doctor { repair } => command::doctor::run(context, *repair),
        Command::Serve(serve) => command::serve::run(context, serve),
        Command::Mcp => command::serve::mcp(context),
        Command::Key(key) => command::serve::key(context, key),
        Command::Backup { file } => command::backup::backup(context, file),
        Command::Restore { file } => command::backup::restore(context, file),
        Command::Migrate { to, into } => command::migrate::migrate(context, to, into.as_deref()),
        Command::Completions { shell } => command::manual::completions(context, *shell),
        Command::Man => command::manual::man(context),
        Command::Eval(eval) => command::eval::run(context, eval),
        Command::Config => command::list::config(context),
    }
}
