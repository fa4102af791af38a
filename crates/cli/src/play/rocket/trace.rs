//! Every packet as the bot understood it, a line of JSON each.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use lanista_rocket::live::session::Moment;
use lanista_rocket::state::{Body, Car};
use serde_json::{Value, json};

/// A file that is being written.
pub struct Trace {
    out: BufWriter<File>,
    path: PathBuf,
    failed: Option<std::io::Error>,
}

impl Trace {
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let file = File::create(path).with_context(|| format!("--trace {}", path.display()))?;
        Ok(Self { out: BufWriter::new(file), path: path.to_owned(), failed: None })
    }

    /// Adds a line. A disk that is full does not end a match; it is told at the end.
    pub fn write(&mut self, moment: &Moment) {
        if self.failed.is_none() {
            self.failed = writeln!(self.out, "{}", line(moment)).err();
        }
    }

    pub fn finish(&mut self) -> anyhow::Result<()> {
        let written = self.failed.take().map_or_else(|| self.out.flush(), Err);
        written.with_context(|| format!("--trace {}", self.path.display()))
    }
}

fn line(moment: &Moment) -> Value {
    let state = moment.state;
    let choices: Vec<Value> = moment
        .choices
        .iter()
        .map(|choice| json!({"row": choice.row, "value": choice.value}))
        .collect();
    json!({
        "frame": moment.packet.frame,
        "phase": moment.packet.phase.name(),
        "ball": body(&state.ball),
        "cars": state.cars.iter().map(car).collect::<Vec<_>>(),
        "pad_secs": state.pad_secs.as_slice(),
        "driven": moment.cars,
        "decided": moment.decided,
        "choices": choices,
        "rows": moment.rows,
    })
}

fn body(body: &Body) -> Value {
    json!({
        "pos": body.pos.to_array(), "vel": body.vel.to_array(), "ang_vel": body.ang_vel.to_array(),
    })
}

fn car(car: &Car) -> Value {
    json!({
        "team": car.team.index(),
        "body": body(&car.body),
        "forward": car.forward().to_array(),
        "right": car.right().to_array(),
        "up": car.up().to_array(),
        "boost": car.boost,
        "on_ground": car.on_ground,
        "has_jump": car.has_jump,
        "has_flip": car.has_flip,
        "jumping": car.jumping,
        "flipping": car.flipping,
        "supersonic": car.supersonic,
        "demolished": car.demolished,
        "respawn_secs": car.respawn_secs,
        "air_secs": car.air_secs,
        "body_contact": car.body_contact,
        "last_action": car.last_action,
    })
}
