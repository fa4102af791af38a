//! `lanista survivors`: what concerns Left 4 Dead 2 alone.

mod decisions;
mod pacing;
mod server;

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, bail};
use lanista_survivors::demo::entities::snapshot;
use lanista_survivors::demo::pairs::{pairs, write_csv, write_json_lines};
use lanista_survivors::demo::{Demo, Pair};
use lanista_survivors::maps;
use lanista_survivors::nav::{Hint, Mesh, Report, Terrain, svg};

use crate::args::{SurvivorsArgs, SurvivorsWhat};

/// The most bytes of a mesh or of a recording.
const MOST_BYTES: u64 = 1 << 30;

pub fn run(args: SurvivorsArgs) -> anyhow::Result<()> {
    match args.what {
        SurvivorsWhat::Nav { file, svg, write, json } => {
            nav(&file, svg.as_deref(), write.as_deref(), json)
        }
        SurvivorsWhat::Pacing { run, out, json, seed, set } => {
            pacing::run(&run, out.as_deref(), json, seed, &set)
        }
        SurvivorsWhat::Demo { file, pairs, nav, entities, json, csv } => {
            demo(&file, pairs.as_deref(), nav.as_deref(), entities.as_deref(), json, csv)
        }
        SurvivorsWhat::Decisions { file, nav, legacy, json } => {
            decisions::run(&file, nav.as_deref(), legacy, json)
        }
        SurvivorsWhat::Server(args) => server::run(&args),
    }
}

fn bytes_of(file: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = file.display();
    let size = std::fs::metadata(file).with_context(|| format!("cannot read {shown}"))?.len();
    if size > MOST_BYTES {
        bail!("{shown} has {size} bytes; no file of this kind is that large");
    }
    std::fs::read(file).with_context(|| format!("cannot read {shown}"))
}

fn nav(file: &Path, out: Option<&Path>, copy: Option<&Path>, json: bool) -> anyhow::Result<()> {
    let shown = file.display();
    let ours = file.to_str().filter(|_| !file.exists()).and_then(maps::by_name);
    let (bytes, hint) = match ours {
        Some(mesh) => (mesh.write(), Hint::default()),
        None if !file.exists() && file.extension().is_none() => {
            bail!(
                "no file {shown}, and no map of ours: they are {}; or name a .nav file",
                maps::NAMES.join(", ")
            )
        }
        None => (bytes_of(file)?, Hint::beside(file)?),
    };
    let report = Report::read(&bytes, &hint).with_context(|| shown.to_string())?;
    if let Some(out) = out {
        let mesh = Mesh::read(&bytes).with_context(|| shown.to_string())?;
        let terrain = Terrain::new(&mesh, &hint).with_context(|| shown.to_string())?;
        let title = file.file_stem().unwrap_or_default().to_string_lossy();
        std::fs::write(out, svg(&terrain, &title))
            .with_context(|| format!("cannot write {}", out.display()))?;
    }
    if let Some(copy) = copy {
        std::fs::write(copy, &bytes).with_context(|| format!("cannot write {}", copy.display()))?;
    }
    if json {
        say!("{}", report.to_json());
    } else {
        say!("{shown}");
        say!("{report}");
    }
    Ok(())
}

fn demo(
    file: &Path,
    out: Option<&Path>,
    nav: Option<&Path>,
    entities: Option<&Path>,
    json: bool,
    csv: bool,
) -> anyhow::Result<()> {
    let shown = file.display();
    let demo = Demo::read(&bytes_of(file)?).with_context(|| shown.to_string())?;
    if let Some(out) = out {
        let terrain = nav.map(|nav| terrain_of(nav, &demo.header.map)).transpose()?;
        let made = pairs(&demo, terrain.as_ref());
        write_pairs(&made, out).with_context(|| format!("cannot write {}", out.display()))?;
        let play = made.iter().filter(|pair| pair.not_play.is_none()).count();
        eprintln!("{} ticks to {}, {play} of them play", made.len(), out.display());
    }
    if let Some(out) = entities {
        write_entities(&demo, out).with_context(|| format!("cannot write {}", out.display()))?;
        eprintln!("{} packets with entities to {}", demo.snapshots.len(), out.display());
    }
    if json {
        say!("{}", demo.json());
    } else if csv {
        say!("{}", demo.csv().trim_end());
    } else {
        tell(&demo);
    }
    Ok(())
}

/// The mesh of the map that a recording was made on.
fn terrain_of(nav: &Path, map: &str) -> anyhow::Result<Terrain> {
    let shown = nav.display();
    if nav.file_stem().is_none_or(|stem| stem != map) {
        bail!("the recording was made on {map}, and {shown} is not its mesh: give {map}.nav");
    }
    let mesh = Mesh::read(&bytes_of(nav)?).with_context(|| shown.to_string())?;
    Terrain::new(&mesh, &Hint::beside(nav)?).with_context(|| shown.to_string())
}

fn write_pairs(pairs: &[Pair], out: &Path) -> std::io::Result<()> {
    let mut to = BufWriter::new(std::fs::File::create(out)?);
    match out.extension().is_some_and(|kind| kind == "csv") {
        true => write_csv(pairs, &mut to)?,
        false => write_json_lines(pairs, &mut to)?,
    }
    to.flush()
}

fn write_entities(demo: &Demo, out: &Path) -> std::io::Result<()> {
    let mut to = BufWriter::new(std::fs::File::create(out)?);
    snapshot::write_json_lines(&demo.snapshots, &mut to)?;
    to.flush()
}

fn tell(demo: &Demo) {
    let header = &demo.header;
    say!(
        "{} on {}, network protocol {}, {:.1} seconds, {} frames, {} commands, {} packets ({} unread)",
        header.client,
        header.map,
        header.network_protocol,
        demo.seconds(),
        demo.frame_count(),
        demo.commands.len(),
        demo.packet_count(),
        demo.packets_unread
    );
    say!("{}", demo.timeline().trim_end());
    for (name, count) in demo.events_by_name() {
        say!("  {name:<32} {count}");
    }
}
