//! The program.

use std::process::ExitCode;

/// Reading tables makes millions of small strings on several threads; this allocator is made for it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tabletalk::cli::main()
}
