//! What a person sees while a bot plays.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use lanista_rocket::live::message::{MatchSetup, OwnCars};
use lanista_rocket::live::session::{Moment, Watcher};
use lanista_rocket::settings::Settings;
use lanista_rocket::state::PADS;
use lanista_rocket::table;

use super::trace::Trace;

/// Between two lines: on a terminal, where a line replaces the one before it, and elsewhere.
const ON_TERMINAL: Duration = Duration::from_millis(250);
const ELSEWHERE: Duration = Duration::from_secs(10);
/// Names of the schema's game modes.
const MODES: [&str; 8] =
    ["soccar", "hoops", "dropshot", "snow day", "rumble", "heatseeker", "gridiron", "knockout"];

/// The lines, and the trace if there is one.
pub struct Screen<'a> {
    settings: &'a Settings,
    /// Standard output is for the result alone.
    apart: bool,
    terminal: bool,
    trace: Option<Trace>,
    shown: Instant,
    /// A line is on the terminal that the next one replaces.
    line: bool,
    decisions: u64,
    slowest: Duration,
    goals: [u32; 2],
}

impl<'a> Screen<'a> {
    pub fn new(settings: &'a Settings, apart: bool, trace: Option<Trace>) -> Self {
        let terminal = match apart {
            true => std::io::stderr().is_terminal(),
            false => std::io::stdout().is_terminal(),
        };
        Self {
            settings,
            apart,
            terminal,
            trace,
            shown: Instant::now(),
            line: false,
            decisions: 0,
            slowest: Duration::ZERO,
            goals: [0; 2],
        }
    }

    /// A line that stays.
    pub fn say(&mut self, text: &str) {
        let end = if std::mem::take(&mut self.line) { "\r\x1b[K" } else { "" };
        if self.apart { complain!("{end}{text}") } else { say!("{end}{text}") }
    }

    /// Writes the trace out.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        if std::mem::take(&mut self.line) {
            self.say("");
        }
        self.trace.as_mut().map_or(Ok(()), Trace::finish)
    }

    /// A line that the next one replaces, where that is possible.
    fn live(&mut self, text: &str) {
        if !self.terminal {
            return self.say(text);
        }
        let line = format!("\r{text}\x1b[K");
        // Somebody who looks away is no reason to stop.
        let _ = match self.apart {
            true => std::io::stderr().write_all(line.as_bytes()),
            false => std::io::stdout()
                .write_all(line.as_bytes())
                .and_then(|()| std::io::stdout().flush()),
        };
        self.line = true;
    }
}

impl Watcher for Screen<'_> {
    fn news(&mut self, text: &str) {
        self.say(text);
    }

    fn meet(&mut self, setup: &MatchSetup, cars: &OwnCars, pads_found: usize) {
        let [blue, orange] = setup.teams;
        let mode = MODES.get(usize::from(setup.game_mode)).unwrap_or(&"another mode");
        let team = if cars.team == 1 { "orange" } else { "blue" };
        let driven = cars.players.len();
        self.say(&format!("{mode}, {blue}v{orange}: drives {driven} of {team}"));
        let mut warn = |text: String| self.say(&format!("warning: {text}"));
        if setup.game_mode != 0 {
            warn(format!(
                "the model has learnt soccar, not {mode}; choose Soccar as the game mode"
            ));
        }
        if pads_found < PADS {
            warn(format!(
                "{pads_found} of soccar's {PADS} boost pads are where the model knows them; the others look \
                 empty to it; choose a standard map"
            ));
        }
        if driven == 0 {
            warn("there is no car to drive; is the bot on a team?".to_owned());
        }
        let seats = self.settings.seats_a_team();
        let largest = blue.max(orange);
        if largest > seats {
            self.say(&format!(
                "warning: the model sees teams of {seats}, and this is {blue}v{orange}: it does not see \
                 everybody; train with settings.max_team={largest} (rocket/2v2, rocket/3v3, rocket/teams), or \
                 choose smaller teams"
            ));
        } else if self.settings.teams.is_empty() {
            let (ours, theirs) = self.settings.sizes();
            let sizes = if cars.team == 1 { (orange, blue) } else { (blue, orange) };
            if sizes != (ours, theirs) && sizes != (theirs, ours) {
                self.say(&format!(
                    "warning: the model was trained in {ours}v{theirs} alone and has never met {blue}v{orange}; \
                     settings.teams trains for several sizes"
                ));
            }
        }
    }

    fn moment(&mut self, moment: &Moment) {
        if let Some(trace) = &mut self.trace {
            trace.write(moment);
        }
        let packet = moment.packet;
        self.decisions += u64::from(moment.decided);
        self.slowest = self.slowest.max(moment.latency.unwrap_or_default());
        if packet.goals != self.goals {
            self.goals = packet.goals;
            let [blue, orange] = packet.goals;
            self.say(&format!("blue {blue} : {orange} orange"));
        }
        let since = self.shown.elapsed();
        if since < if self.terminal { ON_TERMINAL } else { ELSEWHERE } {
            return;
        }
        let rate = self.decisions as f64 / since.as_secs_f64();
        let text = line(moment, rate, self.slowest);
        self.live(&text);
        (self.shown, self.decisions, self.slowest) = (Instant::now(), 0, Duration::ZERO);
    }
}

/// Score, clock, what the first car sees, does and thinks, and how fast.
fn line(moment: &Moment, rate: f64, slowest: Duration) -> String {
    let packet = moment.packet;
    let [blue, orange] = packet.goals;
    let secs = packet.clock_secs.clamp(0.0, 86_400.0) as u64;
    let over = if packet.overtime { "+" } else { "" };
    let mut text = format!(
        "blue {blue}:{orange} orange  {over}{}:{:02} {:<9}",
        secs / 60,
        secs % 60,
        packet.phase.name()
    );
    if let (Some(&car), Some(&row)) = (moment.cars.first(), moment.rows.first()) {
        let car = &moment.state.cars[car];
        let away = car.body.pos.distance(moment.state.ball.pos);
        let where_to = match (car.demolished, car.on_ground) {
            (true, _) => "in pieces",
            (_, true) => "on its wheels",
            _ => "in the air",
        };
        text += &format!("  ball {away:>5.0} uu, boost {:>3.0}, {where_to}", car.boost);
        text += &format!("  {}", table::names()[row]);
        if let Some(value) = moment.choices.first().and_then(|choice| choice.value) {
            text += &format!("  value {value:+.2}");
        }
    }
    text += &format!("  {rate:.1} decisions/s, within {} µs", slowest.as_micros());
    text
}
