//! Workers on threads of their own, some slower than others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lanista_game::Entry;
use lanista_train::remote::{Event, Transport, TransportError, Worker};

type Order = (Vec<u8>, Vec<(u64, Arc<Vec<u8>>)>);

pub struct Threads {
    orders: Vec<Sender<Order>>,
    threads: Vec<JoinHandle<()>>,
    parcels: BTreeMap<u64, Arc<Vec<u8>>>,
    hear: Receiver<Event>,
}

impl Threads {
    /// A worker for each of these delays, which it takes before every answer.
    pub fn new(entry: &Entry, delays: &[Duration]) -> Self {
        let (say, hear) = channel();
        let (mut orders, mut threads) = (Vec::new(), Vec::new());
        for (number, &delay) in delays.iter().enumerate() {
            let (send, receive) = channel::<Order>();
            let (say, mut worker) = (say.clone(), Worker::new(vec![entry.clone()], 1).unwrap());
            threads.push(thread::spawn(move || {
                for (order, parcels) in receive {
                    parcels.iter().for_each(|(parcel, bytes)| worker.take(*parcel, bytes));
                    let bytes = worker.play(&order);
                    thread::sleep(delay);
                    let _ = say.send(Event::Answer { worker: number, bytes });
                }
            }));
            orders.push(send);
        }
        Self { orders, threads, parcels: BTreeMap::new(), hear }
    }
}

impl Transport for Threads {
    fn workers(&self) -> usize {
        self.orders.len()
    }

    fn publish(&mut self, parcel: u64, bytes: Vec<u8>) -> Result<(), TransportError> {
        self.parcels.insert(parcel, Arc::new(bytes));
        Ok(())
    }

    fn withdraw(&mut self, parcel: u64) {
        self.parcels.remove(&parcel);
    }

    fn send(
        &mut self,
        worker: usize,
        order: Vec<u8>,
        parcels: &[u64],
    ) -> Result<(), TransportError> {
        let parcels = parcels.iter().map(|parcel| (*parcel, self.parcels[parcel].clone()));
        self.orders[worker]
            .send((order, parcels.collect()))
            .map_err(|e| TransportError(e.to_string()))
    }

    fn receive(&mut self, wait: bool) -> Result<Option<Event>, TransportError> {
        match wait {
            true => self.hear.recv().map(Some).map_err(|e| TransportError(e.to_string())),
            false => Ok(self.hear.try_recv().ok()),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.orders.clear();
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}
