//! What carries messages between a learner and its workers.

use crate::error::TransportError;

/// Carries orders to workers and answers back. Workers have numbers from 0 on.
///
/// Orders to one worker are followed in the order in which they were sent. A worker that is lost is replaced
/// by the transport: whatever is sent to its number afterwards goes to one that knows nothing.
pub trait Transport: Send {
    /// How many workers there are.
    fn workers(&self) -> usize;

    /// Makes a parcel, such as the weights of a policy, known under a number. It may be needed by every
    /// worker, so it is worth sending once to each machine.
    fn publish(&mut self, parcel: u64, bytes: Vec<u8>) -> Result<(), TransportError>;

    /// No order from now on names this parcel.
    fn withdraw(&mut self, parcel: u64);

    /// Hands a worker these parcels and then the order: [`Worker::take`](super::Worker::take) for each, and
    /// [`Worker::play`](super::Worker::play). Does not wait.
    fn send(
        &mut self,
        worker: usize,
        order: Vec<u8>,
        parcels: &[u64],
    ) -> Result<(), TransportError>;

    /// What has happened since: waits for it if `wait`, otherwise `None` if nothing has.
    fn receive(&mut self, wait: bool) -> Result<Option<Event>, TransportError>;
}

/// Something that happened.
pub enum Event {
    /// A worker answered an order.
    Answer {
        /// Which one.
        worker: usize,
        /// What [`Worker::play`](super::Worker::play) returned.
        bytes: Vec<u8>,
    },
    /// A worker is lost, and with it the orders that it had not answered.
    Lost {
        /// Which one.
        worker: usize,
        /// Why, as far as is known.
        why: String,
    },
}
