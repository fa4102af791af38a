//! A match beside training, for whoever watches: the newest policy plays it in the game's own time,
//! on a thread of its own. Nothing of it comes back, so a run learns the same whether or not it is
//! watched.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lanista_game::{Buffers, Control, Entry, await_answer};
use serde_json::Value;

use crate::error::TrainError;
use crate::player::{Player, Roster};
use crate::seating::{Cast, Guests, Seating};
use crate::shard::{MatchFault, Purpose, Shard};
use crate::stack::Stack;
use crate::view::Viewer;

/// Frames a second of a game without a clock.
const DEFAULT_RATE: f64 = 15.0;
/// A new policy is asked for so often: copies cost the run a little time.
const REFRESH: Duration = Duration::from_secs(1);
/// How long an engine may take to show its first picture.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long nothing is done while nobody looks.
const IDLE: Duration = Duration::from_millis(50);
/// Who plays, and what.
pub struct Scene {
    /// The game.
    pub entry: Entry,
    /// Its settings.
    pub settings: Value,
    /// Which frames the policy sees.
    pub stack: Stack,
    /// The agent.
    pub roster: Roster,
    /// Who plays the roles that it does not.
    pub cast: Cast,
    /// Agents that may be among those.
    pub guests: Arc<Guests>,
    /// Who takes the seats of the other teams.
    pub versus: Player,
    /// Does the policy take its most likely actions?
    pub deterministic: bool,
    /// Matches follow from this.
    pub seed: u64,
}

/// A match that goes on beside training. It ends when this is dropped.
pub struct Exhibition {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// What to go on with.
    next: Mutex<Option<Scene>>,
    /// Is something newer wanted?
    wanted: AtomicBool,
    hidden: AtomicBool,
    stop: AtomicBool,
    failure: Mutex<Option<String>>,
}

impl Exhibition {
    /// Begins to play; `None` for a game without a picture.
    pub fn start(scene: Scene, viewer: Viewer) -> Result<Option<Self>, TrainError> {
        let mut batch = scene.entry.build(&scene.settings, 1)?;
        let mut buffers = Buffers::new(batch.spec(), 1);
        let mut frame = String::new();
        let seats = vec![Control::Outside; batch.spec().seats.len()];
        let started = batch.start(0, scene.seed, &seats, &mut buffers);
        let started = started.and_then(|()| await_answer(batch.as_mut(), PATIENCE, &mut buffers));
        if started.is_ok() {
            batch.frame(0, &mut frame);
        }
        if frame.is_empty() {
            return Ok(None);
        }
        // One row at a time needs no other threads, and must not take those of the run.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(|_| "exhibition".into())
            .build()
            .map_err(|error| TrainError::Threads { threads: 1, error })?;
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        let play = move || {
            if let Err(problem) = pool.install(|| own.play(scene, viewer)) {
                *lock(&own.failure) = Some(problem);
            }
        };
        Ok(Some(Self { shared, thread: Some(std::thread::spawn(play)) }))
    }

    /// Hands over something newer, if it is wanted by now.
    pub fn offer(&self, scene: impl FnOnce() -> Scene) {
        if self.shared.wanted.swap(false, Relaxed) {
            *lock(&self.shared.next) = Some(scene());
        }
    }

    /// Shows or hides the picture. While it is hidden, nothing is played.
    pub fn show(&self, shown: bool) {
        self.shared.hidden.store(!shown, Relaxed);
    }

    /// Why it ended before it was told to, if it did.
    pub fn take_failure(&self) -> Option<String> {
        lock(&self.shared.failure).take()
    }
}

impl Drop for Exhibition {
    fn drop(&mut self) {
        self.shared.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic there is no reason for one here
        }
    }
}

