//! The buffers that passes keep their numbers in.

/// Makes room for `n` numbers; buffers only ever grow, so a warm cache never allocates. They grow to
/// what is needed and no further: entities come in varying numbers, and doubling would take more
/// memory than all of them ever need.
pub fn grow(buffer: &mut Vec<f32>, n: usize) {
    if buffer.len() < n {
        buffer.reserve_exact(n - buffer.len());
        buffer.resize(n, 0.0);
    }
}
