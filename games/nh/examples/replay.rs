use std::collections::HashSet;
fn main() {
    let mut tally = lanista_nh::replay::Tally::default();
    let mut done = HashSet::new();
    for arg in std::env::args().skip(1) {
        let path = std::path::PathBuf::from(&arg);
        if done.contains(&path) {
            continue;
        }
        let mut own = lanista_nh::replay::Tally::default();
        match lanista_nh::replay::Recording::read(&path) {
            Ok(r) => {
                for f in r.files() {
                    done.insert(f.to_path_buf());
                }
                r.replay(&mut own).unwrap();
                r.replay(&mut tally).unwrap();
            }
            Err(e) => println!("{e}"),
        }
        let (c, e) = own.totals();
        println!(
            "{} ticks {} moved {} unmatched {} unequal {}",
            path.file_name().unwrap().to_string_lossy(),
            own.ticks,
            own.moved,
            own.unmatched,
            c - e
        );
    }
    for (name, count) in tally.named() {
        if count.equal != count.compared {
            println!(
                "{name:40} {:8}/{:8} {:?}",
                count.compared - count.equal,
                count.compared,
                count.first
            );
        }
    }
    let (c, e) = tally.totals();
    println!(
        "ticks {} moved {} unmatched {} equal {e}/{c} = {:.6}",
        tally.ticks,
        tally.moved,
        tally.unmatched,
        e as f64 / c as f64
    );
}
