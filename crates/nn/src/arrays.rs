//! Named flat arrays as safetensors bytes.
//!
//! Reading leaves the format to the `safetensors` crate. Writing happens here, because that crate
//! writes its metadata in the random order of a hash map: equal arrays must give equal bytes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use safetensors::{Dtype, SafeTensors};

use crate::error::WeightsError;

/// A flat array of one of the types that checkpoints use.
#[derive(Clone, Debug, PartialEq)]
pub enum Array<'a> {
    /// Single-precision numbers.
    F32(Cow<'a, [f32]>),
    /// 32-bit counts.
    U32(Cow<'a, [u32]>),
    /// 64-bit counts.
    U64(Cow<'a, [u64]>),
}

impl Array<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::F32(_) => "F32",
            Self::U32(_) => "U32",
            Self::U64(_) => "U64",
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::F32(x) => x.len(),
            Self::U32(x) => x.len(),
            Self::U64(x) => x.len(),
        }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::F32(x) => x.iter().for_each(|x| bytes.extend(x.to_le_bytes())),
            Self::U32(x) => x.iter().for_each(|x| bytes.extend(x.to_le_bytes())),
            Self::U64(x) => x.iter().for_each(|x| bytes.extend(x.to_le_bytes())),
        }
    }
}

impl<'a> From<&'a [f32]> for Array<'a> {
    fn from(values: &'a [f32]) -> Self {
        Self::F32(Cow::Borrowed(values))
    }
}

impl<'a> From<&'a [u32]> for Array<'a> {
    fn from(values: &'a [u32]) -> Self {
        Self::U32(Cow::Borrowed(values))
    }
}

impl<'a> From<&'a [u64]> for Array<'a> {
    fn from(values: &'a [u64]) -> Self {
        Self::U64(Cow::Borrowed(values))
    }
}

/// Named flat arrays, as read from a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrays {
    arrays: BTreeMap<String, Array<'static>>,
    metadata: BTreeMap<String, String>,
}

impl Arrays {
    /// Reads any number of named flat arrays.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let (file, metadata) = open(bytes)?;
        let mut arrays = BTreeMap::new();
        for (name, view) in file.iter() {
            let array = match view.dtype() {
                Dtype::F32 => Array::F32(read_f32(view.data()).collect()),
                Dtype::U32 => {
                    Array::U32(words(view.data()).map(|w| u32::from_le_bytes(*w)).collect())
                }
                Dtype::U64 => {
                    Array::U64(words(view.data()).map(|w| u64::from_le_bytes(*w)).collect())
                }
                other => {
                    return Err(WeightsError::Type {
                        name: name.into(),
                        expected: "F32, U32 or U64",
                        found: other.to_string(),
                    });
                }
            };
            arrays.insert(name.to_owned(), array);
        }
        Ok(Self { arrays, metadata })
    }

    /// The texts stored beside the arrays.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// Names of the arrays that have not been taken, in alphabetic order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.arrays.keys().map(String::as_str)
    }

    /// Takes an array of single-precision numbers out.
    pub fn take_f32(&mut self, name: &str) -> Result<Vec<f32>, WeightsError> {
        match self.take(name)? {
            Array::F32(x) => Ok(x.into_owned()),
            other => Err(wrong_type(name, "F32", &other)),
        }
    }

    /// Takes an array of 32-bit counts out.
    pub fn take_u32(&mut self, name: &str) -> Result<Vec<u32>, WeightsError> {
        match self.take(name)? {
            Array::U32(x) => Ok(x.into_owned()),
            other => Err(wrong_type(name, "U32", &other)),
        }
    }

    /// Takes an array of 64-bit counts out.
    pub fn take_u64(&mut self, name: &str) -> Result<Vec<u64>, WeightsError> {
        match self.take(name)? {
            Array::U64(x) => Ok(x.into_owned()),
            other => Err(wrong_type(name, "U64", &other)),
        }
    }

    fn take(&mut self, name: &str) -> Result<Array<'static>, WeightsError> {
        self.arrays.remove(name).ok_or_else(|| WeightsError::Missing(name.into()))
    }
}

