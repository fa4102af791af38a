use lanista_game::{
    Control, End, Feature, Game, Head, Matches, Outcome, Role, Seat, Term, TermKind, View,
};

use super::*;

/// Two seats; the second acts at every other step and is shown nothing in between. Shows the seed
/// plus the steps so far, and for whom.
struct Clock {
    spec: Spec,
    seed: u64,
    steps: u64,
}

impl Game for Clock {
    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn reset(&mut self, seed: u64, _: &[Control]) {
        (self.seed, self.steps) = (seed, 0);
    }
    fn observe(&self, view: &mut View) {
        let time = (self.seed + self.steps) as f32;
        view.privileged.fill(-time);
        view.mask[0] = self.steps > 0;
        view.acting[1] = self.steps % 2 == 1;
        view.observation[..2].copy_from_slice(&[time, 0.5]);
        if view.acting[1] {
            view.observation[2..].copy_from_slice(&[-time, 1.5]);
        }
    }
    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        assert!(actions[0] < 2, "out of range");
        self.steps += 1;
        out.terms.fill(actions[1] as f32);
        if self.steps == 4 {
            *out.end = Some(End::Truncated);
            out.score.copy_from_slice(&[1.0, 2.0]);
            out.stats[0] = 4.0;
        }
    }
    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        action[0] = (bot + seat) as u32;
    }
    fn frame(&self, out: &mut String) {
        *out = format!("{{\"steps\":{}}}", self.steps);
    }
    fn notes(&self) -> Vec<String> {
        vec!["a clock".into()]
    }
}

fn clocks(matches: usize) -> Box<dyn Batch> {
    let player = Role {
        observation: vec![[Feature::from("time"), Feature::constant("seat")].into()],
        privileged: vec!["secret".into()],
        heads: vec![Head::new("button", ["green", "red"])],
        bots: vec!["steady".into()],
        ..Role::default()
    };
    let spec = Spec {
        name: "clock".into(),
        roles: vec![player],
        seats: vec![Seat::of(0), Seat::of(1)],
        terms: vec![Term::new(TermKind::Event, "pressed", "1 if pressed")],
        stats: vec!["steps".into()],
    };
    let clock = |_| Clock { spec: spec.clone(), seed: 0, steps: 0 };
    Box::new(Matches::new((0..matches).map(clock).collect()))
}

/// Nobody of the game's own sits there.
const OUTSIDE: [Control; 2] = [Control::Outside; 2];

fn stack(frames: &[usize]) -> Stack {
    Stack::new(frames.to_vec()).unwrap()
}

fn parse(text: &str) -> Result<Stack, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

