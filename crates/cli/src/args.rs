//! The command line.

mod attached;
mod clone;
mod exchange;
mod job;
mod nh;
mod play;
mod rlbot;
mod runs;
mod serve;
mod watch;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;
use lanista_train::layers::{ConfigError, Override, count};
use lanista_vgc::client::Address;

use crate::limits;
use crate::names::Names;

pub use attached::AttachedArgs;
pub use clone::{
    CloneArgs, DataArgs, DataWhat, HeadArgs, InfoArgs, MakeArgs, MergeArgs, PlayDataArgs, SplitArgs,
};
pub use exchange::{ExportArgs, ImportArgs, ImportWhat};
pub use job::JobArgs;
pub use nh::{NhServerArgs, PlayNhArgs};
pub use play::PlaySurvivorsArgs;
pub use rlbot::{PlayRocketArgs, RlbotArgs};
pub use runs::{PlotArgs, RunsArgs, RunsWhat};
pub use serve::{BenchServeArgs, ServeArgs, Spoken};
pub use watch::WatchArgs;

/// Trains game bots: takes a game, a preset and a machine, and gives back an agent that plays.
#[derive(Parser)]
#[command(name = "lanista", version = VERSION, about, propagate_version = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

/// The version, and the commit it was built from where that is known.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("LANISTA_COMMIT"));

/// A count of things in memory.
fn size(text: &str) -> Result<usize, String> {
    usize::try_from(count(text)?).map_err(|_| format!("too large: the most is {}", usize::MAX))
}

#[derive(Subcommand)]
pub enum Command {
    /// Train an agent.
    Train(TrainArgs),
    /// Train an agent with all that belongs to it: game servers, TensorBoard and the web page are started, kept
    /// alive and stopped.
    Job(JobArgs),
    /// Become another program that ends when the parent does.
    #[command(hide = true)]
    Attached(AttachedArgs),
    /// Fit a policy to recorded decisions.
    Clone(CloneArgs),
    /// Make and show datasets of recorded decisions.
    Data(DataArgs),
    /// Play whole matches with a trained agent and report how good it is.
    Eval(EvalArgs),
    /// Show who is how good in a run's league, and let everybody play everybody.
    League(LeagueArgs),
    /// Play recorded matches again.
    Replay(ReplayArgs),
    /// Play on people's servers.
    Play(PlayArgs),
    /// Let trained models decide for bots and scripts that ask over TCP.
    Serve(ServeArgs),
    /// List runs, show and compare them, rename and remove them.
    Runs(RunsArgs),
    /// Draw curves of runs, good enough for a paper.
    Plot(PlotArgs),
    /// Show runs, leagues and matches on a page in the browser.
    Watch(WatchArgs),
    /// Write a trained agent for other programs: as an ONNX graph, or as PyTorch's weights.
    Export(ExportArgs),
    /// Read an agent that another program has trained.
    Import(ImportArgs),
    /// Measure speed.
    Bench(BenchArgs),
    /// List the games, or show one.
    Games(GamesArgs),
    /// What concerns Old School RuneScape alone.
    Nh(NhArgs),
    /// What concerns Left 4 Dead 2 alone.
    Survivors(SurvivorsArgs),
    /// What concerns Rocket League alone.
    Rocket(RocketArgs),
    /// What concerns Pokémon VGC alone.
    Vgc(VgcArgs),
    /// Print what makes a shell complete this program's command lines.
    Completions(CompletionsArgs),
}

/// Keys of a preset that the command line overrides.
#[derive(clap::Args, Clone)]
pub struct Overrides {
    /// Override any key of the preset, such as ppo.epochs=10; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = Override::set)]
    pub set: Vec<Override>,
    /// Override the weight of a reward term; may be repeated.
    #[arg(long, value_name = "TERM=WEIGHT", value_parser = Override::reward)]
    pub reward: Vec<Override>,
}

impl Overrides {
    /// All of them, in the order in which they apply.
    pub fn all(&self) -> Vec<Override> {
        self.set.iter().chain(&self.reward).cloned().collect()
    }
}

