//! Whole fights, number by number as they were when the script was still asked for its actions at every
//! tick. Handing it a seat for the whole fight must not have changed what anybody sees or earns.

use lanista_game::seed::{self, Rng};
use lanista_game::{Buffers, Control, Role};
use lanista_nh::game::BASELINE;
use lanista_nh::games;
use rand::RngExt;
use serde_json::{Value, json};

fn add(hash: &mut u64, bits: u32) {
    *hash = (*hash ^ u64::from(bits)).wrapping_mul(0x0000_0100_0000_01b3);
}

/// Head by head, evenly among what mask and requirements leave.
fn draw(role: &Role, mask: &[bool], dice: &mut Rng, action: &mut [u32]) {
    let mut start = 0;
    for (head, size) in role.head_sizes().into_iter().enumerate() {
        let open = |choice: &u32| {
            let of = role.requires.iter().filter(|r| (r.head, r.action) == (head, *choice));
            mask[start + *choice as usize] && of.into_iter().all(|r| r.allows(action))
        };
        let legal: Vec<u32> = (0..size as u32).filter(open).collect();
        if !legal.is_empty() {
            action[head] = legal[dice.random_range(0..legal.len())];
        }
        start += size;
    }
}

/// How long a fight is, and a digest of it: what whoever acts sees and may do, and what both earn.
/// The script and the idle one were shown a view when they were asked; nobody reads it, so it is left
/// out. So are
/// the critic's inputs of the first tick, in which the script had not packed its own bag yet.
fn digest(settings: &Value, seed: u64, seats: [Control; 2]) -> (usize, u64) {
    let mut batch = games()[0].build(settings, 1).unwrap();
    let role = batch.spec().roles[0].clone();
    let mut b = Buffers::new(batch.spec(), 1);
    let (features, actions) = (role.features(), role.actions());
    let (privileged, heads) = (role.privileged.len(), role.heads.len());
    let (mut dice, mut hash) = (seed::rng(seed ^ 0x6469_6365), 0xcbf2_9ce4_8422_2325);
    batch.start(0, seed, &seats, &mut b).unwrap();
    for step in 0.. {
        for s in (0..2).filter(|&s| b.acting[s]) {
            let seen = &b.observation[s * features..][..features];
            seen.iter().for_each(|v| add(&mut hash, v.to_bits()));
            b.mask[s * actions..][..actions].iter().for_each(|&v| add(&mut hash, u32::from(v)));
            if step > 0 {
                let hidden = &b.privileged[s * privileged..][..privileged];
                hidden.iter().for_each(|v| add(&mut hash, v.to_bits()));
            }
        }
        if step > 0 {
            let earned = b.terms.iter().chain(&b.score).chain(&b.stats);
            earned.for_each(|v| add(&mut hash, v.to_bits()));
            add(&mut hash, b.end[0].map_or(0, |end| 1 + end as u32));
        }
        if b.end[0].is_some() {
            return (step, hash);
        }
        let mut joint = vec![0; 2 * heads];
        for s in (0..2).filter(|&s| b.acting[s]) {
            let action = &mut joint[s * heads..][..heads];
            match seats[s] {
                Control::Bot(bot) => batch.scripted(0, bot, s, action).unwrap(),
                _ => draw(&role, &b.mask[s * actions..][..actions], &mut dice, action),
            }
        }
        batch.submit(&[0], &joint, &mut b).unwrap();
    }
    unreachable!("a fight ends")
}

#[test]
fn fights_are_what_they_were() {
    let (us, script) = (Control::Outside, Control::Bot(BASELINE));
    let [greedy, simple, random, idle] = [1, 2, 3, 4].map(Control::Bot);
    let drawn = json!({"builds": ["PURE", "ZERKER", "MED", "LMS_PURE", "LMS_MED"],
                       "randomize_gear": true});
    let live = json!({"rules": "live", "death_match": false});
    let types = json!({"rules": "live", "death_match": false, "randomize_fight_type": true});
    let beside = json!({"start_beside": true});
    for (settings, seed, seats, ticks, expected) in [
        (&json!({}), 1, [us, script], 324, 0x6dc9_24af_fb6d_6e63),
        (&json!({}), 2, [script, us], 322, 0x72f2_75dd_767b_c426),
        (&beside, 3, [us, script], 322, 0x86f9_3946_4c29_9baa),
        (&beside, 4, [greedy, script], 248, 0x0e51_e8bb_61b4_5066),
        (&drawn, 5, [us, script], 279, 0xd862_f6d2_5feb_2fae),
        (&drawn, 6, [script, simple], 168, 0x4905_e6f3_c381_0e9e),
        (&types, 7, [script, us], 156, 0xae37_e0fe_9828_b693),
        (&live, 8, [script, script], 2000, 0x01b7_791f_f9e6_4161),
        (&json!({}), 9, [greedy, simple], 417, 0x5cef_1003_a47e_da40),
        (&json!({}), 10, [random, idle], 53, 0x9774_cd91_6409_6734),
        (&json!({"max_ticks": 50}), 11, [us, us], 50, 0x7656_cb4d_9374_01e2),
    ] {
        let (length, hash) = digest(settings, seed, seats);
        assert_eq!(length, ticks, "{settings}, seed {seed}");
        assert_eq!(hash, expected, "{settings}, seed {seed}: {hash:#018x}");
    }
}
