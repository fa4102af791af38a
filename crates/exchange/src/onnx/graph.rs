//! A graph that is being built: every value knows its type and shape, and every operator its result's.
//!
//! Shapes are written into the file, so that a checker can hold them against its own inference.

use std::collections::BTreeSet;

/// The type of a value's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Single precision.
    Float,
    /// 64-bit whole numbers.
    Int64,
    /// Truth.
    Bool,
}

/// One dimension of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// As many as rows are asked together; the first dimension of most values.
    Batch,
    /// So many.
    Fixed(usize),
}

/// A value: what flows along an edge of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub name: String,
    pub kind: Kind,
    pub shape: Vec<Dim>,
}

impl Value {
    /// Numbers in the last dimension, which is never the batch here.
    pub fn width(&self) -> usize {
        match self.shape.last() {
            Some(Dim::Fixed(n)) => *n,
            _ => 1,
        }
    }
}

/// A tensor that belongs to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    pub value: Value,
    /// Little-endian, as the file has it.
    pub bytes: Vec<u8>,
}

/// An attribute of an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    Int(&'static str, i64),
    Ints(&'static str, Vec<i64>),
}

/// An operator with what goes in and comes out.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub operator: &'static str,
    pub inputs: Vec<String>,
    pub output: Value,
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub constants: Vec<Constant>,
    pub inputs: Vec<(Value, String)>,
    pub outputs: Vec<(Value, String)>,
    names: BTreeSet<String>,
    scope: String,
}

/// Operators of two values that broadcast.
#[derive(Clone, Copy)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    And,
    Or,
    Equal,
    Greater,
    Less,
}

/// Operators of one value that keep its shape.
#[derive(Clone, Copy)]
pub enum Unary {
    Tanh,
    Sigmoid,
    Relu,
    Floor,
    Sqrt,
    Not,
}

/// Operators that take one dimension together.
#[derive(Clone, Copy)]
pub enum Reduce {
    Sum,
    Max,
    Mean,
}

impl Graph {
    /// The names of what is built next begin with this.
    pub fn scope(&mut self, scope: impl Into<String>) {
        self.scope = scope.into();
    }

    fn unique(&mut self, wish: String) -> String {
        let mut name = wish.clone();
        let mut count = 1;
        while !self.names.insert(name.clone()) {
            count += 1;
            name = format!("{wish}_{count}");
        }
        name
    }

    /// What whoever runs the graph puts in: `[batch, width]`.
    pub fn input(&mut self, name: &str, kind: Kind, width: usize, about: String) -> Value {
        let name = self.unique(name.to_owned());
        let value = Value { name, kind, shape: vec![Dim::Batch, Dim::Fixed(width)] };
        self.inputs.push((value.clone(), about));
        value
    }

    /// Makes a value a result of the graph, under this name.
    pub fn output(&mut self, name: &str, value: &Value, about: String) {
        let name = self.unique(name.to_owned());
        let output = Value { name, ..value.clone() };
        let inputs = vec![value.name.clone()];
        let node =
            Node { operator: "Identity", inputs, output: output.clone(), attributes: Vec::new() };
        self.nodes.push(node);
        self.outputs.push((output, about));
    }

    fn constant(&mut self, name: &str, kind: Kind, shape: &[usize], bytes: Vec<u8>) -> Value {
        // Small constants come again and again: one of each is enough.
        let shape: Vec<Dim> = shape.iter().map(|&n| Dim::Fixed(n)).collect();
        let same = |c: &&Constant| {
            let begins = c.value.name.strip_prefix(name);
            let same_name = begins.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
            same_name && c.value.kind == kind && c.value.shape == shape && c.bytes == bytes
        };
        if let Some(known) = self.constants.iter().find(same) {
            return known.value.clone();
        }
        let name = self.unique(name.to_owned());
        let value = Value { name, kind, shape };
        self.constants.push(Constant { value: value.clone(), bytes });
        value
    }

