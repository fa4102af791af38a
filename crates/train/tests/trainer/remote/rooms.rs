//! Workers in this process, one after the other, who die by a plan.

use std::collections::{BTreeMap, VecDeque};

use lanista_game::{Entry, seed};
use lanista_train::remote::{Event, Transport, TransportError, Worker};

/// How workers die.
#[derive(Clone, Copy)]
pub enum Deaths {
    None,
    /// With this chance at every order, before or after playing; luck follows from a seed.
    Chance(f64, u64),
    /// They live on, but with this chance an answer is cut or altered.
    Garbage(f64, u64),
}

/// An order with its parcels.
type Order = (Vec<u8>, Vec<(u64, Vec<u8>)>);

pub struct Rooms {
    entry: Entry,
    deaths: Deaths,
    workers: Vec<Worker>,
    parcels: BTreeMap<u64, Vec<u8>>,
    orders: Vec<VecDeque<Order>>,
    drawn: u64,
}

impl Rooms {
    pub fn new(entry: Entry, workers: usize, deaths: Deaths) -> Self {
        Self {
            workers: (0..workers).map(|_| worker(&entry)).collect(),
            entry,
            deaths,
            parcels: BTreeMap::new(),
            orders: vec![VecDeque::new(); workers],
            drawn: 0,
        }
    }

    fn draw(&mut self) -> u64 {
        self.drawn += 1;
        let luck = match self.deaths {
            Deaths::None => 0,
            Deaths::Chance(_, luck) | Deaths::Garbage(_, luck) => luck,
        };
        seed::mix(luck, self.drawn)
    }
}

fn worker(entry: &Entry) -> Worker {
    Worker::new(vec![entry.clone()], 2).unwrap()
}

impl Transport for Rooms {
    fn workers(&self) -> usize {
        self.workers.len()
    }

    fn publish(&mut self, parcel: u64, bytes: Vec<u8>) -> Result<(), TransportError> {
        self.parcels.insert(parcel, bytes);
        Ok(())
    }

    fn withdraw(&mut self, parcel: u64) {
        self.parcels.remove(&parcel).expect("it was published");
    }

    fn send(
        &mut self,
        worker: usize,
        order: Vec<u8>,
        parcels: &[u64],
    ) -> Result<(), TransportError> {
        let parcels = parcels.iter().map(|parcel| (*parcel, self.parcels[parcel].clone()));
        self.orders[worker].push_back((order, parcels.collect()));
        Ok(())
    }

    fn receive(&mut self, _: bool) -> Result<Option<Event>, TransportError> {
        let busy: Vec<usize> =
            (0..self.workers.len()).filter(|&w| !self.orders[w].is_empty()).collect();
        let Some(worker) = busy.get(self.draw() as usize % busy.len().max(1)).copied() else {
            return Ok(None);
        };
        let (order, parcels) = self.orders[worker].pop_front().unwrap();
        let chance = f64::from(seed::uniform(self.draw()));
        if let Deaths::Chance(dies, _) = self.deaths
            && chance < dies
        {
            if chance < dies / 2.0 {
                // After it has played: the matches have moved on, and nobody will know.
                parcels.iter().for_each(|(n, bytes)| self.workers[worker].take(*n, bytes));
                self.workers[worker].play(&order);
            }
            self.workers[worker] = self::worker(&self.entry);
            self.orders[worker].clear();
            return Ok(Some(Event::Lost { worker, why: "by the plan".into() }));
        }
        parcels.iter().for_each(|(number, bytes)| self.workers[worker].take(*number, bytes));
        let mut bytes = self.workers[worker].play(&order);
        if let Deaths::Garbage(altered, _) = self.deaths
            && chance < altered
        {
            // The head says whose it is; what follows is checked.
            let at = 21 + self.draw() as usize % (bytes.len() - 21);
            if chance < altered / 2.0 {
                bytes.truncate(at);
            } else {
                bytes.push(7);
            }
        }
        Ok(Some(Event::Answer { worker, bytes }))
    }
}