#[test]
fn a_stack_is_a_number_or_a_list() {
    assert_eq!(parse("1"), Ok(Stack::default()));
    assert_eq!(parse("3"), Ok(stack(&[0, 1, 2])));
    assert_eq!(parse("[3, 0, 1]"), Ok(stack(&[3, 0, 1])), "the order is kept");
    assert_eq!(serde_json::to_string(&stack(&[0, 2])).unwrap(), "[0,2]");
    for (text, said) in [
        ("0", "0 frames; it is between 1 and 1000"),
        ("1001", "1001 frames; it is between 1 and 1000"),
        ("-1", "expected a number of frames such as 4, or a list"),
        ("\"four\"", "expected a number of frames such as 4, or a list"),
        ("[]", "[0] is the current one"),
        ("[0, 2, 2]", "frame 2 is listed twice"),
        ("[0, 1000]", "frame 1000 lies too far back; the last is 999"),
        ("[0, -2]", "integer `-2`"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn the_spec_names_every_frame() {
    let wide = stack(&[2, 0, 1]).widen(clocks(1).spec().clone());
    assert_eq!(wide.validate(), Ok(()));
    let features = wide.roles[0].flat_features();
    let names: Vec<&str> = features.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["time@2", "seat@2", "time", "seat", "time@1", "seat@1"]);
    // Only what the latest act may have changed varies.
    let varies: Vec<&str> =
        features.iter().filter(|f| !f.constant).map(|f| f.name.as_str()).collect();
    assert_eq!(varies, ["time"]);
    assert_eq!(wide.roles[0].privileged, clocks(1).spec().roles[0].privileged);
    let late = stack(&[3, 2]).widen(clocks(1).spec().clone());
    assert!(
        !late.roles[0].flat_features()[2].constant,
        "without the current frame, the newest one counts"
    );
}

#[test]
fn the_current_frame_alone_is_the_batch_itself() {
    let batch = clocks(2);
    let before: *const Spec = batch.spec();
    assert!(std::ptr::eq(before, Stack::default().over(batch).spec()));
}

/// What the seats of a match see.
fn seen(buffers: &Buffers, m: usize, seat: usize, wide: usize) -> &[f32] {
    &buffers.observation[(2 * m + seat) * wide..][..wide]
}

#[test]
fn frames_stand_side_by_side_and_start_as_zeros() {
    let mut batch = stack(&[0, 1, 3]).over(clocks(2));
    let mut buffers = Buffers::new(batch.spec(), 2);
    batch.start(0, 10, &OUTSIDE, &mut buffers).unwrap();
    batch.start(1, 50, &OUTSIDE, &mut buffers).unwrap();
    assert_eq!(seen(&buffers, 0, 0, 6), [10.0, 0.5, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(seen(&buffers, 0, 1, 6), [0.0; 6], "the second seat waits");
    batch.submit(&[0, 1], &[0; 4], &mut buffers).unwrap();
    assert_eq!(seen(&buffers, 0, 0, 6), [11.0, 0.5, 10.0, 0.5, 0.0, 0.0]);
    assert_eq!(seen(&buffers, 0, 1, 6), [-11.0, 1.5, 0.0, 0.0, 0.0, 0.0]);
    batch.submit(&[0, 1], &[0; 4], &mut buffers).unwrap();
    // The waiting seat keeps its latest view, and its history goes on.
    assert_eq!(seen(&buffers, 0, 1, 6), [-11.0, 1.5, -11.0, 1.5, 0.0, 0.0]);
    // One match alone: the other stays where it is.
    batch.submit(&[0], &[0; 4], &mut buffers).unwrap();
    assert_eq!(seen(&buffers, 0, 0, 6), [13.0, 0.5, 12.0, 0.5, 10.0, 0.5]);
    assert_eq!(seen(&buffers, 0, 1, 6), [-13.0, 1.5, -11.0, 1.5, 0.0, 0.0]);
    assert_eq!(seen(&buffers, 1, 0, 6), [52.0, 0.5, 51.0, 0.5, 0.0, 0.0]);
    batch.submit(&[0, 1], &[0; 4], &mut buffers).unwrap();
    assert_eq!(seen(&buffers, 0, 0, 6), [14.0, 0.5, 13.0, 0.5, 11.0, 0.5]);
    assert_eq!(seen(&buffers, 1, 0, 6), [53.0, 0.5, 52.0, 0.5, 50.0, 0.5]);
    // Nothing of the match before shows, not even to the seat that waits.
    batch.start(0, 20, &OUTSIDE, &mut buffers).unwrap();
    assert_eq!(seen(&buffers, 0, 0, 6), [20.0, 0.5, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(seen(&buffers, 0, 1, 6), [0.0; 6]);
}

#[test]
fn frames_keep_the_listed_order_and_may_leave_the_current_one_out() {
    let mut batch = stack(&[2, 1]).over(clocks(1));
    let mut buffers = Buffers::new(batch.spec(), 1);
    batch.start(0, 1, &OUTSIDE, &mut buffers).unwrap();
    for _ in 0..3 {
        batch.submit(&[0], &[0; 2], &mut buffers).unwrap();
    }
    assert_eq!(seen(&buffers, 0, 0, 4), [2.0, 0.5, 3.0, 0.5]);
}

#[test]
fn all_but_the_observation_is_as_without_a_stack() {
    let mut plain = clocks(2);
    let mut wide = stack(&[0, 1]).over(clocks(2));
    let mut a = Buffers::new(plain.spec(), 2);
    let mut b = Buffers::new(wide.spec(), 2);
    for m in 0..2 {
        plain.start(m, 3, &OUTSIDE, &mut a).unwrap();
        wide.start(m, 3, &OUTSIDE, &mut b).unwrap();
    }
    for step in 0..4 {
        plain.submit(&[0, 1], &[0, 1, 1, 0], &mut a).unwrap();
        wide.submit(&[0, 1], &[0, 1, 1, 0], &mut b).unwrap();
        assert_eq!((&a.privileged, &a.mask), (&b.privileged, &b.mask), "step {step}");
        assert_eq!((&a.acting, &a.terms), (&b.acting, &b.terms), "step {step}");
        assert_eq!((&a.end, &a.score, &a.stats), (&b.end, &b.score, &b.stats), "step {step}");
    }
    let mut action = [0];
    wide.scripted(1, 0, 1, &mut action).unwrap();
    let mut frame = String::new();
    wide.frame(1, &mut frame);
    assert_eq!((action, frame.as_str()), ([1], "{\"steps\":4}"));
    assert_eq!((wide.notes(), wide.replays(), wide.matches()), (plain.notes(), true, 2));
}

#[test]
fn a_fault_leaves_the_buffers_in_their_place() {
    let mut batch = stack(&[0, 1]).over(clocks(2));
    let mut buffers = Buffers::new(batch.spec(), 2);
    for m in 0..2 {
        batch.start(m, 7, &OUTSIDE, &mut buffers).unwrap();
    }
    let fault = batch.submit(&[0, 1], &[0, 0, 2, 0], &mut buffers).unwrap_err();
    assert_eq!(fault.match_index, 1);
    assert_eq!(buffers.privileged, [-8.0, -8.0, -7.0, -7.0]);
    batch.start(1, 9, &OUTSIDE, &mut buffers).unwrap();
    assert_eq!(seen(&buffers, 1, 0, 4), [9.0, 0.5, 0.0, 0.0]);
}