    /// Numbers of the model.
    pub fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> Value {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len());
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, Kind::Float, shape, bytes)
    }

    /// One number.
    pub fn float(&mut self, value: f32) -> Value {
        self.floats("constant", &[], &[value])
    }

    /// Truths of the model.
    pub fn bools(&mut self, name: &str, shape: &[usize], values: &[bool]) -> Value {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len());
        let bytes = values.iter().map(|&v| u8::from(v)).collect();
        self.constant(name, Kind::Bool, shape, bytes)
    }

    fn ints(&mut self, values: &[i64]) -> Value {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant("indices", Kind::Int64, &[values.len()], bytes)
    }

    fn node(
        &mut self,
        operator: &'static str,
        inputs: &[&Value],
        attributes: Vec<Attribute>,
        kind: Kind,
        shape: Vec<Dim>,
    ) -> Value {
        let name = self.unique(format!("{}/{operator}", self.scope));
        let output = Value { name, kind, shape };
        let inputs = inputs.iter().map(|value| value.name.clone()).collect();
        self.nodes.push(Node { operator, inputs, output: output.clone(), attributes });
        output
    }

    pub fn binary(&mut self, operator: Binary, a: &Value, b: &Value) -> Value {
        let shape = broadcast(&a.shape, &b.shape);
        let (name, kind) = match operator {
            Binary::Add => ("Add", a.kind),
            Binary::Sub => ("Sub", a.kind),
            Binary::Mul => ("Mul", a.kind),
            Binary::Div => ("Div", a.kind),
            Binary::And => ("And", Kind::Bool),
            Binary::Or => ("Or", Kind::Bool),
            Binary::Equal => ("Equal", Kind::Bool),
            Binary::Greater => ("Greater", Kind::Bool),
            Binary::Less => ("Less", Kind::Bool),
        };
        self.node(name, &[a, b], Vec::new(), kind, shape)
    }

    pub fn unary(&mut self, operator: Unary, x: &Value) -> Value {
        let name = match operator {
            Unary::Tanh => "Tanh",
            Unary::Sigmoid => "Sigmoid",
            Unary::Relu => "Relu",
            Unary::Floor => "Floor",
            Unary::Sqrt => "Sqrt",
            Unary::Not => "Not",
        };
        self.node(name, &[x], Vec::new(), x.kind, x.shape.clone())
    }

    /// `x` where the condition holds, `y` elsewhere.
    pub fn choose(&mut self, condition: &Value, x: &Value, y: &Value) -> Value {
        let shape = broadcast(&condition.shape, &broadcast(&x.shape, &y.shape));
        self.node("Where", &[condition, x, y], Vec::new(), x.kind, shape)
    }

    /// The matrix product over the last two dimensions.
    pub fn product(&mut self, a: &Value, b: &Value) -> Value {
        let (rows, columns) = (a.shape.len() - 1, b.shape.len() - 1);
        debug_assert_eq!(a.shape[rows], b.shape[columns - 1], "{} · {}", a.name, b.name);
        let lead = broadcast(&a.shape[..rows - 1], &b.shape[..columns - 1]);
        let shape = [&lead[..], &[a.shape[rows - 1], b.shape[columns]]].concat();
        self.node("MatMul", &[a, b], Vec::new(), Kind::Float, shape)
    }

    /// Between two bounds.
    pub fn clip(&mut self, x: &Value, least: f32, most: f32) -> Value {
        let (least, most) = (self.float(least), self.float(most));
        self.node("Clip", &[x, &least, &most], Vec::new(), x.kind, x.shape.clone())
    }

    pub fn cast(&mut self, x: &Value, kind: Kind) -> Value {
        let to = Attribute::Int("to", type_number(kind));
        self.node("Cast", &[x], vec![to], kind, x.shape.clone())
    }

    /// A stretch of the last dimension; itself if that is all of it.
    pub fn slice(&mut self, x: &Value, from: usize, width: usize) -> Value {
        debug_assert!(from + width <= x.width(), "{from} + {width} of {x:?}");
        if width == x.width() {
            return x.clone();
        }
        let [start, end, axis] =
            [from, from + width, x.shape.len() - 1].map(|n| self.ints(&[n as i64]));
        let mut shape = x.shape.clone();
        shape.pop();
        shape.push(Dim::Fixed(width));
        self.node("Slice", &[x, &start, &end, &axis], Vec::new(), x.kind, shape)
    }

    /// Side by side along the last dimension.
    pub fn concat(&mut self, parts: &[Value]) -> Value {
        if let [only] = parts {
            return only.clone();
        }
        let mut shape = parts[0].shape.clone();
        let axis = shape.len() - 1;
        shape[axis] = Dim::Fixed(parts.iter().map(Value::width).sum());
        let inputs: Vec<&Value> = parts.iter().collect();
        let axis = Attribute::Int("axis", axis as i64);
        self.node("Concat", &inputs, vec![axis], parts[0].kind, shape)
    }

    /// Another shape behind the batch, which stays.
    pub fn reshape(&mut self, x: &Value, behind: &[usize]) -> Value {
        // 0 stands for the dimension as it is.
        let sizes: Vec<i64> = std::iter::once(0).chain(behind.iter().map(|&n| n as i64)).collect();
        let sizes = self.ints(&sizes);
        let behind = behind.iter().map(|&n| Dim::Fixed(n));
        let shape = std::iter::once(Dim::Batch).chain(behind).collect();
        self.node("Reshape", &[x, &sizes], Vec::new(), x.kind, shape)
    }

    /// Takes a dimension of one away.
    pub fn squeeze(&mut self, x: &Value, axis: usize) -> Value {
        let axes = self.ints(&[axis as i64]);
        let mut shape = x.shape.clone();
        let gone = shape.remove(axis);
        debug_assert_eq!(gone, Dim::Fixed(1), "{}", x.name);
        self.node("Squeeze", &[x, &axes], Vec::new(), x.kind, shape)
    }

    pub fn transpose(&mut self, x: &Value, order: &[usize]) -> Value {
        let shape = order.iter().map(|&axis| x.shape[axis]).collect();
        let order = order.iter().map(|&axis| axis as i64).collect();
        self.node("Transpose", &[x], vec![Attribute::Ints("perm", order)], x.kind, shape)
    }

    /// The rows of a table, `[rows, width]`, that indices of any shape name.
    pub fn gather(&mut self, table: &Value, indices: &Value) -> Value {
        let shape = [&indices.shape[..], &table.shape[1..]].concat();
        let axis = Attribute::Int("axis", 0);
        self.node("Gather", &[table, indices], vec![axis], table.kind, shape)
    }

    /// Of tables `[batch, rows, width]` the row that an index `[batch, 1]` names, of each its own.
    pub fn gather_own(&mut self, tables: &Value, index: &Value) -> Value {
        let shape = vec![Dim::Batch, tables.shape[2]];
        let batched = Attribute::Int("batch_dims", 1);
        self.node("GatherND", &[tables, index], vec![batched], tables.kind, shape)
    }

    /// Takes a dimension together and keeps it as one of 1.
    pub fn reduce(&mut self, operator: Reduce, x: &Value, axis: usize) -> Value {
        let mut shape = x.shape.clone();
        shape[axis] = Dim::Fixed(1);
        let keep = Attribute::Int("keepdims", 1);
        let axes = Attribute::Ints("axes", vec![axis as i64]);
        match operator {
            Reduce::Sum => {
                let axes = self.ints(&[axis as i64]);
                self.node("ReduceSum", &[x, &axes], vec![keep], x.kind, shape)
            }
            Reduce::Max => self.node("ReduceMax", &[x], vec![axes, keep], x.kind, shape),
            Reduce::Mean => self.node("ReduceMean", &[x], vec![axes, keep], x.kind, shape),
        }
    }

    /// Where the last dimension is largest, the first of equals: `[…, 1]`.
    pub fn arg_max(&mut self, x: &Value) -> Value {
        let mut shape = x.shape.clone();
        let axis = shape.len() - 1;
        shape[axis] = Dim::Fixed(1);
        let attributes = vec![
            Attribute::Int("axis", axis as i64),
            Attribute::Int("keepdims", 1),
            Attribute::Int("select_last_index", 0),
        ];
        self.node("ArgMax", &[x], attributes, Kind::Int64, shape)
    }

    pub fn softmax(&mut self, x: &Value) -> Value {
        let axis = Attribute::Int("axis", x.shape.len() as i64 - 1);
        self.node("Softmax", &[x], vec![axis], x.kind, x.shape.clone())
    }
}

/// A type's number in the format.
pub fn type_number(kind: Kind) -> i64 {
    match kind {
        Kind::Float => 1,
        Kind::Int64 => 7,
        Kind::Bool => 9,
    }
}

/// The shape of two values side by side, dimension by dimension from the last one.
pub fn broadcast(a: &[Dim], b: &[Dim]) -> Vec<Dim> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let lead = long.len() - short.len();
    let one = Dim::Fixed(1);
    let both = long.iter().enumerate().map(|(i, &x)| match i.checked_sub(lead).map(|i| short[i]) {
        None => x,
        Some(y) if y == x || y == one => x,
        Some(y) => {
            debug_assert_eq!(x, one, "{a:?} and {b:?}");
            y
        }
    });
    both.collect()
}
