//! The parameters of a network as safetensors bytes.

use std::collections::{BTreeMap, BTreeSet};

use safetensors::Dtype;

use crate::arrays::{self, Array};
use crate::error::{Mismatch, ShapeMismatch, WeightsError};
use crate::params::Layout;

/// Writes the parameters of a network. Equal input gives equal bytes.
///
/// # Panics
///
/// If `values` is not as long as the layout.
pub fn to_bytes(layout: &Layout, values: &[f32], metadata: &BTreeMap<String, String>) -> Vec<u8> {
    assert_eq!(values.len(), layout.len(), "parameters of another layout");
    let entries = layout.tensors().iter().map(|tensor| {
        let values = &values[tensor.range.clone()];
        (tensor.name.as_str(), tensor.shape.clone(), Array::from(values))
    });
    arrays::tensors_to_bytes(entries.collect(), metadata)
}

/// Reads the parameters of a network; the file must hold exactly the tensors of the layout, and
/// nothing in them that is not finite.
pub fn from_bytes(layout: &Layout, bytes: &[u8]) -> Result<Vec<f32>, WeightsError> {
    let (file, _) = arrays::open(bytes)?;
    let mut mismatch = Mismatch::default();
    let mut values = vec![0.0; layout.len()];
    let mut unused: BTreeSet<&str> = file.iter().map(|(name, _)| name).collect();
    for tensor in layout.tensors() {
        let Ok(view) = file.tensor(&tensor.name) else {
            mismatch.missing.push(tensor.name.clone());
            continue;
        };
        unused.remove(tensor.name.as_str());
        if view.dtype() != Dtype::F32 {
            return Err(WeightsError::Type {
                name: tensor.name.clone(),
                expected: "F32",
                found: view.dtype().to_string(),
            });
        }
        if view.shape() != tensor.shape {
            mismatch.shapes.push(ShapeMismatch {
                name: tensor.name.clone(),
                expected: tensor.shape.clone(),
                found: view.shape().to_vec(),
            });
            continue;
        }
        let target = &mut values[tensor.range.clone()];
        target.iter_mut().zip(arrays::read_f32(view.data())).for_each(|(t, x)| *t = x);
        if let Some(&value) = target.iter().find(|x| !x.is_finite()) {
            return Err(WeightsError::NotFinite { name: tensor.name.clone(), value });
        }
    }
    mismatch.superfluous = unused.into_iter().map(str::to_owned).collect();
    if mismatch == Mismatch::default() { Ok(values) } else { Err(WeightsError::Mismatch(mismatch)) }
}

/// The texts stored beside the tensors of a file.
pub fn read_metadata(bytes: &[u8]) -> Result<BTreeMap<String, String>, WeightsError> {
    Ok(arrays::open(bytes)?.1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::params::Group;

    fn layout(tensors: &[(&str, &[usize])]) -> Layout {
        let mut layout = Layout::default();
        for (name, shape) in tensors {
            layout.push(*name, shape, Group::Actor, false);
        }
        layout
    }

    fn sample() -> (Layout, Vec<f32>, Vec<u8>) {
        let layout = layout(&[("torso.weight", &[2, 3]), ("torso.bias", &[3]), ("scale", &[])]);
        let values: Vec<f32> = (0..layout.len()).map(|i| i as f32 - 4.5).collect();
        let metadata = BTreeMap::from([("network".to_owned(), "mlp".to_owned())]);
        let bytes = to_bytes(&layout, &values, &metadata);
        (layout, values, bytes)
    }

    #[test]
    fn round_trip() {
        let (layout, values, bytes) = sample();
        assert_eq!(from_bytes(&layout, &bytes).unwrap(), values);
        assert_eq!(read_metadata(&bytes).unwrap()["network"], "mlp");
        assert_eq!(bytes, sample().2);
    }

    #[test]
    fn metadata_order_is_fixed() {
        let layout = layout(&[]);
        let metadata: BTreeMap<_, _> = (0..20).map(|i| (format!("k{i}"), i.to_string())).collect();
        let bytes = to_bytes(&layout, &[], &metadata);
        let text = String::from_utf8_lossy(&bytes[8..]).into_owned();
        assert!(text.starts_with(r#"{"__metadata__":{"k0":"0","k1":"1","k10":"10","#), "{text}");
        assert_eq!(read_metadata(&bytes).unwrap(), metadata);
        assert_eq!(from_bytes(&layout, &bytes).unwrap(), [0f32; 0]);
    }

    #[test]
    fn tensors_are_found_by_name_in_any_order() {
        let (_, _, bytes) = sample();
        let other = layout(&[("scale", &[]), ("torso.bias", &[3]), ("torso.weight", &[2, 3])]);
        let values = from_bytes(&other, &bytes).unwrap();
        assert_eq!(values, [4.5, 1.5, 2.5, 3.5, -4.5, -3.5, -2.5, -1.5, -0.5, 0.5]);
    }

    #[test]
    fn every_difference_is_reported() {
        let (_, _, bytes) = sample();
        let other = layout(&[("torso.weight", &[3, 2]), ("head.bias", &[3]), ("scale", &[])]);
        let error = from_bytes(&other, &bytes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the weights do not fit the network: missing head.bias; superfluous torso.bias; \
             torso.weight is [2, 3] in the file and [3, 2] in the network"
        );
    }

    #[test]
    fn weights_that_are_not_finite_are_refused_by_name() {
        let (layout, values, _) = sample();
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut values = values.clone();
            values[7] = bad;
            let bytes = to_bytes(&layout, &values, &BTreeMap::new());
            let error = from_bytes(&layout, &bytes).unwrap_err().to_string();
            assert!(error.contains("torso.bias") && error.contains("not a finite"), "{error}");
        }
    }

    #[test]
    fn other_number_types_are_refused() {
        let bytes = arrays::arrays_to_bytes(&[("w", Array::from(&[1u32][..]))], &BTreeMap::new());
        let error = from_bytes(&layout(&[("w", &[1])]), &bytes).unwrap_err();
        assert_eq!(error.to_string(), "`w` holds U32, expected F32");
    }

    #[test]
    fn every_truncation_and_extension_is_corrupt() {
        let (layout, _, mut bytes) = sample();
        for end in 0..bytes.len() {
            let error = from_bytes(&layout, &bytes[..end]).unwrap_err();
            assert!(matches!(error, WeightsError::Corrupt(_)), "{end}: {error}");
        }
        bytes.push(0);
        assert!(matches!(from_bytes(&layout, &bytes), Err(WeightsError::Corrupt(_))));
    }

    proptest! {
        #[test]
        fn mutated_bytes_never_panic(
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        ) {
            let (layout, _, mut bytes) = sample();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Ok(values) = from_bytes(&layout, &bytes) {
                prop_assert_eq!(values.len(), layout.len());
            }
            let _ = read_metadata(&bytes);
        }

        #[test]
        fn noise_never_panics(bytes: Vec<u8>) {
            prop_assert!(from_bytes(&sample().0, &bytes).is_err());
        }
    }
}
