//! The file format of arena components, and the hash by which RocketSim tells them apart.
//!
//! A `.cmf` file is little-endian: the number of triangles and of vertices (u32), three vertex
//! indices per triangle (u32), three coordinates per vertex (f32, in uu / 50). RocketSim panics on
//! bad counts and indices, so [`identify`] looks at a file before the engine does.

use std::collections::HashSet;
use std::fmt;

/// Corners of a triangle, in the units of the files (uu / 50).
pub type Triangle = [[f32; 3]; 3];

/// Unreal units per unit of the files.
pub const UU_PER_BT: f64 = 50.0;

/// RocketSim's own limit for triangles and for vertices.
const MAX_COUNT: usize = 1_000_000;
/// Bytes of the largest file that can be valid.
pub const MAX_BYTES: u64 = 8 + 2 * 12 * MAX_COUNT as u64;
/// Just within the world of RocketSim's broad phase.
const MAX_COORDINATE_BT: f32 = 10_000.0;

/// Why a file is no arena component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It ends before the data its header announces; holds the bytes there are and are needed.
    Truncated(usize, usize),
    /// Triangles and vertices that no component has.
    Counts(usize, usize),
    /// A triangle has a vertex that does not exist: triangle, index.
    Index(usize, u32),
    /// A vertex is not a number, or lies outside the world.
    Coordinate(usize),
    /// The same triangle twice, on which the engine's edge search trips.
    Duplicate(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated(has, needs) => {
                write!(f, "truncated: {has} bytes where its header needs {needs}")
            }
            Self::Counts(triangles, vertices) => write!(
                f,
                "no collision mesh: its header announces {triangles} triangles and {vertices} \
                 vertices"
            ),
            Self::Index(triangle, index) => {
                write!(f, "damaged: triangle {triangle} has vertex {index}, which does not exist")
            }
            Self::Coordinate(vertex) => {
                write!(f, "damaged: vertex {vertex} is not a point of the world")
            }
            Self::Duplicate(triangle) => {
                write!(f, "damaged: triangle {triangle} occurs twice")
            }
        }
    }
}

/// A component as a file, each triangle with vertices of its own.
pub fn encode(triangles: &[Triangle]) -> Vec<u8> {
    let vertices = triangles.len() * 3;
    let mut bytes = Vec::with_capacity(8 + vertices * 16);
    let mut put = |word: u32| bytes.extend_from_slice(&word.to_le_bytes());
    put(triangles.len() as u32);
    put(vertices as u32);
    (0..vertices as u32).for_each(&mut put);
    triangles.iter().flatten().flatten().for_each(|coordinate| put(coordinate.to_bits()));
    bytes
}

/// The hash of a component that is safe to hand to RocketSim.
pub fn identify(bytes: &[u8]) -> Result<u32, Fault> {
    let word = |at: usize| -> Option<u32> {
        Some(u32::from_le_bytes(bytes.get(at * 4..at * 4 + 4)?.try_into().ok()?))
    };
    let (Some(triangles), Some(vertices)) = (word(0), word(1)) else {
        return Err(Fault::Truncated(bytes.len(), 8));
    };
    let (triangles, vertices) = (triangles as usize, vertices as usize);
    if triangles.min(vertices) == 0 || triangles.max(vertices) > MAX_COUNT {
        return Err(Fault::Counts(triangles, vertices));
    }
    let first_vertex = 2 + triangles * 3;
    let needs = (first_vertex + vertices * 3) * 4;
    if bytes.len() < needs {
        return Err(Fault::Truncated(bytes.len(), needs));
    }

    // The length is checked: every word below is there.
    let word = |at: usize| word(at).unwrap_or_default();
    let vertex =
        |index: usize| [0, 1, 2].map(|i| f32::from_bits(word(first_vertex + index * 3 + i)));
    for index in 0..vertices {
        // Written so that NaN fails.
        if !vertex(index).iter().all(|coordinate| coordinate.abs() <= MAX_COORDINATE_BT) {
            return Err(Fault::Coordinate(index));
        }
    }
    let mut seen = HashSet::with_capacity(triangles);
    let mut hash = Hash::new(triangles, vertices);
    for triangle in 0..triangles {
        let indices = [0, 1, 2].map(|i| word(2 + triangle * 3 + i));
        if let Some(&index) = indices.iter().find(|&&index| index as usize >= vertices) {
            return Err(Fault::Index(triangle, index));
        }
        let corners = indices.map(|index| vertex(index as usize));
        corners.iter().flatten().for_each(|&coordinate| hash.mix(coordinate as i32));
        let mut key = corners.map(|corner| corner.map(f32::to_bits));
        key.sort_unstable();
        if !seen.insert(key) {
            return Err(Fault::Duplicate(triangle));
        }
    }
    Ok(hash.value)
}

