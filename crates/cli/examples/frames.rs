//! A match of scripted players as the views of the page read it: what does not change, every frame, every choice.
//!
//! ```text
//! cargo run -p lanista-cli --example frames -- rocket out.json --bots rule,chase --settings '{"team_size":2}'
//! ```
//!
//! `--seed N`, `--settings JSON`, `--bots A,B` (by turns over the seats of a role, where it has them), `--first A` and
//! `--last B` (the steps that are kept), `--limit N` (steps after which it stops).

use std::time::Duration;

use anyhow::{Context, bail};
use lanista_game::{Batch, Buffers, Control, Entry, Spec, await_answer};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

struct Asked {
    game: String,
    out: String,
    seed: u64,
    settings: Value,
    bots: Vec<String>,
    first: usize,
    last: usize,
    limit: usize,
}

fn main() -> anyhow::Result<()> {
    let asked = read(std::env::args().skip(1))?;
    let entry = find(&asked.game)?;
    let mut batch = entry.build(&asked.settings, 1)?;
    let file = play(batch.as_mut(), &asked)?;
    std::fs::write(&asked.out, file.to_string())
        .with_context(|| format!("cannot write {}", asked.out))?;
    let frames = file["frames"].as_array().map_or(0, Vec::len);
    println!("{}: {frames} frames of {} steps", asked.out, file["match"]["length"]);
    Ok(())
}

fn read(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Asked> {
    let mut next = |what: &str| arguments.next().with_context(|| format!("{what} is missing"));
    let mut asked = Asked {
        game: next("the game")?,
        out: next("the file to write")?,
        seed: 0,
        settings: Value::Null,
        bots: Vec::new(),
        first: 0,
        last: usize::MAX,
        limit: 5000,
    };
    while let Some(flag) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--seed" => asked.seed = value.parse()?,
            "--settings" => asked.settings = serde_json::from_str(&value)?,
            "--bots" => asked.bots = value.split(',').map(str::to_owned).collect(),
            "--first" => asked.first = value.parse()?,
            "--last" => asked.last = value.parse()?,
            "--limit" => asked.limit = value.parse()?,
            _ => bail!("there is no {flag}"),
        }
    }
    Ok(asked)
}

fn find(name: &str) -> anyhow::Result<Entry> {
    let mut games = lanista_classic::games().to_vec();
    games.extend(lanista_rocket::games());
    games.extend(lanista_nh::games());
    games.extend(lanista_survivors::games());
    games.extend(lanista_vgc::battles::games());
    games.into_iter().find(|entry| entry.name == name).with_context(|| format!("no game {name}"))
}

/// Who sits where: the named players by turns, or whoever comes first.
fn seating(spec: &Spec, bots: &[String]) -> Vec<Control> {
    let mut taken = vec![0; spec.roles.len()];
    let control = |seat: &lanista_game::Seat| {
        let role = &spec.roles[seat.role];
        let known: Vec<usize> = bots.iter().filter_map(|name| role.bot(name)).collect();
        let bot = known.get(taken[seat.role] % known.len().max(1)).copied().unwrap_or(0);
        taken[seat.role] += 1;
        if seat.empty { Control::Nobody } else { Control::Bot(bot) }
    };
    spec.seats.iter().map(control).collect()
}

fn play(batch: &mut dyn Batch, asked: &Asked) -> anyhow::Result<Value> {
    let spec = batch.spec().clone();
    let seats = seating(&spec, &asked.bots);
    let mut buffers = Buffers::new(&spec, 1);
    let (heads, terms) = (buffers.layout().heads, spec.terms.len());
    batch.start(0, asked.seed, &seats, &mut buffers)?;
    await_answer(batch, PATIENCE, &mut buffers)?;
    let shown = |text: String| -> anyhow::Result<Value> {
        if text.is_empty() { Ok(Value::Null) } else { Ok(serde_json::from_str(&text)?) }
    };
    let mut text = String::new();
    batch.scene(0, &mut text);
    let scene = shown(std::mem::take(&mut text))?;
    let (mut frames, mut joints, mut earned, mut acting) = (vec![], vec![], vec![], vec![]);
    let mut step = 0;
    loop {
        let keeps = (asked.first..=asked.last).contains(&step);
        batch.frame(0, &mut text);
        if keeps {
            frames.push(shown(std::mem::take(&mut text))?);
        }
        let is_over = step > 0 && buffers.end[0].is_some();
        if is_over || step >= asked.limit {
            break;
        }
        let mut joint = vec![0; seats.len() * heads];
        for (seat, control) in seats.iter().enumerate() {
            let role = spec.role_of(seat);
            if let Control::Bot(bot) = control
                && buffers.acting[seat]
                && !role.bots[*bot].inside
            {
                let place = seat * heads..seat * heads + role.heads.len();
                batch.scripted(0, *bot, seat, &mut joint[place])?;
            }
        }
        if keeps {
            joints.push(json!(joint));
            acting.push(json!(buffers.acting));
        }
        batch.submit(&[0], &joint, &mut buffers)?;
        await_answer(batch, PATIENCE, &mut buffers)?;
        if keeps {
            earned.push(json!(buffers.terms.chunks(terms.max(1)).collect::<Vec<_>>()));
        }
        step += 1;
    }
    let name = |seat: usize| match seats[seat] {
        Control::Bot(bot) => spec.role_of(seat).bots[bot].name.clone(),
        _ => "nobody".to_owned(),
    };
    let seats: Vec<Value> = (spec.seats.iter().enumerate())
        .map(|(at, seat)| {
            json!({"name": name(at), "team": seat.team, "role": spec.role_of(at).name})
        })
        .collect();
    let roles: Vec<Value> =
        spec.roles.iter().map(|role| json!({"name": role.name, "heads": role.heads})).collect();
    let kinds: Vec<Value> =
        spec.terms.iter().map(|term| json!({"name": term.name, "kind": term.kind})).collect();
    Ok(json!({
        "match": {
            "game": asked.game,
            "spec": {"roles": roles, "seats": seats, "terms": kinds},
            "length": step,
            "step_seconds": batch.step_secs(),
            "static": scene,
        },
        "first": asked.first,
        "frames": frames,
        "joint": joints,
        "terms": earned,
        "acting": acting,
    }))
}
