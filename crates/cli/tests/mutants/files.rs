//! Mutants of the program's own files, sealed again so that they are looked into.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use lanista_train::crc::checksum;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::mutate::{self, Dice};

/// A directory's files with their bytes, by path below it.
pub type Tree = BTreeMap<PathBuf, Vec<u8>>;

pub fn read_tree(directory: &Path) -> Tree {
    let mut found = Tree::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            found.extend(read_tree(&path).into_iter().map(|(p, bytes)| (name.join(p), bytes)));
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

pub fn write_tree(directory: &Path, tree: &Tree) {
    let _ = fs::remove_dir_all(directory);
    for (path, bytes) in tree {
        let path = directory.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// A file by what its name says it is.
pub fn file(dice: &mut Dice, name: &str, bytes: &mut Vec<u8>, other: &[u8]) {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "safetensors" => mutate::arrays(dice, bytes, other),
        "json" | "jsonl" | "yml" | "csv" => mutate::text(dice, bytes, other),
        "zip" => model(dice, bytes, other),
        _ => mutate::bytes(dice, bytes, other),
    }
}

/// A model: its bytes, or one of its parts in an archive with the right sums.
pub fn model(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(&bytes[..])) else {
        return mutate::bytes(dice, bytes, other);
    };
    if dice.below(4) == 0 {
        return mutate::bytes(dice, bytes, other);
    }
    let mut parts = Vec::new();
    for i in 0..archive.len() {
        let mut part = archive.by_index(i).unwrap();
        let (name, mut bytes) = (part.name().unwrap().to_string(), Vec::new());
        part.read_to_end(&mut bytes).unwrap();
        parts.push((name, bytes));
    }
    let chosen = dice.below(parts.len());
    let (name, part) = &mut parts[chosen];
    let name = name.clone();
    file(dice, &name, part, other);
    let mut sealed = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, part) in parts {
        sealed.start_file(name, stored).unwrap();
        sealed.write_all(&part).unwrap();
    }
    *bytes = sealed.finish().unwrap().into_inner();
}

/// A run: one of its files, and the sums of its checkpoint set right again, mostly.
pub fn run(dice: &mut Dice, tree: &mut Tree, files: impl Fn(&Path) -> bool) {
    let names: Vec<PathBuf> = tree.keys().filter(|path| files(path)).cloned().collect();
    let name = dice.pick(&names).clone();
    let other = tree[dice.pick(&names)].clone();
    let shown = name.file_name().unwrap().to_string_lossy().into_owned();
    file(dice, &shown, tree.get_mut(&name).unwrap(), &other);
    let sums = name.with_file_name("SUMS");
    if shown != "SUMS" && tree.contains_key(&sums) && dice.below(8) > 0 {
        let directory = name.parent().unwrap();
        let beside = |path: &Path| path.parent() == Some(directory) && *path != sums;
        let line = |(path, bytes): (&PathBuf, &Vec<u8>)| {
            let name = path.file_name().unwrap().to_string_lossy();
            format!("{:08x} {} {name}\n", checksum(bytes), bytes.len())
        };
        let mut text: String = tree.iter().filter(|(path, _)| beside(path)).map(line).collect();
        let lines = text.lines().count();
        text.push_str(&format!("{:08x} {lines} SUMS\n", checksum(text.as_bytes())));
        tree.insert(sums, text.into_bytes());
    }
}
