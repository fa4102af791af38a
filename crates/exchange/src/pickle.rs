//! A reader of pickles that hold PyTorch's state dicts, and of nothing else.
//!
//! A pickle is a program, and Python runs whatever it names. This reader knows the few opcodes and the few
//! globals of which a dict of tensors is made, builds plain values of them, and refuses everything else by
//! name. Values live in one list and refer to each other by their place, so that a pickle which mentions a
//! value a thousand times costs a thousand numbers; there are never more of them than bytes.

use std::collections::BTreeMap;

use thiserror::Error;

/// The most bytes of a pickle: a thousand times what a checkpoint's has.
pub const MOST_BYTES: usize = 4 << 20;
/// The deepest stack of values that are not yet part of another.
const MOST_STACK: usize = 1 << 16;
/// The most dimensions of a tensor.
const MOST_DIMENSIONS: usize = 8;

/// A pickle that is no dict of tensors.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PickleError {
    /// It ends too early, or says something that makes no sense.
    #[error("byte {at}: {problem}")]
    Damaged {
        /// Where.
        at: usize,
        /// How it shows.
        problem: &'static str,
    },
    /// It has an opcode that no state dict needs.
    #[error("byte {at}: opcode {code:#04x} is not one of those that a state dict is made of")]
    Opcode {
        /// Where.
        at: usize,
        /// Which.
        code: u8,
    },
    /// It names something that is not needed for tensors of single precision.
    #[error(
        "it asks for `{0}`, which is refused: only tensors of single precision are read, and nothing is run"
    )]
    Global(String),
    /// It is larger than any state dict.
    #[error("it has {0} bytes, more than any state dict")]
    TooLarge(usize),
}

/// Where a tensor's numbers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorPlace {
    /// The name of its storage.
    pub storage: String,
    /// Numbers in that storage.
    pub stored: u64,
    /// How many numbers of it come before the tensor's.
    pub offset: u64,
    /// Its shape.
    pub shape: Vec<u64>,
    /// How far apart neighbours of each dimension are.
    pub strides: Vec<u64>,
}

/// Which globals are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Global {
    OrderedDict,
    RebuildTensor,
    FloatStorage,
}

impl Global {
    fn of(module: &str, name: &str) -> Result<Self, PickleError> {
        match (module, name) {
            ("collections", "OrderedDict") => Ok(Self::OrderedDict),
            ("torch._utils", "_rebuild_tensor_v2") => Ok(Self::RebuildTensor),
            ("torch", "FloatStorage") => Ok(Self::FloatStorage),
            _ => Err(PickleError::Global(shown(&format!("{module}.{name}")))),
        }
    }
}

/// A text of the file as a message may show it.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(120).collect()
}

/// The place of a value.
type Id = usize;