#[derive(clap::Args)]
pub struct TrainArgs {
    /// A preset by name, or the path of a YAML file [default: rocket/touch].
    #[arg(value_parser = Names::Presets, hide_possible_values = true)]
    pub preset: Option<String>,
    /// Seed of the run: same seed, same bits.
    #[arg(long, value_parser = count, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Train for so many steps, such as 5M; schedules stretch to them.
    #[arg(long, value_parser = count, allow_negative_numbers = true)]
    pub steps: Option<u64>,
    /// Begin with the weights of a run or a model.zip, all that fit; the preset's `start` says more.
    #[arg(long, value_name = "MODEL")]
    pub from: Option<PathBuf>,
    /// Pause and save at so many steps; schedules stay as they are.
    #[arg(long, value_name = "STEPS", value_parser = count, allow_negative_numbers = true)]
    pub until: Option<u64>,
    /// Worker threads [default: one per core]. The result does not depend on it.
    #[arg(long, value_parser = limits::threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Resume a run, or begin a new one at one of its milestones; without a path the newest run of the
    /// preset that fits, or a new one.
    #[arg(long, value_name = "RUN", num_args = 0..=1)]
    pub resume: Option<Option<PathBuf>>,
    /// Choose a milestone to go back to from a list.
    #[arg(long)]
    pub pick: bool,
    /// Go back to a milestone in place, and remove what came after it, instead of in a new run.
    #[arg(long)]
    pub overwrite: bool,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print one JSON line at the end and nothing else on standard output.
    #[arg(long)]
    pub json: bool,
    /// Lines instead of the dashboard, even on a terminal: one every few seconds.
    #[arg(long)]
    pub plain: bool,
    /// Show what would be trained, where and in how much memory, and do none of it.
    #[arg(long)]
    pub dry_run: bool,
    /// Show a viewer such as RocketSimVis a match that the newest policy plays beside training, in the
    /// game's own time.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = VIEWER)]
    pub render: Option<SocketAddr>,
    /// Let workers on a Ray cluster play: `auto`, HOST:PORT or ray://HOST:PORT; `local` begins one here. Needs
    /// Python with the packages lanista and ray.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["pick", "overwrite", "json", "dry_run", "render"])]
    pub ray: Option<String>,
    /// Actors of Ray [default: as many as the cluster has cores].
    #[arg(long, value_name = "N", requires = "ray")]
    pub ray_workers: Option<usize>,
    /// So many more actors, which play for exploiters alone.
    #[arg(long, value_name = "N", requires = "ray")]
    pub ray_exploiter_workers: Option<usize>,
    /// So many more actors, which play evaluations alone; without them the learner's own threads do.
    #[arg(long, value_name = "N", requires = "ray")]
    pub ray_evaluators: Option<usize>,
    /// `sync` has the same bits as a run without Ray; `async` lets workers play on while the learner learns.
    #[arg(long, value_name = "MODE", requires = "ray", value_parser = ["sync", "async"])]
    pub ray_mode: Option<String>,
    /// Updates that a rollout may be behind in mode async.
    #[arg(long, value_name = "UPDATES", requires = "ray_mode")]
    pub ray_max_lag: Option<u64>,
}

impl TrainArgs {
    /// Everything that the flags change of the preset, in order. A mistake is blamed on its flag.
    pub fn all_overrides(&self) -> Result<Vec<Override>, ConfigError> {
        let mut all = self.overrides.all();
        if let Some(seed) = self.seed {
            all.push(Override::flag("--seed", "run.seed", seed)?);
        }
        if let Some(steps) = self.steps {
            all.push(Override::flag("--steps", "stop.steps", steps)?);
        }
        if let Some(threads) = self.threads {
            all.push(Override::flag("--threads", "run.threads", threads)?);
        }
        if let Some(from) = &self.from {
            all.push(Override::flag("--from", "start.model", from.display().to_string())?);
        }
        Ok(all)
    }
}

/// Where RocketSimVis listens.
pub const VIEWER: &str = "127.0.0.1:9273";

