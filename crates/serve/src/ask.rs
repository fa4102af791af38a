//! What a request asks for, whichever format it came in, and the row that it becomes.

use crate::model::Endpoint;
use crate::refusal::Refusal;

/// How actions are to be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Manner {
    /// The most likely ones.
    #[default]
    Best,
    /// Drawn.
    Sampled,
    /// `[heads]`: the most likely one where it is true, else drawn.
    ByHead(Vec<bool>),
}

/// What a reply is to say beyond the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Wants {
    /// What the critic thinks of where the game stands.
    pub value: bool,
    /// How likely the joint action was.
    pub log_prob: bool,
    /// Of every head.
    pub entropy: bool,
    /// Of every action.
    pub probs: bool,
    /// The memory after the decision.
    pub state: bool,
    /// The actions by name.
    pub names: bool,
}

/// A request. Its buffers are used again for the next.
#[derive(Debug, Default)]
pub struct Ask {
    /// Which policy, by its place.
    pub endpoint: usize,
    /// The client's game; one connection may play several.
    pub session: Vec<u8>,
    /// Numbers as they came.
    pub observation: Vec<f32>,
    /// So many frames came, newest first; `None`: one flat list.
    pub frames: Option<usize>,
    /// What only the critic sees; empty if the client does not know.
    pub privileged: Vec<f32>,
    /// `[actions]`; empty if all are legal.
    pub mask: Vec<bool>,
    /// `[pair values]`; empty if nothing is forbidden.
    pub forbidden: Vec<bool>,
    /// Memory that the client keeps itself, actor's and critic's.
    pub state: Option<Vec<f32>>,
    /// How to choose.
    pub manner: Manner,
    /// The game begins.
    pub reset: bool,
    /// Dice from now on.
    pub seed: Option<u64>,
    /// What to say.
    pub wants: Wants,
    /// What the reply repeats, as it stood in the request.
    pub id: Vec<u8>,
}

impl Ask {
    /// Forgets the request.
    pub fn clear(&mut self) {
        self.endpoint = 0;
        self.session.clear();
        self.observation.clear();
        self.frames = None;
        self.privileged.clear();
        self.mask.clear();
        self.forbidden.clear();
        self.state = None;
        self.manner = Manner::Best;
        self.reset = false;
        self.seed = None;
        self.wants = Wants::default();
        self.id.clear();
    }

    /// Is the most likely action of a head wanted?
    pub fn best(&self, head: usize) -> bool {
        match &self.manner {
            Manner::Best => true,
            Manner::Sampled => false,
            Manner::ByHead(best) => best[head],
        }
    }

    /// Does everything fit the policy?
    pub fn check(&self, endpoint: &Endpoint) -> Result<(), Refusal> {
        let shape = &endpoint.shape;
        let name = &endpoint.name;
        let (found, frame) = (self.observation.len(), endpoint.frame_features);
        match self.frames {
            None if found == shape.features || found == frame => {}
            None if frame == shape.features => {
                return Err(Refusal::shape(format!(
                    "obs has {found} numbers; {name} sees {frame}"
                )));
            }
            None => {
                return Err(Refusal::shape(format!(
                    "obs has {found} numbers; {name} sees {frame} a frame, {} over its frames {:?}",
                    shape.features, endpoint.frames
                )));
            }
            Some(frames) => {
                let wide = found.checked_div(frames).unwrap_or(0);
                let known = [frame, frame + shape.privileged];
                if frames == 0 || wide * frames != found || !known.contains(&wide) {
                    return Err(Refusal::shape(format!(
                        "obs has {found} numbers in {frames} frames; {name} sees {frame} a frame"
                    )));
                }
            }
        }
        let wanted = |what: &str, found: usize, size: usize| {
            Refusal::shape(format!("{what} has {found} entries; {name} takes {size}"))
        };
        let (actor, critic) = endpoint.state_sizes;
        for (what, found, size) in [
            ("privileged", self.privileged.len(), shape.privileged),
            ("the mask", self.mask.len(), shape.actions()),
            ("forbidden", self.forbidden.len(), shape.pair_values),
        ] {
            if found != 0 && found != size {
                return Err(wanted(what, found, size));
            }
        }
        if let Some(state) = &self.state
            && state.len() != actor + critic
        {
            return Err(wanted("state", state.len(), actor + critic));
        }
        if let Manner::ByHead(best) = &self.manner
            && best.len() != shape.heads.len()
        {
            return Err(wanted("deterministic", best.len(), shape.heads.len()));
        }
        Ok(())
    }
}

/// One row as it goes into a policy.
#[derive(Debug, Default)]
pub struct Row {
    /// `[features]`, raw.
    pub observation: Vec<f32>,
    /// `[privileged]`, raw; empty if unknown.
    pub privileged: Vec<f32>,
    /// `[actions]`
    pub mask: Vec<bool>,
    /// `[pair values]`
    pub forbidden: Vec<bool>,
    /// Memory before the decision.
    pub actor_state: Vec<f32>,
    /// The critic's.
    pub critic_state: Vec<f32>,
    /// The memory counts for nothing: the game begins.
    pub fresh: bool,
    /// `[heads]`: a uniform number where the action is drawn.
    pub draws: Vec<Option<f32>>,
}

impl Row {
    /// Forgets the row.
    pub fn clear(&mut self) {
        self.observation.clear();
        self.privileged.clear();
        self.mask.clear();
        self.forbidden.clear();
        self.actor_state.clear();
        self.critic_state.clear();
        self.fresh = false;
        self.draws.clear();
    }
}
