//! What can be wrong with arrays and weights that are read.

/// Why bytes are not the arrays that were asked for.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The bytes are not a whole safetensors file.
    #[error("corrupt safetensors: {0}")]
    Corrupt(String),
    /// The file is sound but belongs to another network.
    #[error("the weights do not fit the network: {0}")]
    Mismatch(Mismatch),
    /// A weight is infinite or not a number: a policy with it plays nonsense.
    #[error("`{name}` holds {value}, which is not a finite number")]
    NotFinite {
        /// The tensor.
        name: String,
        /// The first such weight.
        value: f32,
    },
    /// An array that must be there is not.
    #[error("there is no array `{0}`")]
    Missing(String),
    /// An array holds another type of number than asked for.
    #[error("`{name}` holds {found}, expected {expected}")]
    Type {
        /// The array.
        name: String,
        /// What was asked for.
        expected: &'static str,
        /// What the file holds.
        found: String,
    },
}

/// All differences between a file and a layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mismatch {
    /// Tensors of the network that the file lacks.
    pub missing: Vec<String>,
    /// Tensors of the file that the network lacks.
    pub superfluous: Vec<String>,
    /// Tensors whose shapes differ.
    pub shapes: Vec<ShapeMismatch>,
}

/// One tensor with two shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeMismatch {
    /// The tensor.
    pub name: String,
    /// Its shape in the network.
    pub expected: Vec<usize>,
    /// Its shape in the file.
    pub found: Vec<usize>,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        if !self.missing.is_empty() {
            parts.push(format!("missing {}", self.missing.join(", ")));
        }
        if !self.superfluous.is_empty() {
            parts.push(format!("superfluous {}", self.superfluous.join(", ")));
        }
        for ShapeMismatch { name, expected, found } in &self.shapes {
            parts.push(format!("{name} is {found:?} in the file and {expected:?} in the network"));
        }
        f.write_str(&parts.join("; "))
    }
}
