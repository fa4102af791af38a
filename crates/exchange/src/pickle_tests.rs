use proptest::prelude::*;

use super::*;

/// A pickle as `torch.save` writes one of a state dict: tensors by name with their shapes, each in a storage
/// of its own.
pub(crate) fn state_dict(tensors: &[(&str, &[u32])]) -> Vec<u8> {
    let mut bytes = b"\x80\x02ccollections\nOrderedDict\nq\x00)Rq\x01(".to_vec();
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.push(b'X');
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    };
    let sizes = |bytes: &mut Vec<u8>, sizes: &[u32]| {
        bytes.push(b'(');
        for size in sizes {
            bytes.push(b'J');
            bytes.extend(size.to_le_bytes());
        }
        bytes.push(b't');
    };
    for (i, (name, shape)) in tensors.iter().enumerate() {
        text(&mut bytes, name);
        bytes.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        text(&mut bytes, "storage");
        bytes.extend(b"ctorch\nFloatStorage\n");
        text(&mut bytes, &i.to_string());
        text(&mut bytes, "cpu");
        bytes.push(b'J');
        bytes.extend(shape.iter().product::<u32>().to_le_bytes());
        bytes.extend(b"tQK\x00");
        sizes(&mut bytes, shape);
        let strides = |at: usize| shape[at + 1..].iter().product();
        sizes(&mut bytes, &(0..shape.len()).map(strides).collect::<Vec<u32>>());
        bytes.extend(b"\x89h\x00)Rt");
        bytes.extend(b"R");
    }
    // The attribute that state dicts carry beside their tensors.
    bytes.extend(b"u}");
    text(&mut bytes, "_metadata");
    bytes.extend(b"h\x00)Rsb.");
    bytes
}

#[test]
fn tensors_are_found_by_name() {
    let read = read(&state_dict(&[("model.0.weight", &[2, 3]), ("model.0.bias", &[2])])).unwrap();
    let weight = &read["model.0.weight"];
    assert_eq!((&weight.shape[..], &weight.strides[..]), (&[2, 3][..], &[3, 1][..]));
    assert_eq!((weight.storage.as_str(), weight.stored, weight.offset), ("0", 6, 0));
    assert_eq!(read["model.0.bias"].storage, "1");
    assert_eq!(read.len(), 2);
}

#[test]
fn whatever_would_run_is_refused_by_name() {
    for (module, name) in [("os", "system"), ("builtins", "eval"), ("torch", "load")] {
        let bytes = format!("\u{2}c{module}\n{name}\n(X\x02\x00\x00\x00lstR.");
        let bytes = [&[0x80][..], bytes.as_bytes()].concat();
        let error = read(&bytes).unwrap_err();
        assert_eq!(error, PickleError::Global(format!("{module}.{name}")));
    }
    // STACK_GLOBAL, INST, OBJ, NEWOBJ and EXT1 find what they run in other ways.
    for code in [0x93, b'i', b'o', 0x81, 0x82] {
        let error = read(&[0x80, 4, code, 0]).unwrap_err();
        assert_eq!(error, PickleError::Opcode { at: 2, code });
    }
    let double = state_dict(&[("w", &[1])]);
    let text = String::from_utf8_lossy(&double).replace("FloatStorage", "DoubleStorage");
    assert!(read(text.as_bytes()).is_err());
}

#[test]
fn a_pickle_that_mentions_itself_stays_small() {
    // Every tuple holds the one before it twice: unfolded, it would have 2⁶⁰ leaves.
    let mut bytes = b"\x80\x02)q\x00".to_vec();
    for _ in 0..60 {
        bytes.extend(b"h\x00h\x00\x86q\x00");
    }
    bytes.extend(b".");
    assert!(matches!(read(&bytes), Err(PickleError::Damaged { .. })));
    // A dict that holds itself.
    assert!(read(b"\x80\x02}q\x00X\x01\x00\x00\x00ah\x00s.").is_err());
    assert!(matches!(read(&vec![b'('; MOST_STACK + 1]), Err(PickleError::Damaged { .. })));
    assert!(matches!(read(&vec![b'N'; MOST_STACK + 1]), Err(PickleError::Damaged { .. })));
    assert_eq!(read(&vec![b'N'; MOST_BYTES + 1]), Err(PickleError::TooLarge(MOST_BYTES + 1)));
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = state_dict(&[("model.0.weight", &[2, 3]), ("model.0.bias", &[2])]);
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end}");
    }
}

proptest! {
    #[test]
    fn mutated_pickles_never_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = state_dict(&[("model.0.weight", &[2, 3]), ("model.0.bias", &[2])]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(read) = read(&bytes) {
            // Nothing that is read is larger than what it was read from.
            let names: usize = read.keys().map(String::len).sum();
            prop_assert!(names <= bytes.len() && read.len() <= 2);
        }
    }

    #[test]
    fn noise_never_panics(bytes: Vec<u8>) {
        let _ = read(&bytes);
    }

    #[test]
    fn opcodes_in_any_order_never_panic(
        codes in proptest::collection::vec(
            prop::sample::select(b"\x80NJKMX()tsu}qrhjQRb.\x85\x86\x87\x88\x8a\x8c\x00\x01\x02".to_vec()),
            0..300,
        ),
    ) {
        let _ = read(&codes);
    }
}
