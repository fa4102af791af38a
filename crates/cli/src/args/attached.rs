//! A program that ends with its parent: a command for this program's own use.

use std::ffi::OsString;

#[derive(clap::Args)]
pub struct AttachedArgs {
    /// The process that must be alive.
    pub parent: u32,
    /// What is started, with its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<OsString>,
}
