//! Prints the constant `ANCHORS` of the procedural arena: see `arena::anchors`.

use lanista_game::seed;
use lanista_rocket::arena::{anchors, procedural};
use rand::RngExt;

fn main() {
    println!("pub const ANCHORS: [Anchor; 16] = [");
    for (piece, id) in procedural::pieces().iter().zip(anchors::IDS) {
        let mut rng = seed::rng(0);
        let anchor = anchors::find(piece, id, |below| rng.random_range(0..below));
        println!("    {anchor:?}, // {}", piece.name);
    }
    println!("];");
}