#[derive(clap::Args)]
pub struct EvalArgs {
    /// A run's directory, or a model.zip.
    pub run: PathBuf,
    /// Who takes the seats of the other teams: self, bot:NAME, a run or a model.zip; several with
    /// commas between.
    #[arg(long, default_value = "self", value_delimiter = ',')]
    pub vs: Vec<String>,
    /// Let a scripted player play a role, such as survivor=bot:follower, in all of its seats: what it would
    /// do in the model's place; may be repeated.
    #[arg(long, value_name = "ROLE=bot:NAME")]
    pub role: Vec<String>,
    /// Play under other settings than in training, such as settings.orange_size=1; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = Override::set)]
    pub set: Vec<Override>,
    /// Whole matches to play.
    #[arg(long, default_value = "100", value_parser = limits::matches, allow_negative_numbers = true)]
    pub matches: usize,
    /// Sample actions instead of taking the most likely ones.
    #[arg(long)]
    pub sampled: bool,
    /// Take the most likely actions; this is the default.
    #[arg(long, conflicts_with = "sampled")]
    pub deterministic: bool,
    /// Seed of the matches.
    #[arg(long, default_value_t = 0, value_parser = count, allow_negative_numbers = true)]
    pub seed: u64,
    /// Worker threads [default: one per core].
    #[arg(long, value_parser = limits::threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Show the first match to a viewer such as RocketSimVis, in real time.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = VIEWER)]
    pub render: Option<SocketAddr>,
    /// Frames a second that --render shows [default: as many as the game has, or 15].
    #[arg(long, value_parser = limits::fps)]
    pub fps: Option<f64>,
    /// Keep a replay file of every match in this directory: its frames, a JSON line each.
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Show every term and every stat, not only what matters most.
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct LeagueArgs {
    /// A run's directory.
    pub run: PathBuf,
    /// Let the newest model, the snapshots and the rated bots play each other.
    #[arg(long)]
    pub crossplay: bool,
    /// Matches of each pair in --crossplay; half of them with the seats swapped.
    #[arg(long, default_value = "100", requires = "crossplay", value_parser = limits::matches, allow_negative_numbers = true)]
    pub matches: usize,
    /// Draw Elo over steps, and the scores of --crossplay, as an SVG.
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Worker threads of --crossplay [default: one per core]. The result does not depend on it.
    #[arg(long, requires = "crossplay", value_parser = limits::threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Seed of the matches of --crossplay.
    #[arg(long, default_value_t = 0, requires = "crossplay", value_parser = count, allow_negative_numbers = true)]
    pub seed: u64,
}

#[derive(clap::Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub what: BenchWhat,
}

