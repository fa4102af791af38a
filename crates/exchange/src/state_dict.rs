//! The files that `torch.save` writes of state dicts: an archive with a pickle that says what the tensors
//! are, and their numbers beside it.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use thiserror::Error;
use zip::ZipArchive;

use crate::pickle::{self, PickleError, TensorPlace};

/// The most tensors: a network of 500 layers.
const MOST_TENSORS: usize = 1000;
/// The most numbers over all tensors, 1 GiB of them.
const MOST_NUMBERS: u64 = 1 << 28;

/// A file that is no state dict.
#[derive(Debug, Error)]
pub enum StateDictError {
    /// It is no archive, or one with something wrong in it.
    #[error("it is no file of torch.save (version 1.6 or later): {0}")]
    Archive(String),
    /// What it says about its tensors cannot be read.
    #[error("data.pkl: {0}")]
    Pickle(#[from] PickleError),
    /// A tensor is not what it seems to be.
    #[error("{name}: {problem}")]
    Tensor {
        /// Which.
        name: String,
        /// How it shows.
        problem: String,
    },
    /// It is larger than what this reads.
    #[error("{0}")]
    TooLarge(String),
}

/// A tensor with its numbers, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its numbers; all are finite.
    pub values: Vec<f32>,
}

/// Reads the tensors of a state dict by name.
pub fn read(bytes: &[u8]) -> Result<BTreeMap<String, Tensor>, StateDictError> {
    let archive = |e: zip::result::ZipError| StateDictError::Archive(e.to_string());
    let mut parts = ZipArchive::new(Cursor::new(bytes)).map_err(archive)?;
    // Everything lies in one folder, which is called after the file.
    let mut names = parts.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
    let pickle_name = names
        .find(|name| name.ends_with("/data.pkl"))
        .ok_or_else(|| StateDictError::Archive("it has no data.pkl".to_owned()))?;
    drop(names);
    let folder = pickle_name.trim_end_matches("data.pkl").to_owned();
    let pickled = part(&mut parts, &pickle_name, pickle::MOST_BYTES as u64)?;
    if let Ok(order) = part(&mut parts, &format!("{folder}byteorder"), 16)
        && order != b"little"
    {
        return Err(StateDictError::Archive("its numbers are not little-endian".to_owned()));
    }
    let places = pickle::read(&pickled)?;
    if places.len() > MOST_TENSORS {
        let message = format!("it holds {} tensors; the most is {MOST_TENSORS}", places.len());
        return Err(StateDictError::TooLarge(message));
    }
    let mut left = MOST_NUMBERS;
    let mut tensors = BTreeMap::new();
    for (name, place) in places {
        let tensor = tensor(&mut parts, &folder, &place, &mut left).map_err(|problem| {
            StateDictError::Tensor { name: name.chars().take(120).collect(), problem }
        })?;
        tensors.insert(name, tensor);
    }
    Ok(tensors)
}

type Parts<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// Unpacks a part of at most so many bytes.
fn part(parts: &mut Parts, name: &str, most: u64) -> Result<Vec<u8>, StateDictError> {
    let archive = |problem: String| StateDictError::Archive(format!("{name}: {problem}"));
    let file = parts.by_name(name).map_err(|e| archive(e.to_string()))?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|e| archive(e.to_string()))?;
    if bytes.len() as u64 > most {
        return Err(archive(format!("it holds more than {most} bytes")));
    }
    Ok(bytes)
}

