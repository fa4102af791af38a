//! `lanista completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::{Args, CompletionsArgs};
use crate::catalog;

pub fn run(args: CompletionsArgs) -> anyhow::Result<()> {
    say!("{}", script(args.shell).trim_end());
    Ok(())
}

fn script(shell: Shell) -> String {
    // Into memory: the generator panics on a reader that went away.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "lanista", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Fish {
        // For fish the generator knows flags and commands, but no values of arguments without a flag.
        let presets: Vec<&str> = catalog::PRESETS.iter().map(|(name, _)| *name).collect();
        let games: Vec<&str> = catalog::games().iter().map(|game| game.name.as_str()).collect();
        for (command, names) in [("train", presets), ("games", games)] {
            let names = names.join(" ");
            script += &format!(
                "complete -c lanista -n \"__fish_seen_subcommand_from {command}\" -a \"{names}\"\n"
            );
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_shell_completes_commands_flags_and_presets() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
            let script = script(shell);
            for word in ["train", "league", "completions", "dry-run", "until"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
            // PowerShell's scripts complete no values.
            if shell != Shell::PowerShell {
                assert!(script.contains("classic/cartpole"), "{shell}");
            }
        }
    }
}
