//! Workers in processes of their own, some of which are killed while they play.
//!
//! A worker is this very test binary: [`worker`] is what it does when it is started as one.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use lanista_train::remote::{Event, Transport, TransportError, Worker};

/// Where a worker is told to connect to.
const ADDRESS: &str = "REMOTE_WORKER";

#[test]
#[ignore = "the other process of the tests below"]
fn worker() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let mut stream = TcpStream::connect(address).unwrap();
    let mut worker = Worker::new(lanista_classic::games().to_vec(), 1).unwrap();
    while let Ok((parcel, bytes)) = read(&mut stream) {
        match parcel {
            0 => write(&mut stream, 0, &worker.play(&bytes)).unwrap(),
            parcel => worker.take(parcel, &bytes),
        }
    }
}

fn write(stream: &mut TcpStream, parcel: u64, bytes: &[u8]) -> std::io::Result<()> {
    stream.write_all(&parcel.to_le_bytes())?;
    stream.write_all(&(bytes.len() as u64).to_le_bytes())?;
    stream.write_all(bytes)
}

fn read(stream: &mut TcpStream) -> std::io::Result<(u64, Vec<u8>)> {
    let mut number = [0; 8];
    stream.read_exact(&mut number)?;
    let parcel = u64::from_le_bytes(number);
    stream.read_exact(&mut number)?;
    let mut bytes = vec![0; u64::from_le_bytes(number) as usize];
    stream.read_exact(&mut bytes)?;
    Ok((parcel, bytes))
}

/// Processes; every so many orders, the one that gets the order is killed with it.
pub struct Processes {
    listener: TcpListener,
    workers: Vec<(Child, TcpStream)>,
    parcels: BTreeMap<u64, Vec<u8>>,
    kill_every: u64,
    sent: u64,
    say: Sender<(u32, Event)>,
    hear: Receiver<(u32, Event)>,
}

impl Processes {
    pub fn start(count: usize, kill_every: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (say, hear) = channel();
        let mut new = Self {
            listener,
            workers: Vec::new(),
            parcels: BTreeMap::new(),
            kill_every,
            sent: 0,
            say,
            hear,
        };
        for worker in 0..count {
            let started = new.begin(worker);
            new.workers.push(started);
        }
        new
    }

    fn begin(&self, worker: usize) -> (Child, TcpStream) {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["remote::processes::worker", "--exact", "--ignored", "--nocapture"])
            .env(ADDRESS, self.listener.local_addr().unwrap().to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let (stream, _) = self.listener.accept().unwrap();
        let (mut from, say, id) = (stream.try_clone().unwrap(), self.say.clone(), child.id());
        std::thread::spawn(move || {
            while let Ok((_, bytes)) = read(&mut from) {
                let _ = say.send((id, Event::Answer { worker, bytes }));
            }
            let _ = say.send((id, Event::Lost { worker, why: "its stream ended".into() }));
        });
        (child, stream)
    }
}

impl Transport for Processes {
    fn workers(&self) -> usize {
        self.workers.len()
    }

    fn publish(&mut self, parcel: u64, bytes: Vec<u8>) -> Result<(), TransportError> {
        self.parcels.insert(parcel, bytes);
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
        let (child, stream) = &mut self.workers[worker];
        // A stream that has ended is told about when something is received.
        for parcel in parcels {
            let _ = write(stream, *parcel, &self.parcels[parcel]);
        }
        let _ = write(stream, 0, &order);
        self.sent += 1;
        if self.sent.is_multiple_of(self.kill_every) {
            child.kill().unwrap();
        }
        Ok(())
    }

    fn receive(&mut self, wait: bool) -> Result<Option<Event>, TransportError> {
        loop {
            let (id, event) = match self.hear.try_recv() {
                Ok(heard) => heard,
                Err(_) if !wait => return Ok(None),
                Err(_) => self.hear.recv().map_err(|e| TransportError(e.to_string()))?,
            };
            let (Event::Answer { worker, .. } | Event::Lost { worker, .. }) = &event;
            let worker = *worker;
            if self.workers[worker].0.id() != id {
                continue; // of one that has been replaced
            }
            if matches!(event, Event::Lost { .. }) {
                self.workers[worker].0.wait().unwrap();
                self.workers[worker] = self.begin(worker);
            }
            return Ok(Some(event));
        }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for (child, _) in &mut self.workers {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
