//! Writing: a message front to back, every table before what it points to.

/// A field of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Left out: it has its default.
    Nothing,
    /// A byte or a truth.
    Byte(u8),
    /// A whole number of 32 bits.
    Word(u32),
    /// A number.
    Float(f32),
    /// A whole number of 64 bits.
    Long(u64),
    /// A struct of four-byte fields.
    Structure(Vec<u8>),
    /// A text.
    Text(String),
    /// A table, by its slots.
    Table(Vec<Value>),
    /// Several.
    Tables(Vec<Vec<Value>>),
    /// Structs of four-byte fields, side by side.
    Structures(Vec<Vec<u8>>),
}

impl Value {
    /// Bytes that it takes in its table, and what their place is a multiple of.
    fn room(&self) -> (usize, usize) {
        match self {
            Self::Nothing => (0, 1),
            Self::Byte(_) => (1, 1),
            Self::Long(_) => (8, 8),
            Self::Structure(bytes) => (bytes.len(), 4),
            _ => (4, 4),
        }
    }
}

/// The bytes of a message whose outermost table has these slots.
pub fn write(slots: &[Value]) -> Vec<u8> {
    let mut out = vec![0; 4];
    let root = table(slots, &mut out);
    point(&mut out, 0, root);
    out
}

/// Writes a table and what it points to. Returns its place.
fn table(slots: &[Value], out: &mut Vec<u8>) -> usize {
    // Fields in the order of their alignment, so that none needs a gap before it.
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|&slot| std::cmp::Reverse(slots[slot].room().1));
    let widest = slots.iter().map(|value| value.room().1).max().unwrap_or(4).max(4);
    align(out, 4);
    let vtable = out.len();
    out.resize(vtable + 4 + 2 * slots.len(), 0);
    // The table begins with four bytes, and its widest field right after them.
    while !(out.len() + 4).is_multiple_of(widest) {
        out.push(0);
    }
    let at = out.len();
    out.extend(((at - vtable) as i32).to_le_bytes());
    for &slot in &order {
        let place = out.len();
        match &slots[slot] {
            Value::Nothing => continue,
            Value::Byte(byte) => out.push(*byte),
            Value::Word(word) => out.extend(word.to_le_bytes()),
            Value::Float(float) => out.extend(float.to_le_bytes()),
            Value::Long(long) => out.extend(long.to_le_bytes()),
            Value::Structure(bytes) => out.extend(bytes),
            _ => out.extend([0; 4]),
        }
        let entry = vtable + 4 + 2 * slot;
        out[entry..entry + 2].copy_from_slice(&((place - at) as u16).to_le_bytes());
    }
    let sizes = [(4 + 2 * slots.len()) as u16, (out.len() - at) as u16];
    out[vtable..vtable + 2].copy_from_slice(&sizes[0].to_le_bytes());
    out[vtable + 2..vtable + 4].copy_from_slice(&sizes[1].to_le_bytes());
    for (slot, value) in slots.iter().enumerate() {
        let entry = vtable + 4 + 2 * slot;
        let place = at + usize::from(u16::from_le_bytes([out[entry], out[entry + 1]]));
        if let Some(to) = apart(value, out) {
            point(out, place, to);
        }
    }
    at
}

/// Writes what does not lie in its table. Returns its place.
fn apart(value: &Value, out: &mut Vec<u8>) -> Option<usize> {
    match value {
        Value::Text(text) => {
            let at = list(text.len(), out);
            out.extend(text.as_bytes());
            out.push(0);
            Some(at)
        }
        Value::Table(slots) => Some(table(slots, out)),
        Value::Tables(tables) => {
            let at = list(tables.len(), out);
            let first = out.len();
            out.resize(first + 4 * tables.len(), 0);
            for (i, slots) in tables.iter().enumerate() {
                let to = table(slots, out);
                point(out, first + 4 * i, to);
            }
            Some(at)
        }
        Value::Structures(structures) => {
            let at = list(structures.len(), out);
            structures.iter().for_each(|bytes| out.extend(bytes));
            Some(at)
        }
        _ => None,
    }
}

fn list(count: usize, out: &mut Vec<u8>) -> usize {
    align(out, 4);
    let at = out.len();
    out.extend((count as u32).to_le_bytes());
    at
}

fn align(out: &mut Vec<u8>, to: usize) {
    out.resize(out.len().next_multiple_of(to), 0);
}

fn point(out: &mut [u8], from: usize, to: usize) {
    out[from..from + 4].copy_from_slice(&((to - from) as u32).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::Table;
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let inner = vec![Value::Nothing, Value::Float(2.5), Value::Text("Größe".into())];
        let bytes = write(&[
            Value::Byte(7),
            Value::Table(inner.clone()),
            Value::Long(u64::MAX - 3),
            Value::Structure([1.0f32, 2.0].iter().flat_map(|f| f.to_le_bytes()).collect()),
            Value::Tables(vec![inner.clone(), vec![], inner]),
            Value::Structures(vec![vec![1, 2, 3, 4], vec![5, 6, 7, 8]]),
        ]);
        let root = Table::root(&bytes).unwrap();
        assert_eq!((root.byte(0).unwrap(), root.byte(40).unwrap()), (7, 0));
        let inner = root.table(1).unwrap().unwrap();
        assert_eq!((inner.float(0).unwrap(), inner.float(1).unwrap()), (0.0, 2.5));
        assert_eq!(inner.text(2).unwrap(), Some("Größe"));
        assert_eq!(root.long(2).unwrap(), u64::MAX - 3);
        let structure = root.structure::<8>(3).unwrap().unwrap();
        assert_eq!(&structure[4..], 2.0f32.to_le_bytes());
        let tables: Vec<f32> =
            root.vector(4, 4, 9).unwrap().tables().map(|t| t.unwrap().float(1).unwrap()).collect();
        assert_eq!(tables, [2.5, 0.0, 2.5]);
        let structures: Vec<[u8; 4]> =
            root.vector(5, 4, 9).unwrap().structures().map(Result::unwrap).collect();
        assert_eq!(structures, [[1, 2, 3, 4], [5, 6, 7, 8]]);
        assert_eq!(root.vector(4, 4, 2).unwrap_err().what, "a list that is too long");
        assert!(root.required(9, "no such table").is_err());
    }
}
