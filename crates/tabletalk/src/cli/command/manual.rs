//! `completions` and `man`.

use super::Context;
use crate::cli::args::Args;
use clap::CommandFactory;
use tabletalk::Result;

pub fn completions(context: &Context<'_>, shell: clap_complete::Shell) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "tabletalk", &mut text);
    context.output.text(&String::from_utf8_lossy(&text));
    Ok(0)
}

/// One page for the program and all its commands.
pub fn man(context: &Context<'_>) -> Result<u8> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Args::command()).render(&mut text)?;
    for command in Args::command().get_subcommands().filter(|c| c.get_name() != "help") {
        let name = format!("tabletalk {}", command.get_name());
        let man = clap_mangen::Man::new(command.clone().bin_name(name));
        man.render_synopsis_section(&mut text)?;
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
    }
    context.output.text(&String::from_utf8_lossy(&text));
    Ok(0)
}
