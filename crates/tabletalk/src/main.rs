//! The command line.

#![allow(unreachable_pub, reason = "a binary exports nothing")]

mod args;
mod command;
mod output;
mod progress;

use args::{Args, Command};
use clap::Parser;
use output::Output;
use std::process::ExitCode;
use tabletalk::{Config, Result};

/// Reading tables makes millions of small strings on several threads; this allocator is made for it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The commit that this program was built from, where that was known.
const COMMIT: Option<&str> = option_env!("BUILT_FROM_COMMIT");

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(e) => {
            // Help and version are no errors; everything else is bad input.
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { 2 } else { 0 });
        }
    };
    let output = Output::new(args.global.json, args.global.quiet);
    match run(&args, &output) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            output.error(&error);
            ExitCode::from(error.fault().exit_code() as u8)
        }
    }
}

fn run(args: &Args, output: &Output) -> Result<u8> {
    let config = Config::load(args.global.config.as_deref())?;
    let context = command::Context { global: &args.global, config, output };
    match &args.command {
        Command::Add(add) => command::add::run(&context, add),
        Command::Sync(sync) => command::add::sync(&context, sync),
        Command::Search(search) => command::search::run(&context, search),
        Command::Ask(ask) => command::ask::run(&context, ask),
        Command::Verify(ask) => command::ask::verify(&context, ask),
        Command::Sql(sql) => command::sql::run(&context, sql),
        Command::Conversations => command::ask::conversations(&context),
        Command::Show(show) => command::show::run(&context, show),
        Command::Docs(page) => command::list::docs(&context, page),
        Command::Tables(page) => command::list::tables(&context, page),
        Command::Groups => command::list::groups(&context),
        Command::Embed => command::add::embed(&context),
        Command::Clarify => command::add::clarify(&context),
        Command::Make(make) => command::raptor::make(&context, make),
        Command::Raptor(raptor) => command::raptor::run(&context, raptor),
        Command::Forget { names } => command::add::forget(&context, names),
        Command::Doctor { repair } => command::doctor::run(&context, *repair),
        Command::Serve(serve) => command::serve::run(&context, serve),
        Command::Mcp => command::serve::mcp(&context),
        Command::Key(key) => command::serve::key(&context, key),
        Command::Backup { file } => command::backup::backup(&context, file),
        Command::Restore { file } => command::backup::restore(&context, file),
        Command::Migrate { to, into } => command::migrate::migrate(&context, to, into.as_deref()),
        Command::Completions { shell } => command::manual::completions(&context, *shell),
        Command::Man => command::manual::man(&context),
        Command::Eval(eval) => command::eval::run(&context, eval),
        Command::Bench(bench) => command::bench::run(&context, bench),
        Command::Config => command::list::config(&context),
    }
}
