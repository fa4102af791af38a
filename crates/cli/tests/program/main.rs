//! The program as its user meets it: command lines in; text, files and exit codes out.

#[cfg(unix)] // strace
mod attack;
mod bad_input;
mod bench;
mod clone;
mod command_line;
mod damage;
#[cfg(unix)]
mod dashboard;
mod data;
#[cfg(unix)] // limits on files are set by a shell
mod disk;
mod dry_run;
mod durability;
mod eval;
mod eval_settings;
mod export;
mod fork;
mod games;
#[cfg(target_os = "linux")] // processes are looked for in /proc
mod job;
#[cfg(unix)] // signals
mod kill;
mod league;
mod learning;
mod limits;
mod nh_server;
mod play;
mod play_rocket;
mod presets;
#[cfg(unix)] // a script stands for Python
mod ray;
mod replay;
mod resume;
mod rocket;
mod runs;
mod serve;
#[cfg(unix)]
mod signals;
mod support;
mod survivors;
mod survivors_live;
mod threads;
mod train;
mod vgc;
mod vgc_battles;
mod wandb;
mod watch;
