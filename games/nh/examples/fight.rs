//! Plays fights in the simulator and prints all that the contract shows of them, for comparison with others.
//!
//! Reads JSON lines: `{"seed": 7, "settings": {…}, "seats": ["outside", "baseline"]}` begins a fight, and
//! `{"actions": [[12 numbers], [12 numbers]]}` plays a tick of it. Answers each with a line: observations, masks,
//! terms by name, scores and how it ended.
//!
//! ```sh
//! cargo run --release -p lanista-nh --example fight
//! ```

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};

use lanista_game::{Batch, Buffers, Control, Layout};
use lanista_nh::game::BOTS;
use lanista_nh::games;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut fight: Option<(Box<dyn Batch>, Buffers)> = None;
    for line in stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        if let Some(seed) = line["seed"].as_u64() {
            let mut batch = games()[0].build(&line["settings"], 1)?;
            let mut buffers = Buffers::new(batch.spec(), 1);
            let seats = [control(&line["seats"][0])?, control(&line["seats"][1])?];
            batch.start(0, seed, &seats, &mut buffers)?;
            fight = Some((batch, buffers));
        } else if let Some((batch, buffers)) = &mut fight {
            let actions: [[u32; 12]; 2] = serde_json::from_value(line["actions"].clone())?;
            batch.submit(&[0], &actions.concat(), buffers)?;
        }
        let (batch, buffers) = fight.as_ref().ok_or("begin a fight first: give a seed")?;
        writeln!(stdout(), "{}", shown(batch.as_ref(), buffers))?;
        stdout().flush()?;
    }
    Ok(())
}

fn control(name: &Value) -> Result<Control, String> {
    match name.as_str().unwrap_or("outside") {
        "outside" => Ok(Control::Outside),
        name => BOTS
            .iter()
            .position(|bot| *bot == name)
            .map(Control::Bot)
            .ok_or_else(|| format!("there is no player {name}; there are: {}", BOTS.join(", "))),
    }
}

fn shown(batch: &dyn Batch, buffers: &Buffers) -> Value {
    let spec = batch.spec();
    let Layout { features, actions, .. } = buffers.layout();
    let terms = spec.terms.len();
    let seats = (0..2).map(|seat| {
        let terms: serde_json::Map<String, Value> = spec
            .terms
            .iter()
            .zip(&buffers.terms[seat * terms..])
            .map(|(term, value)| (term.name.clone(), json!(value)))
            .collect();
        json!({
            "observation": buffers.observation[seat * features..(seat + 1) * features],
            "mask": buffers.mask[seat * actions..(seat + 1) * actions],
            "terms": terms,
            "score": buffers.score[seat],
        })
    });
    json!({"seats": seats.collect::<Vec<_>>(), "end": buffers.end[0]})
}
