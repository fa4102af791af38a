//! Reading.

/// The bytes are no message of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct Malformed {
    /// What is wrong.
    pub what: &'static str,
    /// Where.
    pub at: usize,
}

/// A table of a message.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
    vtable: usize,
    slots: usize,
}

impl<'a> Table<'a> {
    /// The outermost table of a message.
    pub fn root(bytes: &'a [u8]) -> Result<Self, Malformed> {
        Self::at(bytes, follow(bytes, 0)?)
    }

    fn at(bytes: &'a [u8], at: usize) -> Result<Self, Malformed> {
        let back = i64::from(i32::from_le_bytes(take(bytes, at)?));
        let vtable = usize::try_from(at as i64 - back)
            .map_err(|_| Malformed { what: "a table without its fields", at })?;
        let size = usize::from(u16::from_le_bytes(take(bytes, vtable)?));
        if size < 4 || vtable + size > bytes.len() {
            return Err(Malformed { what: "a table whose fields do not fit", at: vtable });
        }
        Ok(Self { bytes, at, vtable, slots: (size - 4) / 2 })
    }

    /// Where a field lies, if the message has it.
    fn field(&self, slot: usize) -> Result<Option<usize>, Malformed> {
        if slot >= self.slots {
            return Ok(None);
        }
        let offset = u16::from_le_bytes(take(self.bytes, self.vtable + 4 + 2 * slot)?);
        Ok((offset != 0).then(|| self.at + usize::from(offset)))
    }

    fn number<const N: usize>(&self, slot: usize) -> Result<Option<[u8; N]>, Malformed> {
        self.field(slot)?.map(|at| take(self.bytes, at)).transpose()
    }

    /// A byte; 0 if it is left out.
    pub fn byte(&self, slot: usize) -> Result<u8, Malformed> {
        Ok(self.number::<1>(slot)?.map_or(0, |[byte]| byte))
    }

    /// A truth; false if it is left out.
    pub fn truth(&self, slot: usize) -> Result<bool, Malformed> {
        Ok(self.byte(slot)? != 0)
    }

    /// A whole number of 32 bits; 0 if it is left out.
    pub fn word(&self, slot: usize) -> Result<u32, Malformed> {
        Ok(self.number(slot)?.map_or(0, u32::from_le_bytes))
    }

    /// A whole number of 64 bits; 0 if it is left out.
    pub fn long(&self, slot: usize) -> Result<u64, Malformed> {
        Ok(self.number(slot)?.map_or(0, u64::from_le_bytes))
    }

    /// A number; 0 if it is left out.
    pub fn float(&self, slot: usize) -> Result<f32, Malformed> {
        Ok(self.number(slot)?.map_or(0.0, f32::from_le_bytes))
    }

    /// The bytes of a struct, which lies in the table itself.
    pub fn structure<const N: usize>(&self, slot: usize) -> Result<Option<[u8; N]>, Malformed> {
        self.number(slot)
    }

    /// Another table.
    pub fn table(&self, slot: usize) -> Result<Option<Table<'a>>, Malformed> {
        let Some(at) = self.field(slot)? else { return Ok(None) };
        Self::at(self.bytes, follow(self.bytes, at)?).map(Some)
    }

    /// Like [`Self::table`], for one that the schema demands.
    pub fn required(&self, slot: usize, what: &'static str) -> Result<Table<'a>, Malformed> {
        self.table(slot)?.ok_or(Malformed { what, at: self.at })
    }

    /// Things of `stride` bytes side by side; none if they are left out. More than `most` are no message.
    pub fn vector(&self, slot: usize, stride: usize, most: usize) -> Result<Vector<'a>, Malformed> {
        let Some(at) = self.field(slot)? else {
            return Ok(Vector { bytes: self.bytes, at: 0, stride, count: 0 });
        };
        let at = follow(self.bytes, at)?;
        let count = u32::from_le_bytes(take(self.bytes, at)?) as usize;
        let end = count.checked_mul(stride).and_then(|size| size.checked_add(at + 4));
        if count > most || end.is_none_or(|end| end > self.bytes.len()) {
            return Err(Malformed { what: "a list that is too long", at });
        }
        Ok(Vector { bytes: self.bytes, at: at + 4, stride, count })
    }

    /// A text; none if it is left out.
    pub fn text(&self, slot: usize) -> Result<Option<&'a str>, Malformed> {
        if self.field(slot)?.is_none() {
            return Ok(None);
        }
        let Vector { bytes, at, count, .. } = self.vector(slot, 1, usize::MAX)?;
        let text = std::str::from_utf8(&bytes[at..at + count]);
        text.map(Some).map_err(|_| Malformed { what: "a text that is no UTF-8", at })
    }
}

/// Things side by side.
#[derive(Clone, Copy, Debug)]
pub struct Vector<'a> {
    bytes: &'a [u8],
    at: usize,
    stride: usize,
    count: usize,
}

impl<'a> Vector<'a> {
    /// Each as a struct.
    pub fn structures<const N: usize>(self) -> impl Iterator<Item = Result<[u8; N], Malformed>> {
        (0..self.count).map(move |i| take(self.bytes, self.at + i * self.stride))
    }

    /// Each as a table.
    pub fn tables(self) -> impl Iterator<Item = Result<Table<'a>, Malformed>> {
        (0..self.count).map(move |i| {
            let at = self.at + i * self.stride;
            Table::at(self.bytes, follow(self.bytes, at)?)
        })
    }
}

/// Where the offset that lies at a place leads to.
fn follow(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    let offset = u32::from_le_bytes(take(bytes, at)?) as usize;
    at.checked_add(offset)
        .filter(|to| *to < bytes.len())
        .ok_or(Malformed { what: "an offset that leads out of the message", at })
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Malformed> {
    at.checked_add(N)
        .and_then(|end| bytes.get(at..end))
        .and_then(|found| found.try_into().ok())
        .ok_or(Malformed { what: "the message ends", at })
}
