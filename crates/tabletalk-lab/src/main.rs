//! What measures tabletalk, and is no part of it: speed and memory beside peers (`bench`), experiments (`run`, `recipe`), their
//! reports and plots, and public sets of questions (`convert`). What people need for data of their own is `tabletalk eval`.
//!
//! Every command that is not one of these is passed on to the command line of tabletalk, so that one program can be named where both are
//! needed, as by the scripts that compare it with others.

#![allow(unreachable_pub, reason = "a binary exports nothing")]

mod args;
mod bench;
mod command;
mod context;
mod experiment;
mod gate;
mod grow;
mod inside;
mod layout;
mod oracle;
mod recipe;
mod report;
mod svg;

use args::{Args, Command};
use command::{context as budget, experiment as runs, sets};
use std::process::ExitCode;
use tabletalk::cli;
use tabletalk::cli::command::Context;

/// The allocator of the program that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match cli::parse::<Args>() {
        Ok(Args { command: Command::Product(_), .. }) => cli::main(),
        Ok(args) => cli::run(&args.global, |context| begin(context, &args.command)),
        Err(code) => code,
    }
}

fn begin(context: &Context<'_>, command: &Command) -> tabletalk::Result<u8> {
    match command {
        Command::Bench(args) => bench::run(context, args),
        Command::Run(args) => runs::run(context, args),
        Command::Recipes => runs::recipes(context),
        Command::Recipe { name } => runs::recipe(context, name),
        Command::Runs { out } => runs::runs(context, out.as_deref()),
        Command::Report(args) => runs::report(context, args),
        Command::Gate(args) => runs::gate(context, args),
        Command::Convert(args) => sets::convert(context, args),
        Command::Context(args) => budget::measure(context, args),
        Command::Judge => sets::judge(context),
        Command::Oracle { queries } => sets::oracle(context, queries),
        Command::Product(_) => Ok(0),
    }
}