/// Reads a tensor's numbers, of which so many are left to be read.
fn tensor(
    parts: &mut Parts,
    folder: &str,
    place: &TensorPlace,
    left: &mut u64,
) -> Result<Tensor, String> {
    let whole = place.shape.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
    let whole = whole.filter(|&n| n <= *left && place.stored <= *left);
    let count =
        whole.ok_or_else(|| format!("it is too large: the most is {MOST_NUMBERS} numbers"))?;
    // A storage is read again for every tensor in it, so all of it counts.
    *left -= place.stored.max(count);
    let mut stride = 1;
    for (&size, &apart) in place.shape.iter().zip(&place.strides).rev() {
        if size != 1 && apart != stride {
            return Err("its numbers do not lie row by row; save it with .contiguous()".to_owned());
        }
        stride *= size.max(1);
    }
    if place.offset.checked_add(count).is_none_or(|end| end > place.stored) {
        return Err("it reaches beyond its storage".to_owned());
    }
    let name = format!("{folder}data/{}", place.storage);
    let bytes = part(parts, &name, place.stored * 4).map_err(|e| e.to_string())?;
    if bytes.len() as u64 != place.stored * 4 {
        return Err(format!("{name} holds {} bytes, not {}", bytes.len(), place.stored * 4));
    }
    let numbers = |n: u64| usize::try_from(n).map_err(|_| "it is too large".to_owned());
    let (from, count) = (numbers(place.offset)?, numbers(count)?);
    let (words, _) = bytes.as_chunks::<4>();
    let values: Vec<f32> =
        words[from..from + count].iter().map(|word| f32::from_le_bytes(*word)).collect();
    if let Some(bad) = values.iter().find(|v| !v.is_finite()) {
        return Err(format!("it holds {bad}, which is not a finite number"));
    }
    let shape = place.shape.iter().map(|&n| numbers(n)).collect::<Result<_, _>>()?;
    Ok(Tensor { shape, values })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write;

    use proptest::prelude::*;
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    use super::*;
    use crate::pickle::tests::state_dict;

    /// A file as `torch.save` writes it, with these tensors.
    pub(crate) fn file(tensors: &[(&str, &[u32], &[f32])]) -> Vec<u8> {
        let shapes: Vec<(&str, &[u32])> = tensors.iter().map(|(n, s, _)| (*n, *s)).collect();
        let mut parts = vec![("archive/data.pkl".to_owned(), state_dict(&shapes))];
        parts.push(("archive/byteorder".to_owned(), b"little".to_vec()));
        for (i, (_, _, values)) in tensors.iter().enumerate() {
            let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            parts.push((format!("archive/data/{i}"), bytes));
        }
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for (name, bytes) in parts {
            archive.start_file(name, options).unwrap();
            archive.write_all(&bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    fn sample() -> Vec<u8> {
        file(&[("w", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), ("b", &[2], &[0.5, -0.5])])
    }

    #[test]
    fn tensors_come_back() {
        let read = read(&sample()).unwrap();
        assert_eq!(read["w"].shape, [2, 3]);
        assert_eq!(read["w"].values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(read["b"].values, [0.5, -0.5]);
    }

    #[test]
    fn lies_about_sizes_are_refused() {
        let short = file(&[("w", &[2, 3], &[1.0])]);
        let error = read(&short).unwrap_err().to_string();
        assert!(error.starts_with("w: ") && error.contains("holds 4 bytes, not 24"), "{error}");
        let huge = file(&[("w", &[30_000, 30_000], &[1.0])]);
        let error = read(&huge).unwrap_err().to_string();
        assert!(error.contains("too large"), "{error}");
        let nan = file(&[("w", &[1], &[f32::NAN])]);
        assert!(read(&nan).unwrap_err().to_string().contains("not a finite number"));
        assert!(read(b"nonsense").unwrap_err().to_string().contains("torch.save"));
    }

    proptest! {
        #[test]
        fn mutated_files_never_panic_nor_grow(
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
            keep in any::<prop::sample::Index>(),
        ) {
            let mut bytes = sample();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Ok(tensors) = read(&bytes) {
                let numbers: usize = tensors.values().map(|t| t.values.len()).sum();
                prop_assert!(numbers * 4 <= 2 * bytes.len());
            }
            let _ = read(&bytes[..keep.index(bytes.len())]);
        }
    }
}