enum Object {
    None,
    Bool,
    Int(i64),
    Text(String),
    Tuple(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    Global(Global),
    Storage { name: String, stored: u64 },
    Tensor(TensorPlace),
}

/// Reads a dict of tensors by name.
pub fn read(bytes: &[u8]) -> Result<BTreeMap<String, TensorPlace>, PickleError> {
    if bytes.len() > MOST_BYTES {
        return Err(PickleError::TooLarge(bytes.len()));
    }
    let reader = Reader {
        bytes,
        at: 0,
        objects: Vec::new(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: BTreeMap::new(),
    };
    reader.run()
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    objects: Vec<Object>,
    stack: Vec<Id>,
    /// How high the stack was at each mark.
    marks: Vec<usize>,
    memo: BTreeMap<u32, Id>,
}

impl<'a> Reader<'a> {
    fn run(mut self) -> Result<BTreeMap<String, TensorPlace>, PickleError> {
        loop {
            let at = self.at;
            let code = self.take(1)?[0];
            match code {
                0x80 => {
                    self.take(1)?; // the protocol: later ones only have more opcodes
                }
                b'N' => self.push(Object::None)?,
                0x88 | 0x89 => self.push(Object::Bool)?,
                b'J' => {
                    let value = i32::from_le_bytes(self.array()?);
                    self.push(Object::Int(i64::from(value)))?;
                }
                b'K' => {
                    let value = self.take(1)?[0];
                    self.push(Object::Int(i64::from(value)))?;
                }
                b'M' => {
                    let value = u16::from_le_bytes(self.array()?);
                    self.push(Object::Int(i64::from(value)))?;
                }
                0x8a => self.long()?,
                b'X' => {
                    let length = u32::from_le_bytes(self.array()?) as usize;
                    self.text(length)?;
                }
                0x8c => {
                    let length = self.take(1)?[0] as usize;
                    self.text(length)?;
                }
                b'c' => {
                    let (module, name) = (self.line()?, self.line()?);
                    let global = Global::of(module, name)?;
                    self.push(Object::Global(global))?;
                }
                b'(' => {
                    if self.marks.len() >= MOST_STACK {
                        return Err(self.damaged("too many values are left open"));
                    }
                    self.marks.push(self.stack.len());
                }
                b')' => self.push(Object::Tuple(Vec::new()))?,
                0x85..=0x87 => {
                    let items = self.pop_many(usize::from(code - 0x84))?;
                    self.push(Object::Tuple(items))?;
                }
                b't' => {
                    let items = self.pop_to_mark()?;
                    self.push(Object::Tuple(items))?;
                }
                b'}' => self.push(Object::Dict(Vec::new()))?,
                b's' => {
                    let items = self.pop_many(2)?;
                    self.set_items(&items)?;
                }
                b'u' => {
                    let items = self.pop_to_mark()?;
                    self.set_items(&items)?;
                }
                b'q' => {
                    let key = u32::from(self.take(1)?[0]);
                    self.remember(key)?;
                }
                b'r' => {
                    let key = u32::from_le_bytes(self.array()?);
                    self.remember(key)?;
                }
                b'h' => {
                    let key = u32::from(self.take(1)?[0]);
                    self.recall(key)?;
                }
                b'j' => {
                    let key = u32::from_le_bytes(self.array()?);
                    self.recall(key)?;
                }
                b'Q' => self.storage()?,
                b'R' => self.reduce()?,
                b'b' => {
                    // What a module wrote beside its tensors, such as its version: nothing of it is needed.
                    self.pop()?;
                    let under = self.top()?;
                    if !matches!(self.objects[under], Object::Dict(_)) {
                        return Err(self.damaged("it sets attributes of something that is no dict"));
                    }
                }
                b'.' => return self.finish(),
                code => return Err(PickleError::Opcode { at, code }),
            }
        }
    }

    fn damaged(&self, problem: &'static str) -> PickleError {
        PickleError::Damaged { at: self.at, problem }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], PickleError> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let Some(end) = end else { return Err(self.damaged("it ends too early")) };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PickleError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// A whole number of up to eight bytes, of two's complement.
    fn long(&mut self) -> Result<(), PickleError> {
        let length = self.take(1)?[0] as usize;
        let bytes = self.take(length)?;
        if length > 8 {
            return Err(self.damaged("a number is too large"));
        }
        let negative = bytes.last().is_some_and(|top| top & 0x80 != 0);
        let mut whole = [if negative { 0xff } else { 0 }; 8];
        whole[..length].copy_from_slice(bytes);
        self.push(Object::Int(i64::from_le_bytes(whole)))
    }

    fn text(&mut self, length: usize) -> Result<(), PickleError> {
        let bytes = self.take(length)?;
        let text = std::str::from_utf8(bytes).map_err(|_| self.damaged("a text is not UTF-8"))?;
        let text = text.to_owned();
        self.push(Object::Text(text))
    }

    fn line(&mut self) -> Result<&'a str, PickleError> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&byte| byte == b'\n');
        let end = end.ok_or_else(|| self.damaged("it ends too early"))?;
        self.at += end + 1;
        std::str::from_utf8(&rest[..end]).map_err(|_| self.damaged("a name is not UTF-8"))
    }

    fn push(&mut self, object: Object) -> Result<(), PickleError> {
        self.objects.push(object);
        self.push_id(self.objects.len() - 1)
    }

    fn push_id(&mut self, id: Id) -> Result<(), PickleError> {
        if self.stack.len() >= MOST_STACK {
            return Err(self.damaged("too many values are left open"));
        }
        self.stack.push(id);
        Ok(())
    }

    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Result<Id, PickleError> {
        if self.stack.len() <= self.floor() {
            return Err(self.damaged("it takes a value that is not there"));
        }
        self.stack.pop().ok_or_else(|| self.damaged("it takes a value that is not there"))
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<Id>, PickleError> {
        if self.stack.len() < self.floor() + count {
            return Err(self.damaged("it takes a value that is not there"));
        }
        Ok(self.stack.split_off(self.stack.len() - count))
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Id>, PickleError> {
        let mark = self.marks.pop().ok_or_else(|| self.damaged("it ends what never began"))?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn top(&self) -> Result<Id, PickleError> {
        let open = self.stack.get(self.floor()..).unwrap_or_default();
        open.last().copied().ok_or_else(|| self.damaged("it uses a value that is not there"))
    }

    fn set_items(&mut self, items: &[Id]) -> Result<(), PickleError> {
        let dict = self.top()?;
        if !items.len().is_multiple_of(2) {
            return Err(self.damaged("a key has no value"));
        }
        match &mut self.objects[dict] {
            Object::Dict(entries) => {
                entries.extend(items.chunks_exact(2).map(|pair| (pair[0], pair[1])));
                Ok(())
            }
            _ => Err(self.damaged("it adds entries to something that is no dict")),
        }
    }

    fn remember(&mut self, key: u32) -> Result<(), PickleError> {
        let top = self.top()?;
        self.memo.insert(key, top);
        Ok(())
    }

    fn recall(&mut self, key: u32) -> Result<(), PickleError> {
        let known = self.memo.get(&key).copied();
        let id = known.ok_or_else(|| self.damaged("it refers to a value that it never had"))?;
        self.push_id(id)
    }

    fn whole(&self, id: Id) -> Option<u64> {
        match self.objects[id] {
            Object::Int(value) => u64::try_from(value).ok(),
            _ => None,
        }
    }

    fn items(&self, id: Id) -> Option<&[Id]> {
        match &self.objects[id] {
            Object::Tuple(items) => Some(items),
            _ => None,
        }
    }

    fn sizes(&self, id: Id) -> Option<Vec<u64>> {
        let items = self.items(id).filter(|items| items.len() <= MOST_DIMENSIONS)?;
        items.iter().map(|&item| self.whole(item)).collect()
    }

    /// `('storage', FloatStorage, name, device, numbers)`.
    fn storage(&mut self) -> Result<(), PickleError> {
        let id = self.pop()?;
        let found = || -> Option<Object> {
            let &[kind, class, name, _device, stored] = self.items(id)? else { return None };
            let Object::Text(kind) = &self.objects[kind] else { return None };
            let Object::Global(Global::FloatStorage) = self.objects[class] else { return None };
            let Object::Text(name) = &self.objects[name] else { return None };
            let stored = self.whole(stored).filter(|_| kind == "storage")?;
            Some(Object::Storage { name: name.clone(), stored })
        };
        let storage = found();
        let storage = storage.ok_or_else(|| self.damaged("it refers to no storage of numbers"))?;
        self.push(storage)
    }

    /// A call: of a dict without arguments, or of a tensor.
    fn reduce(&mut self) -> Result<(), PickleError> {
        let (arguments, callee) = (self.pop()?, self.pop()?);
        let made = match self.objects[callee] {
            Object::Global(Global::OrderedDict) => {
                let none = self.items(arguments).is_some_and(<[Id]>::is_empty);
                none.then(|| Object::Dict(Vec::new()))
            }
            Object::Global(Global::RebuildTensor) => self.tensor(arguments).map(Object::Tensor),
            _ => None,
        };
        let made = made.ok_or_else(|| self.damaged("it makes something that is no tensor"))?;
        self.push(made)
    }

    /// `(storage, offset, shape, strides, requires_grad, hooks)`, and what later versions add.
    fn tensor(&self, arguments: Id) -> Option<TensorPlace> {
        let &[storage, offset, shape, strides, ..] = self.items(arguments)? else { return None };
        let Object::Storage { name, stored } = &self.objects[storage] else { return None };
        let (shape, strides) = (self.sizes(shape)?, self.sizes(strides)?);
        let offset = self.whole(offset).filter(|_| shape.len() == strides.len())?;
        Some(TensorPlace { storage: name.clone(), stored: *stored, offset, shape, strides })
    }

    fn finish(self) -> Result<BTreeMap<String, TensorPlace>, PickleError> {
        let top = self.top()?;
        let Object::Dict(entries) = &self.objects[top] else {
            return Err(self.damaged("it holds no dict"));
        };
        let mut found = BTreeMap::new();
        for &(key, value) in entries {
            let (Object::Text(key), Object::Tensor(tensor)) =
                (&self.objects[key], &self.objects[value])
            else {
                return Err(self.damaged("its dict holds something beside tensors by name"));
            };
            found.insert(key.clone(), tensor.clone());
        }
        Ok(found)
    }
}

#[cfg(test)]
#[path = "pickle_tests.rs"]
pub(crate) mod tests;