/// RocketSim's hash of a component (`CollisionMeshFile::get_hash`): it mixes the integer parts of
/// the coordinates, triangle by triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    /// The hash of what was mixed so far.
    pub value: u32,
}

impl Hash {
    const FACTOR: u32 = 0x045D_9F3B;
    /// FACTOR · INVERSE = 1 modulo 2³².
    const INVERSE: u32 = 0x119D_E1F3;
    const OFFSET: u32 = 0x9E37_79B9;

    /// Before the first coordinate.
    pub fn new(triangles: usize, vertices: usize) -> Self {
        Self { value: (vertices + triangles * vertices) as u32 }
    }

    /// Adds the integer part of a coordinate.
    pub fn mix(&mut self, integer: i32) {
        let spread = |x: u32| ((x >> 16) ^ x).wrapping_mul(Self::FACTOR);
        let x = spread(spread(integer as u32));
        self.value ^= ((x >> 16) ^ x).wrapping_add(self.step());
    }

    /// The integer whose mixing brings the hash to `target`: every step of [`Self::mix`] can be
    /// undone, so there is exactly one.
    pub fn solve(&self, target: u32) -> i32 {
        // x ^ (x >> 16) undoes itself: its upper half is that of x.
        let gather = |x: u32| {
            let x = x.wrapping_mul(Self::INVERSE);
            (x >> 16) ^ x
        };
        let x = (target ^ self.value).wrapping_sub(self.step());
        gather(gather((x >> 16) ^ x)) as i32
    }

    fn step(&self) -> u32 {
        Self::OFFSET.wrapping_add(self.value << 6).wrapping_add(self.value >> 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TRIANGLE: Triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    fn patched(at: usize, word: u32) -> Vec<u8> {
        let mut bytes = encode(&[TRIANGLE]);
        bytes[at * 4..at * 4 + 4].copy_from_slice(&word.to_le_bytes());
        bytes
    }

    #[test]
    fn every_fault_is_named() {
        let whole = encode(&[TRIANGLE]);
        assert!(identify(&whole).is_ok());
        for end in 0..whole.len() {
            assert!(matches!(identify(&whole[..end]), Err(Fault::Truncated(has, _)) if has == end));
        }
        assert_eq!(identify(&patched(0, 0)), Err(Fault::Counts(0, 3)));
        assert_eq!(identify(&patched(1, u32::MAX)), Err(Fault::Counts(1, u32::MAX as usize)));
        assert_eq!(identify(&patched(3, 3)), Err(Fault::Index(0, 3)));
        assert_eq!(identify(&patched(5, f32::NAN.to_bits())), Err(Fault::Coordinate(0)));
        assert_eq!(identify(&patched(13, 2e4f32.to_bits())), Err(Fault::Coordinate(2)));
        let turned = [TRIANGLE[1], TRIANGLE[2], TRIANGLE[0]];
        assert_eq!(identify(&encode(&[TRIANGLE, turned])), Err(Fault::Duplicate(1)));
    }

    #[test]
    fn the_hash_is_the_engines() {
        let bytes = encode(&[TRIANGLE, [[-7.9, 3.2, 80.0], [1.5, -2.5, 0.1], [9.0, 9.0, 9.0]]]);
        let engines = rocketsim::CollisionMeshFile::read_from_bytes(&bytes).unwrap();
        assert_eq!(identify(&bytes), Ok(engines.get_hash()));
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = identify(&bytes);
        }

        #[test]
        fn mixing_can_be_undone(value: u32, target: u32) {
            let mut hash = Hash { value };
            hash.mix(hash.solve(target));
            prop_assert_eq!(hash.value, target);
        }
    }
}
