//! Numbers, texts and lists as bytes, and back. Everything is little-endian; a list begins with its length.

use super::error::Unreadable;

/// A message that is being written.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    pub fn u8(&mut self, number: u8) {
        self.bytes.push(number);
    }

    pub fn u32(&mut self, number: u32) {
        self.bytes.extend(number.to_le_bytes());
    }

    pub fn u64(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    pub fn f32(&mut self, number: f32) {
        self.u32(number.to_bits());
    }

    pub fn f64(&mut self, number: f64) {
        self.u64(number.to_bits());
    }

    pub fn flag(&mut self, flag: bool) {
        self.u8(flag.into());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub fn f32s(&mut self, numbers: &[f32]) {
        self.u64(numbers.len() as u64);
        let at = self.bytes.len();
        self.bytes.resize(at + numbers.len() * 4, 0);
        // Written so that it becomes one copy on machines that are little-endian.
        for (place, number) in self.bytes[at..].chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
    }

    pub fn f64s(&mut self, numbers: &[f64]) {
        self.u64(numbers.len() as u64);
        numbers.iter().for_each(|&number| self.f64(number));
    }

    pub fn u64s(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.u64(numbers.len() as u64);
        numbers.for_each(|number| self.u64(number));
    }

    /// Numbers below 2³², in as few bytes each as the largest needs.
    pub fn small(&mut self, numbers: &[u32]) {
        self.u64(numbers.len() as u64);
        let width = match numbers.iter().max() {
            None | Some(0..=0xff) => 1,
            Some(0x100..=0xffff) => 2,
            Some(_) => 4,
        };
        self.u8(width);
        for number in numbers {
            self.bytes.extend_from_slice(&number.to_le_bytes()[..usize::from(width)]);
        }
    }

    /// Eight to a byte.
    pub fn flags(&mut self, flags: &[bool]) {
        self.u64(flags.len() as u64);
        for eight in flags.chunks(8) {
            self.u8(eight.iter().enumerate().fold(0, |all, (i, &flag)| all | u8::from(flag) << i));
        }
    }

    /// Whether there is something, and what.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// A list of anything.
    pub fn list<T>(
        &mut self,
        values: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.u64(values.len() as u64);
        values.for_each(|value| write(self, value));
    }
}

/// A message that is being read. Whatever it says of its own lengths is compared with what is there.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

type Read<T> = Result<T, Unreadable>;

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn take(&mut self, length: usize) -> Read<&'a [u8]> {
        let Some((taken, rest)) = self.rest.split_at_checked(length) else {
            return Err(Unreadable(format!("{length} bytes where {} are left", self.rest.len())));
        };
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Unreadable("it ends too soon".into()))
    }

    /// Nothing may be left.
    pub fn end(&self) -> Read<()> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(Unreadable(format!("{left} bytes too many"))),
        }
    }

    pub fn u8(&mut self) -> Read<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u32(&mut self) -> Read<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Read<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub fn f32(&mut self) -> Read<f32> {
        Ok(f32::from_bits(self.u32()?))
    }

    pub fn f64(&mut self) -> Read<f64> {
        Ok(f64::from_bits(self.u64()?))
    }

    pub fn index(&mut self) -> Read<usize> {
        let number = self.u64()?;
        usize::try_from(number).map_err(|_| Unreadable(format!("{number} is no index")))
    }

    pub fn flag(&mut self) -> Read<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Unreadable(format!("{other} is neither yes nor no"))),
        }
    }

    /// The length of a list whose elements have at least so many bytes each.
    fn length(&mut self, least: usize) -> Read<usize> {
        let length = self.u64()?;
        let fits = usize::try_from(length)
            .ok()
            .filter(|n| n.checked_mul(least.max(1)).is_some_and(|bytes| bytes <= self.rest.len()));
        fits.ok_or_else(|| {
            Unreadable(format!("a list of {length} where {} bytes are left", self.rest.len()))
        })
    }

    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let length = self.length(1)?;
        self.take(length)
    }

    pub fn text(&mut self) -> Read<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|e| Unreadable(e.to_string()))
    }

    pub fn f32s(&mut self) -> Read<Vec<f32>> {
        let length = self.length(4)?;
        let bytes = self.take(length * 4)?;
        Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    pub fn f64s(&mut self) -> Read<Vec<f64>> {
        let length = self.length(8)?;
        (0..length).map(|_| self.f64()).collect()
    }

    pub fn u64s(&mut self) -> Read<Vec<u64>> {
        let length = self.length(8)?;
        (0..length).map(|_| self.u64()).collect()
    }

    pub fn small(&mut self) -> Read<Vec<u32>> {
        let length = self.length(1)?;
        let width = self.u8()?;
        if ![1, 2, 4].contains(&width) {
            return Err(Unreadable(format!("numbers of {width} bytes")));
        }
        let width = usize::from(width);
        let total = length.checked_mul(width);
        let bytes = self.take(total.ok_or_else(|| Unreadable("a list without end".into()))?)?;
        let number = |b: &[u8]| b.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte));
        Ok(bytes.chunks_exact(width).map(number).collect())
    }

    pub fn flags(&mut self) -> Read<Vec<bool>> {
        let length = self.u64()?;
        let length = usize::try_from(length).ok().filter(|n| n.div_ceil(8) <= self.rest.len());
        let length = length.ok_or_else(|| Unreadable("more flags than bytes".into()))?;
        let bytes = self.take(length.div_ceil(8))?;
        let mut flags = Vec::with_capacity(bytes.len() * 8);
        for byte in bytes {
            flags.extend((0..8).map(|i| byte >> i & 1 == 1));
        }
        flags.truncate(length);
        Ok(flags)
    }

    pub fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        // Every element has at least a byte; memory grows with what was really read.
        let length = self.length(1)?;
        let mut values = Vec::new();
        for _ in 0..length {
            values.push(read(self)?);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_length_that_lies_allocates_nothing() {
        let mut writer = Writer::default();
        writer.u64(u64::MAX);
        let bytes = writer.finish();
        assert!(Reader::new(&bytes).f32s().is_err());
        assert!(Reader::new(&bytes).bytes().is_err());
        assert!(Reader::new(&bytes).flags().is_err());
        assert!(Reader::new(&bytes).small().is_err());
        assert!(Reader::new(&bytes).list(|r| r.u8()).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            numbers: Vec<u32>, small in prop::collection::vec(0u32..300, 0..50), flags: Vec<bool>,
        ) {
            let floats: Vec<f32> = numbers.iter().map(|&n| f32::from_bits(n)).collect();
            let mut w = Writer::default();
            w.f32s(&floats);
            w.small(&small);
            w.flags(&flags);
            w.small(&numbers);
            let bytes = w.finish();
            let mut r = Reader::new(&bytes);
            let bits: Vec<u32> = r.f32s().unwrap().iter().map(|f| f.to_bits()).collect();
            prop_assert_eq!(&bits, &numbers);
            prop_assert_eq!(r.small().unwrap(), small);
            prop_assert_eq!(r.flags().unwrap(), flags);
            prop_assert_eq!(r.small().unwrap(), numbers);
            prop_assert!(r.end().is_ok());
        }
    }
}