#[derive(Subcommand)]
pub enum BenchWhat {
    /// Steps per second of training a preset, after a warm-up. Nothing is written to disk.
    Train {
        /// A preset by name, or the path of a YAML file.
        #[arg(value_parser = Names::Presets, hide_possible_values = true)]
        preset: String,
        /// Worker threads [default: one per core].
        #[arg(long, value_parser = limits::threads, allow_negative_numbers = true)]
        threads: Option<usize>,
        /// Measure for so long.
        #[arg(long, default_value = "5", value_parser = limits::seconds)]
        seconds: f64,
        #[command(flatten)]
        overrides: Overrides,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Microseconds for one decision of a preset's policy: masks, actions and values included.
    Infer {
        /// A preset by name, or the path of a YAML file.
        #[arg(value_parser = Names::Presets, hide_possible_values = true)]
        preset: String,
        /// Rows decided together.
        #[arg(long, default_value_t = 1, value_parser = size, allow_negative_numbers = true)]
        batch: usize,
        /// Measure for so long.
        #[arg(long, default_value = "3", value_parser = limits::seconds)]
        seconds: f64,
        #[command(flatten)]
        overrides: Overrides,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Decisions per second of a trained model over TCP, and how long they take.
    Serve(BenchServeArgs),
    /// Steps per second of a game under random legal actions: observations, masks and terms included.
    Game {
        /// A game by name.
        #[arg(value_parser = Names::Games, hide_possible_values = true)]
        game: String,
        /// Threads, each with matches of its own [default: one per core].
        #[arg(long, value_parser = limits::threads, allow_negative_numbers = true)]
        threads: Option<usize>,
        /// Matches a thread.
        #[arg(long, default_value_t = 64, value_parser = size, allow_negative_numbers = true)]
        matches: usize,
        /// Measure for so long.
        #[arg(long, default_value = "5", value_parser = limits::seconds)]
        seconds: f64,
        #[command(flatten)]
        overrides: Overrides,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
pub struct GamesArgs {
    /// Show this game whole, or what a run or a model.zip sees and does.
    #[arg(value_parser = Names::Games, hide_possible_values = true)]
    pub name: Option<String>,
    /// Settings of the game, such as settings.actions=90; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = Override::set)]
    pub set: Vec<Override>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// Which shell.
    pub shell: Shell,
}

#[derive(clap::Args)]
pub struct ReplayArgs {
    /// Recordings (.rec), as `eval --record` and `recording.every` keep them.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// A run or a model.zip that says what it thinks of every choice; shown with --steps.
    #[arg(long)]
    pub model: Option<PathBuf>,
    /// Show every step: what was chosen and what it earned.
    #[arg(long)]
    pub steps: bool,
    /// Write the frames of the match to a file, a line each.
    #[arg(long, value_name = "FILE")]
    pub frames: Option<PathBuf>,
    /// Write what does not change in the match and a viewer needs beside the frames: a map, a field.
    #[arg(long, value_name = "FILE")]
    pub scene: Option<PathBuf>,
    /// Send the frames to a viewer, such as 127.0.0.1:9273, in the game's own time.
    #[arg(long, value_name = "ADDRESS")]
    pub render: Option<SocketAddr>,
    /// Frames a second for --render.
    #[arg(long, value_parser = limits::fps, allow_negative_numbers = true, requires = "render")]
    pub fps: Option<f64>,
    /// Print JSON, an object a recording.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct PlayArgs {
    #[command(subcommand)]
    pub what: PlayWhat,
}

#[derive(Subcommand)]
pub enum PlayWhat {
    /// Pokémon VGC on a Showdown server that asks for no password.
    Vgc(PlayVgcArgs),
    /// Rocket League itself, as a bot of RLBot v5.
    Rocket(PlayRocketArgs),
    /// Left 4 Dead 2 on a game server with the plugin, or on `lanista survivors server`.
    Survivors(PlaySurvivorsArgs),
    /// Old School RuneScape: a model behind the API that clients of pvp-ml ask for decisions.
    Nh(PlayNhArgs),
}

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("seek").required(true))]
pub struct PlayVgcArgs {
    /// Who plays: a run's directory, a model.zip, or a scripted player such as bot:heuristic.
    pub player: String,
    /// The server: HOST:PORT or ws://HOST:PORT/PATH.
    #[arg(long, value_name = "ADDRESS", default_value = "localhost:8000")]
    pub server: Address,
    /// The name to play under, 1 to 18 letters and digits.
    #[arg(long)]
    pub name: String,
    /// The format, such as gen9vgc2024regg [default: the one that the model has learnt].
    #[arg(long)]
    pub format: Option<String>,
    /// Teams, packed or exported, in a file or a directory, or the name of one that comes with the program;
    /// battles take them in turn [default: the one that the model has learnt, or all of the program's].
    #[arg(long, value_name = "FILE")]
    pub team: Option<String>,
    /// Challenge this user.
    #[arg(long, value_name = "USER", group = "seek")]
    pub challenge: Option<String>,
    /// Accept whoever challenges.
    #[arg(long, group = "seek")]
    pub accept: bool,
    /// Search for battles on the server's ladder.
    #[arg(long, group = "seek")]
    pub ladder: bool,
    /// Battles to play.
    #[arg(long, default_value = "1", value_parser = limits::battles, allow_negative_numbers = true)]
    pub battles: usize,
    /// Battles at once.
    #[arg(long, default_value = "1", value_parser = limits::battles_at_once, allow_negative_numbers = true)]
    pub at_once: usize,
    /// Keep the log of every battle, a page for Showdown's viewer and the choices in this directory.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Agree to open team sheets where the other side does.
    #[arg(long)]
    pub open_sheets: bool,
    /// Sample a model's choices instead of taking the most likely ones.
    #[arg(long)]
    pub sampled: bool,
    /// Seed of what a player leaves to chance, and of the order of the teams.
    #[arg(long, default_value_t = 0, value_parser = count, allow_negative_numbers = true)]
    pub seed: u64,
    /// Print one JSON object at the end; what happens meanwhile is told on standard error.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct NhArgs {
    #[command(subcommand)]
    pub what: NhWhat,
}

#[derive(Subcommand)]
pub enum NhWhat {
    /// Play recorded fights again in the simulator, given what chance decided, and compare every
    /// observation and every mask of both sides.
    Replay {
        /// Recorded fights (.jsonl or .jsonl.gz); the other side's file is looked for beside each.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Show every field, not only those that differ.
        #[arg(long)]
        all: bool,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Count the decisions in recorded fights: what a fighter saw, could do and did, to learn from.
    Decisions {
        /// Recorded fights (.jsonl or .jsonl.gz), one fighter each.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Serve the simulator over the protocol of the original environment, so that its trainer, or any other
    /// that speaks it, trains on it.
    Server(NhServerArgs),
}

#[derive(clap::Args)]
pub struct SurvivorsArgs {
    #[command(subcommand)]
    pub what: SurvivorsWhat,
}

#[derive(Subcommand)]
pub enum SurvivorsWhat {
    /// Show what is in a navigation mesh, and draw it.
    Nav {
        /// A .nav file, or one of our maps: corridor, apartment, street, finale.
        file: PathBuf,
        /// Draw it: areas by the way from start to goal, attributes, drops and ladders.
        #[arg(long, value_name = "OUT")]
        svg: Option<PathBuf>,
        /// Write the mesh itself, such as one of our maps, as a .nav file.
        #[arg(long, value_name = "OUT")]
        write: Option<PathBuf>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Play a match and draw how the director paced it: intensity, stress, phases, what came and when.
    Pacing {
        /// A run's directory, a model.zip, or a recorded match (.rec).
        run: PathBuf,
        /// Where the drawing goes [default: pacing.svg; with --json nowhere].
        #[arg(long, value_name = "FILE.svg")]
        out: Option<PathBuf>,
        /// Print one JSON object: the figures, and everything over time.
        #[arg(long)]
        json: bool,
        /// Seed of the match [default: 0].
        #[arg(long, value_parser = count, allow_negative_numbers = true)]
        seed: Option<u64>,
        /// Play under other settings than in training, such as settings.temperament=intense; may be
        /// repeated.
        #[arg(long, value_name = "KEY=VALUE", value_parser = Override::set)]
        set: Vec<Override>,
    },
    /// Show what happened in a recording of a player (.dem), or write its states and actions.
    Demo {
        /// A .dem file.
        file: PathBuf,
        /// Write what the player saw and did at every tick: a .csv, or else lines of JSON.
        #[arg(long, value_name = "OUT")]
        pairs: Option<PathBuf>,
        /// The mesh of its map (.nav): the pairs then have the legacy view, as far as it is known.
        #[arg(long, value_name = "FILE", requires = "pairs")]
        nav: Option<PathBuf>,
        /// Write everybody that the server told of, with health and place: a line of JSON a packet.
        #[arg(long, value_name = "OUT")]
        entities: Option<PathBuf>,
        /// Print one JSON object.
        #[arg(long, conflicts_with = "csv")]
        json: bool,
        /// Print the events as CSV.
        #[arg(long)]
        csv: bool,
    },
    /// Count the decisions in a recording of a player (.dem): what was seen, offered and done, to learn from.
    Decisions {
        /// A .dem file.
        file: PathBuf,
        /// The mesh of its map (.nav): the way on, and what is in sight, are known then.
        #[arg(long, value_name = "FILE")]
        nav: Option<PathBuf>,
        /// Decisions of the legacy view: 20 numbers and 14 actions.
        #[arg(long)]
        legacy: bool,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Put the simulator behind Mnemosyne v1 and v2, in the place of the game.
    Server(SurvivorsServerArgs),
}

#[derive(clap::Args)]
pub struct SurvivorsServerArgs {
    /// Port, of UDP; 0 takes any.
    #[arg(long, default_value_t = 27050)]
    pub port: u16,
    /// Address to listen on; loopback when silent.
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<std::net::IpAddr>,
    /// A map of ours or a path to a .nav; may be given several times.
    #[arg(long)]
    pub map: Vec<String>,
    /// easy, normal, advanced or expert.
    #[arg(long, default_value = "normal")]
    pub difficulty: String,
    /// relaxed, standard, intense or nightmare: how hard the director means to be.
    #[arg(long, default_value = "standard")]
    pub temperament: String,
    /// Survivors of a game, 1 to 4; whom nobody plays is played by the follower.
    #[arg(long, default_value_t = 4)]
    pub survivors: usize,
    /// Games at once: each v2 client gets one of its own while there are free ones.
    #[arg(long, default_value_t = 1)]
    pub games: usize,
    /// A file whose first line is the shared key of v2.
    #[arg(long, value_name = "FILE", conflicts_with = "key_env")]
    pub key_file: Option<PathBuf>,
    /// A variable of the environment that has the shared key of v2.
    #[arg(long, value_name = "VAR")]
    pub key_env: Option<String>,
    /// Answer v1 from anywhere: whoever reaches the port can play.
    #[arg(long)]
    pub allow_v1: bool,
    /// Send v1 states in the layout that the original client reads.
    #[arg(long)]
    pub v1_legacy_69: bool,
    /// How fast a game runs that waits for no client.
    #[arg(long, value_enum, default_value_t = ServerSpeed::Realtime)]
    pub speed: ServerSpeed,
    /// Serve directors here too, by TCP and UDP, on loopback; 0 takes any port.
    #[arg(long, value_name = "PORT")]
    pub bridge: Option<u16>,
    /// Matches follow from this.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// End after so many seconds.
    #[arg(long = "for", value_name = "SECS")]
    pub for_secs: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ServerSpeed {
    /// 30 ticks a second.
    Realtime,
    /// As fast as it can while somebody plays.
    Max,
}

#[derive(clap::Args)]
pub struct RocketArgs {
    #[command(subcommand)]
    pub what: RocketWhat,
}

#[derive(Subcommand)]
pub enum RocketWhat {
    /// Play one match and print how it began, what every car did at every decision, and what it was
    /// rewarded for.
    Trace(TraceArgs),
    /// Write a folder that RLBot's launcher takes as a bot.
    Rlbot(RlbotArgs),
    /// Show what can be learnt from replays of the game: who played, how many decisions, and how close the
    /// recovered actions come to what was recorded.
    Replay(ReplayFilesArgs),
}

#[derive(clap::Args)]
pub struct ReplayFilesArgs {
    /// `.replay` files, as the game saves them.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Physics ticks between two decisions.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=120))]
    pub tick_skip: u32,
    /// Directory of real collision meshes (soccar/*.cmf) instead of the embedded stand-in.
    #[arg(long, value_name = "DIR")]
    pub collision_meshes: Option<PathBuf>,
    /// Also write what was recovered in every frame, a JSON line each, for comparisons with other programs.
    #[arg(long, value_name = "OUT")]
    pub frames: Option<PathBuf>,
    /// Print a JSON object for each file, a line each.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct TraceArgs {
    /// A run's directory or a model.zip, which then plays; or a preset, which scripted players play
    /// [default: rocket/touch].
    pub what: Option<String>,
    /// Who plays a preset: one of its scripted players.
    #[arg(long, default_value = "rule")]
    pub bot: String,
    /// Who plays orange: self, bot:NAME, or for a model another one.
    #[arg(long, default_value = "self")]
    pub vs: String,
    /// Sample a model's actions instead of taking the most likely ones.
    #[arg(long)]
    pub sampled: bool,
    /// Seed of the match; a model plays the first match of `lanista eval` with the same seed.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Stop after so many decisions [default: at the end of the match].
    #[arg(long)]
    pub steps: Option<u64>,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print a JSON object for every reset, every decision of a car and the end, a line each.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct VgcArgs {
    #[command(subcommand)]
    pub what: VgcWhat,
}

#[derive(Subcommand)]
pub enum VgcWhat {
    /// Install the simulator, Pokémon Showdown, into the cache of the user, or check the one that is there.
    Setup {
        /// Take an install that was made elsewhere: the directory that holds its node_modules. It stays there.
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Run recorded battles through the trackers of both sides, and their choices through what is legal.
    Track {
        /// Recorded battles: JSON with `format`, `p1team`, `p2team`, `log` and `inputLog`, or plain logs.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Read the decisions of recorded battles, as `lanista clone` learns from them, and say what they are worth.
    Decisions {
        /// Recorded battles: JSON with `log` and, better, `inputLog` and teams; plain logs with open team sheets;
        /// `*.choices.jsonl` that `lanista play vgc --keep` wrote. Of directories every such file.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Ask Showdown's validator about teams, and show them.
    Teams {
        /// A file or a directory of teams, packed or exported [default: those that come with the program].
        path: Option<PathBuf>,
        /// What they are to be played in, such as gen9vgc2024regg.
        #[arg(long)]
        format: String,
        /// Show the teams as the text that people exchange.
        #[arg(long, conflicts_with_all = ["packed", "json"])]
        export: bool,
        /// Show the teams as packed lines and nothing else.
        #[arg(long, conflicts_with = "json")]
        packed: bool,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}