impl Shared {
    fn play(&self, mut scene: Scene, mut viewer: Viewer) -> Result<(), String> {
        let mut episode = 0;
        // Every round has the shard of one game under one kind of settings.
        while !self.stop.load(Relaxed) {
            let batch = scene.entry.build(&scene.settings, 1).map_err(|e| e.to_string())?;
            viewer.pace(batch.step_secs().map_or(DEFAULT_RATE, |secs| 1.0 / secs));
            let mut seating = Seating::against(scene.seed, scene.versus, 1);
            seating.cast = scene.cast.clone();
            let (batch, policies) = (scene.stack.over(batch), scene.roster.all());
            let mut shard = Shard::new(0, batch, &policies, seating);
            shard.welcome(scene.guests.clone(), 0);
            let next = self.play_on(&mut shard, &mut scene, &mut viewer, &mut episode);
            match next.map_err(|fault| fault.to_string())? {
                Some(next) => scene = next,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Plays match after match until it is told to stop, or the game becomes another one.
    fn play_on(
        &self,
        shard: &mut Shard,
        scene: &mut Scene,
        viewer: &mut Viewer,
        episode: &mut u64,
    ) -> Result<Option<Scene>, MatchFault> {
        let (deterministic, record) = (scene.deterministic, false);
        let purpose = Purpose::Evaluate { deterministic, record };
        let mut frame = String::new();
        let mut send = |shard: &Shard| {
            shard.frame(0, &mut frame);
            viewer.send_in_time(&frame);
        };
        let mut refreshed = Instant::now();
        shard.begin(0.0); // nothing here follows a schedule
        shard.start_all(*episode)?;
        send(shard);
        while !self.stop.load(Relaxed) {
            if self.hidden.load(Relaxed) {
                std::thread::sleep(IDLE);
                continue;
            }
            if refreshed.elapsed() >= REFRESH {
                refreshed = Instant::now();
                self.wanted.store(true, Relaxed);
            }
            if let Some(next) = lock(&self.next).take() {
                if (&next.settings, next.versus) != (&scene.settings, scene.versus) {
                    *episode += 1;
                    return Ok(Some(next));
                }
                *scene = next;
            }
            shard.advance(&scene.roster.all(), &purpose)?;
            send(shard);
            shard.settle(&scene.roster.all(), &purpose)?;
            shard.await_all()?;
            if !shard.ended.is_empty() {
                shard.finished.clear();
                *episode += 1;
                send(shard);
            }
        }
        Ok(None)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;
    use crate::testing::{countdown, countdown_without_picture};
    use crate::{RunConfig, Trainer};

    fn trainer() -> Trainer {
        trainer_of(countdown())
    }

    fn trainer_of(entry: Entry) -> Trainer {
        let mut config = RunConfig { game: "countdown".into(), ..RunConfig::default() };
        config.rollout.matches = 4;
        config.rollout.horizon = 8;
        config.policy.hidden = vec![8];
        config.ppo.minibatch = 16.0.into();
        config.rewards.insert("step".into(), 1.0.into());
        let mut trainer = Trainer::new(entry, config).unwrap();
        trainer.start().unwrap();
        trainer
    }

    fn viewer() -> (UdpSocket, Viewer) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let viewer = Viewer::new(socket.local_addr().unwrap(), 1.0).unwrap();
        (socket, viewer)
    }

    fn number(socket: &UdpSocket) -> u64 {
        let mut buffer = [0; 64];
        let length = socket.recv(&mut buffer).unwrap();
        std::str::from_utf8(&buffer[..length]).unwrap().parse().unwrap()
    }

    #[test]
    fn whole_matches_are_shown_step_by_step_while_nothing_is_trained() {
        let (socket, viewer) = viewer();
        let mut trainer = trainer();
        assert!(trainer.exhibit(viewer).unwrap());
        let frames: Vec<u64> = (0..40).map(|_| number(&socket)).collect();
        let mut matches = 0;
        for pair in frames.windows(2) {
            match pair {
                [0, _] => matches += 1,
                [a, b] => assert_eq!(a - 1, *b, "no step is left out: {frames:?}"),
                _ => unreachable!(),
            }
        }
        assert!(matches >= 4, "{frames:?}");
    }

    #[test]
    fn a_run_learns_the_same_whether_or_not_it_is_watched() {
        let (socket, viewer) = viewer();
        let (mut watched, mut alone) = (trainer(), trainer());
        assert!(watched.exhibit(viewer).unwrap());
        let exhibition = watched.exhibition.as_ref().unwrap();
        let began = Instant::now();
        // Until a policy was wanted, and so handed over while training goes on.
        while !exhibition.shared.wanted.load(Relaxed) {
            assert!(began.elapsed() < Duration::from_secs(20), "no new policy is wanted");
            std::thread::sleep(Duration::from_millis(5));
        }
        for _ in 0..6 {
            watched.iterate().unwrap();
            alone.iterate().unwrap();
        }
        number(&socket);
        assert_eq!(watched.agent.learner().policy.params, alone.agent.learner().policy.params);
        assert_eq!(watched.exhibition.as_ref().unwrap().take_failure(), None);
    }

    #[test]
    fn a_hidden_picture_is_not_sent() {
        let (socket, viewer) = viewer();
        let mut trainer = trainer();
        trainer.exhibit(viewer).unwrap();
        number(&socket);
        let exhibition = trainer.exhibition.as_ref().unwrap();
        exhibition.show(false);
        // What was on its way arrives; then nothing does.
        socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let mut buffer = [0; 64];
        let late = (0..1000).take_while(|_| socket.recv(&mut buffer).is_ok()).count();
        assert!(late < 1000);
        exhibition.show(true);
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        number(&socket);
    }

    #[test]
    fn a_game_without_a_picture_is_not_shown() {
        let mut trainer = trainer_of(countdown_without_picture());
        assert!(!trainer.exhibit(viewer().1).unwrap());
        assert!(trainer.exhibition.is_none());
    }
}
