//! `lanista play`: bots and models on people's servers.

mod live;
mod model;
mod nh;
mod survivors;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, bail, ensure};
use lanista_game::seed;
use lanista_vgc::bots::{self, BOTS, Bot};
use lanista_vgc::client::{self, Decision, Keep, Plan, Player, Seek, Summary, Table, Turn};
use lanista_vgc::format::{FORMATS, Format};
use lanista_vgc::team::{self, Found};

use crate::args::{PlayArgs, PlayVgcArgs, PlayWhat};
use model::Model;

/// The longest name that a server takes, in letters and digits (`server/users.ts`).
const LONGEST_NAME: usize = 18;

pub fn run(args: PlayArgs) -> anyhow::Result<()> {
    match args.what {
        PlayWhat::Vgc(args) => vgc(args),
        PlayWhat::Nh(args) => nh::run(&args),
        PlayWhat::Survivors(args) => survivors::run(args),
    }
}

fn vgc(args: PlayVgcArgs) -> anyhow::Result<()> {
    let seek = seek(&args)?;
    check_name(&args.name)?;
    let Chosen { mut player, learnt, team } = player(&args)?;
    let format = format(args.format.as_deref(), learnt)?;
    let teams = teams(args.team.as_deref().or(team.as_deref()), format, args.seed)?;
    let keep = args.keep.as_deref().map(|directory| {
        Keep::new(directory).with_context(|| format!("--keep {}", directory.display()))
    });
    let plan = Plan {
        name: args.name.clone(),
        format,
        teams,
        seek,
        battles: args.battles,
        at_once: args.at_once,
        open_sheets: args.open_sheets,
    };
    let stop = watch_for_interrupt("battles that run are played to their end")?;
    let json = args.json;
    let mut tell = |line: &str| if json { complain!("{line}") } else { say!("{line}") };
    let mut table = Table::new(plan, player.as_mut(), keep.transpose()?, &mut tell);
    let summary = client::play(&args.server, &mut table, stop.as_ref())?;
    match json {
        true => say!("{}", serde_json::to_string(&summary)?),
        false => print(&summary),
    }
    Ok(())
}

/// How battles are found; the command line takes exactly one of the three.
fn seek(args: &PlayVgcArgs) -> anyhow::Result<Seek> {
    Ok(match &args.challenge {
        Some(user) => {
            ensure!(is_name(user), "--challenge {user}: that is no name of a user");
            Seek::Challenge(user.clone())
        }
        None if args.ladder => Seek::Ladder,
        None => Seek::Accept,
    })
}

fn is_name(name: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphanumeric).count();
    let plain = |c: char| !c.is_control() && !"|,".contains(c);
    (1..=LONGEST_NAME).contains(&letters) && name.chars().all(plain) && name.len() <= 64
}

fn check_name(name: &str) -> anyhow::Result<()> {
    let letter = name.chars().any(|c| c.is_ascii_alphabetic());
    ensure!(
        is_name(name) && letter && !name.to_ascii_lowercase().starts_with("guest"),
        "--name {name}: a name has 1 to {LONGEST_NAME} letters and digits, one of them a letter, no comma \
         and no bar, and does not begin with `guest`"
    );
    Ok(())
}

/// Who plays, with the format and the team that it has learnt.
struct Chosen {
    player: Box<dyn Player>,
    learnt: Option<&'static Format>,
    team: Option<String>,
}

fn player(args: &PlayVgcArgs) -> anyhow::Result<Chosen> {
    let Some(name) = args.player.strip_prefix("bot:") else {
        let model = Model::read(Path::new(&args.player), args.sampled.then_some(args.seed))?;
        let (learnt, team) = (Some(model.format()), model.team());
        return Ok(Chosen { player: Box::new(model), learnt, team });
    };
    let Some(bot) = Bot::of(name) else {
        let known: Vec<String> = BOTS.iter().map(|bot| format!("bot:{}", bot.name())).collect();
        bail!("there is no player bot:{name}; there are: {}", known.join(", "));
    };
    let player = Box::new(Scripted { bot, seed: args.seed, decisions: 0 });
    Ok(Chosen { player, learnt: None, team: None })
}

fn format(wish: Option<&str>, learnt: Option<&'static Format>) -> anyhow::Result<&'static Format> {
    let known = || FORMATS.iter().map(|format| format.id).collect::<Vec<_>>().join(", ");
    let Some(wish) = wish else {
        return learnt.with_context(|| format!("--format: say which; there are: {}", known()));
    };
    let Some(format) = Format::of(wish) else {
        bail!("--format {wish}: it is not known; there are: {}", known());
    };
    if let Some(learnt) = learnt.filter(|learnt| learnt.id != format.id) {
        complain!("warning: the model has learnt {}, and plays {}", learnt.id, format.id);
    }
    Ok(format)
}

/// Packed teams, in an order that the seed decides: those of a file or a directory, one of the program's by
/// its name, or all of the program's.
fn teams(wish: Option<&str>, format: &Format, dice: u64) -> anyhow::Result<Vec<String>> {
    let ours = team::ours(format);
    let found = match wish {
        None => ours,
        Some(wish) => {
            let named = |found: &&Found| found.place.to_lowercase().ends_with(&wish.to_lowercase());
            match ours.iter().find(named) {
                Some(one) if !Path::new(wish).exists() => vec![one.clone()],
                _ => team::read(Path::new(wish))?,
            }
        }
    };
    let mut teams: Vec<String> = found.into_iter().map(|found| found.team.packed()).collect();
    for last in (1..teams.len()).rev() {
        let other = seed::mix(dice, last as u64) % (last as u64 + 1);
        teams.swap(last, other as usize);
    }
    Ok(teams)
}

/// A scripted player; what it leaves to chance follows from the seed.
struct Scripted {
    bot: Bot,
    seed: u64,
    decisions: u64,
}

impl Player for Scripted {
    fn choose(&mut self, turn: &Turn) -> Decision {
        let dice = seed::mix(self.seed, self.decisions);
        self.decisions += 1;
        let choice = bots::choose(self.bot, turn.battle, turn.request, turn.legal, dice);
        Decision { choice, value: None }
    }
}

/// At the first Ctrl-C nothing new is begun, at the second what runs is given up, the third ends the program.
fn watch_for_interrupt(first: &'static str) -> anyhow::Result<Arc<AtomicUsize>> {
    let stop = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || match asked.fetch_add(1, Ordering::Relaxed) {
        0 => complain!("{first}; Ctrl-C again gives up"),
        1 => {}
        _ => std::process::exit(130),
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

fn print(summary: &Summary) {
    let Summary { battles, won, lost, tied, .. } = summary;
    say!("{won} of {battles} battles won, {lost} lost, {tied} tied");
    say!(
        "{} decisions, {} rejected, {} unavailable; {} battles lost to the timer, {} gone from the server, \
         {} reconnects",
        summary.decisions,
        summary.rejected,
        summary.unavailable,
        summary.timed_out,
        summary.vanished,
        summary.reconnects
    );
}