/// Writes named flat arrays. Names must be distinct; equal input gives equal bytes.
pub fn arrays_to_bytes(
    arrays: &[(&str, Array<'_>)],
    metadata: &BTreeMap<String, String>,
) -> Vec<u8> {
    // Eight-byte numbers first: then every array starts at a multiple of its number's size.
    let mut order: Vec<&(&str, Array<'_>)> = arrays.iter().collect();
    order.sort_by_key(|(_, array)| !matches!(array, Array::U64(_)));
    let entries = order.into_iter().map(|(name, array)| (*name, vec![array.len()], array.clone()));
    tensors_to_bytes(entries.collect(), metadata)
}

/// A file as the crate reads it, and its metadata in a fixed order.
pub(crate) type Opened<'a> = (SafeTensors<'a>, BTreeMap<String, String>);

pub(crate) fn open(bytes: &[u8]) -> Result<Opened<'_>, WeightsError> {
    let corrupt = |error: safetensors::SafeTensorError| WeightsError::Corrupt(error.to_string());
    if has_absurd_number(bytes) {
        return Err(WeightsError::Corrupt("a size or offset beyond any file".into()));
    }
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(corrupt)?;
    let texts = metadata.metadata().iter().flatten();
    let texts = texts.map(|(k, v)| (k.clone(), v.clone())).collect();
    Ok((SafeTensors::deserialize(bytes).map_err(corrupt)?, texts))
}

/// Does the header hold a number of more than 15 digits?
///
/// Offsets close to 2⁶⁴ overflow an addition inside the crate, which panics in builds that check
/// for it. No honest size or offset is as long.
fn has_absurd_number(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else { return false };
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (mut in_string, mut escaped, mut digits) = (false, false, 0);
    for &byte in &rest[..length.min(rest.len())] {
        let counts = !in_string && byte.is_ascii_digit();
        digits = if counts { digits + 1 } else { 0 };
        if digits > 15 {
            return true;
        }
        in_string ^= byte == b'"' && !escaped;
        escaped = in_string && byte == b'\\' && !escaped;
    }
    false
}

/// Writes arrays in the given order, each with a name and a shape. Equal input gives equal bytes.
pub fn tensors_to_bytes(
    entries: Vec<(&str, Vec<usize>, Array<'_>)>,
    metadata: &BTreeMap<String, String>,
) -> Vec<u8> {
    debug_assert_eq!(
        entries.iter().map(|e| e.0).collect::<BTreeSet<_>>().len(),
        entries.len(),
        "tensors need distinct names"
    );
    let mut header = String::from("{");
    if !metadata.is_empty() {
        header.push_str("\"__metadata__\":{");
        for (i, (key, value)) in metadata.iter().enumerate() {
            header.push_str(if i == 0 { "" } else { "," });
            push_json_string(&mut header, key);
            header.push(':');
            push_json_string(&mut header, value);
        }
        header.push('}');
    }
    let mut data = Vec::new();
    for (name, shape, array) in entries {
        let start = data.len();
        array.write(&mut data);
        header.push_str(if header.len() == 1 { "" } else { "," });
        push_json_string(&mut header, name);
        let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
        // Writing to a string cannot fail.
        let _ = write!(
            header,
            ":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{start},{}]}}",
            array.kind(),
            shape.join(","),
            data.len()
        );
    }
    header.push('}');
    // Spaces align the data to eight bytes.
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut bytes = Vec::with_capacity(8 + header.len() + data.len());
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The bytes in words; the data may start anywhere, so no cast to a wider type is sound.
fn words<const N: usize>(data: &[u8]) -> impl Iterator<Item = &[u8; N]> {
    data.as_chunks::<N>().0.iter()
}

pub(crate) fn read_f32(data: &[u8]) -> impl Iterator<Item = f32> {
    words(data).map(|w| f32::from_le_bytes(*w))
}

fn wrong_type(name: &str, expected: &'static str, found: &Array<'_>) -> WeightsError {
    WeightsError::Type { name: name.into(), expected, found: found.kind().into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Vec<u8> {
        let metadata = BTreeMap::from([
            ("step".to_owned(), "12".to_owned()),
            ("note".to_owned(), "a \"quoted\" \\ line\nwith ünïcode \u{1}".to_owned()),
        ]);
        let arrays = [
            ("exp_avg", Array::from(&[1.5f32, f32::MIN_POSITIVE, -0.0][..])),
            ("counts", Array::from(&[7u32, u32::MAX][..])),
            ("rng", Array::from(&[u64::MAX, 1, 2, 3][..])),
            ("none", Array::from(&[0f32; 0][..])),
        ];
        arrays_to_bytes(&arrays, &metadata)
    }

    #[test]
    fn round_trip() {
        let bytes = sample();
        let mut arrays = Arrays::from_bytes(&bytes).unwrap();
        assert_eq!(arrays.metadata()["note"], "a \"quoted\" \\ line\nwith ünïcode \u{1}");
        assert_eq!(arrays.metadata()["step"], "12");
        assert_eq!(arrays.names().collect::<Vec<_>>(), ["counts", "exp_avg", "none", "rng"]);
        assert_eq!(arrays.take_f32("exp_avg").unwrap(), [1.5, f32::MIN_POSITIVE, -0.0]);
        assert_eq!(arrays.take_u32("counts").unwrap(), [7, u32::MAX]);
        assert_eq!(arrays.take_u64("rng").unwrap(), [u64::MAX, 1, 2, 3]);
        assert_eq!(arrays.take_f32("none").unwrap(), [0f32; 0]);
        assert_eq!(arrays.names().count(), 0);
    }

    #[test]
    fn bytes_are_deterministic_and_aligned() {
        let bytes = sample();
        assert_eq!(bytes, sample());
        let header = u64::from_le_bytes(bytes[..8].try_into().unwrap());
        assert_eq!(header % 8, 0);
        // The largest numbers come first, whatever the order of the call.
        assert_eq!(bytes[8 + header as usize..][..8], [0xff; 8]);
    }

    #[test]
    fn no_arrays_at_all() {
        let bytes = arrays_to_bytes(&[], &BTreeMap::new());
        assert_eq!(Arrays::from_bytes(&bytes).unwrap(), Arrays::default());
    }

    #[test]
    fn wrong_names_and_types_are_named() {
        let mut arrays = Arrays::from_bytes(&sample()).unwrap();
        let error = arrays.take_f32("exp_avg_sq").unwrap_err().to_string();
        assert_eq!(error, "there is no array `exp_avg_sq`");
        let error = arrays.take_f32("rng").unwrap_err().to_string();
        assert_eq!(error, "`rng` holds U64, expected F32");
    }

    fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn hostile_headers_are_refused() {
        // Eight arrays of almost 2⁶¹ bytes each end close to 2⁶⁴.
        let size = (1u64 << 61) - 1;
        let entries: Vec<String> = (0..8)
            .map(|i| {
                let (start, end) = (i * size, (i + 1) * size);
                format!(
                    r#""t{i}":{{"dtype":"U8","shape":[{size}],"data_offsets":[{start},{end}]}}"#
                )
            })
            .collect();
        let overflow = format!("{{{}}}", entries.join(","));
        let hole = r#"{"t":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#;
        let beyond = r#"{"t":{"dtype":"F32","shape":[9],"data_offsets":[0,36]}}"#;
        let other = r#"{"t":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}"#;
        for header in [&overflow, hole, beyond, "", "{", "[]", "nonsense"] {
            let error = Arrays::from_bytes(&with_header(header, &[0; 8])).unwrap_err();
            assert!(matches!(error, WeightsError::Corrupt(_)), "{header}: {error}");
        }
        let error = Arrays::from_bytes(&with_header(other, &[0; 8])).unwrap_err();
        assert_eq!(error.to_string(), "`t` holds F64, expected F32, U32 or U64");
        let huge = [0xff; 16];
        assert!(matches!(Arrays::from_bytes(&huge), Err(WeightsError::Corrupt(_))));
    }

    #[test]
    fn long_digits_in_names_are_no_sizes() {
        let name = "run \\\"12345678901234567890";
        let bytes = arrays_to_bytes(&[(name, Array::from(&[1f32][..]))], &BTreeMap::new());
        assert_eq!(Arrays::from_bytes(&bytes).unwrap().take_f32(name).unwrap(), [1.0]);
    }

    proptest! {
        #[test]
        fn any_arrays_come_back(
            floats in proptest::collection::vec(any::<u32>().prop_map(f32::from_bits), 0..20),
            counts in proptest::collection::vec(any::<u64>(), 0..20),
            name in "[^ab]*",
            text: String,
        ) {
            let names = [format!("a{name}"), format!("b{name}")];
            let metadata = BTreeMap::from([(text.clone(), text)]);
            let arrays = [
                (names[0].as_str(), Array::from(&floats[..])),
                (names[1].as_str(), Array::from(&counts[..])),
            ];
            let mut back = Arrays::from_bytes(&arrays_to_bytes(&arrays, &metadata)).unwrap();
            let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&back.take_f32(&names[0]).unwrap()), bits(&floats));
            prop_assert_eq!(back.take_u64(&names[1]).unwrap(), counts);
            prop_assert_eq!(back.metadata(), &metadata);
        }

        #[test]
        fn mutated_bytes_never_panic(
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            keep: prop::sample::Index,
        ) {
            let mut bytes = sample();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let _ = Arrays::from_bytes(&bytes);
            let keep = keep.index(bytes.len());
            prop_assert!(Arrays::from_bytes(&bytes[..keep]).is_err());
        }
    }
}
