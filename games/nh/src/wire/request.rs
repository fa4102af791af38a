//! What an agent asks for.

use serde_json::Value;
use thiserror::Error;

use super::{AGENT_TYPE, HEADS, Reset};
use crate::sim::Action;

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The agent that asks.
    pub id: String,
    /// What it asks for.
    pub ask: Ask,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub enum Ask {
    /// To come into being.
    Login,
    /// To be forgotten.
    Logout,
    /// A new fight.
    Reset(Box<Reset>),
    /// A tick, with this choice for every head.
    Step(Action),
    /// What becomes of all agents.
    Debug,
}

/// A request that nobody can answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Broken {
    /// The connection is closed, as the original does: no request that it knows.
    #[error("{0}")]
    Line(String),
    /// It is answered with an error.
    #[error("{0}")]
    Request(String),
}

/// The names of agents are not longer, in bytes.
const NAME_BYTES: usize = 64;

impl Request {
    /// Reads a line, without its end.
    ///
    /// # Errors
    /// When it is no request, or one that cannot be answered.
    pub fn read(line: &[u8]) -> Result<Self, Broken> {
        let mut whole: Value = serde_json::from_slice(line)
            .map_err(|error| Broken::Line(format!("a line is no JSON: {error}")))?;
        let action = whole.get("action").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !["login", "logout", "reset", "step", "debug"].contains(&action.as_str()) {
            return Err(Broken::Line(format!("there is no action {action:?}")));
        }
        let refuse = |message: String| Broken::Request(message);
        let id = match whole.get("meta").and_then(|meta| meta.get("id")) {
            Some(Value::String(id)) => id.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => return Err(refuse("meta.id: name the agent".into())),
        };
        if id.is_empty() || id.len() > NAME_BYTES {
            return Err(refuse(format!("meta.id: a name has 1 to {NAME_BYTES} bytes")));
        }
        let body = whole.get_mut("body").map_or(Value::Null, Value::take);
        let ask = match action.as_str() {
            "login" => match body.get("agentType").and_then(Value::as_str) {
                Some(AGENT_TYPE) => Ask::Login,
                kind => {
                    let kind = kind.unwrap_or_default();
                    return Err(refuse(format!(
                        "body.agentType: there is no {kind:?} here, only {AGENT_TYPE:?}"
                    )));
                }
            },
            "logout" => Ask::Logout,
            "reset" => {
                let reset = Reset::deserialize_from(body);
                Ask::Reset(Box::new(reset.map_err(|error| refuse(format!("body: {error}")))?))
            }
            "step" => Ask::Step(action_of(&body).map_err(refuse)?),
            _ => Ask::Debug,
        };
        Ok(Self { id, ask })
    }
}

impl Reset {
    fn deserialize_from(body: Value) -> Result<Self, serde_json::Error> {
        let reset: Self = serde_json::from_value(body)?;
        if reset.reset_params.random_build_options.is_empty() && reset.reset_params.randomize_build
        {
            return Err(serde::de::Error::custom("randomBuildOptions: no build to choose from"));
        }
        Ok(reset)
    }
}

fn action_of(body: &Value) -> Result<Action, String> {
    let heads = body.get("action").and_then(Value::as_array).ok_or("body.action: 12 numbers")?;
    if heads.len() != HEADS.len() {
        return Err(format!("body.action has {} numbers where 12 are needed", heads.len()));
    }
    let mut action = [0; 12];
    for (head, (place, (choice, size))) in
        action.iter_mut().zip(heads.iter().zip(HEADS)).enumerate()
    {
        *place =
            choice.as_u64().filter(|&choice| choice < size as u64).ok_or_else(|| {
                format!("body.action[{head}] is {choice} and must be below {size}")
            })? as u8;
    }
    Ok(action)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Request, Broken> {
        Request::read(line.as_bytes())
    }

    #[test]
    fn requests_of_the_original_trainer_are_read() {
        let login =
            r#"{"action": "login", "body": {"agentType": "NhEnv"}, "meta": {"id": "RP 0"}}"#;
        let request = read(login).unwrap();
        assert_eq!(request.id, "RP 0");
        assert!(matches!(request.ask, Ask::Login));
        let reset = r#"{"action":"reset","body":{"target":"baseline","training":true,
            "maintainTargetEnvironment":true,"deathMatch":true,"resetParams":{"agent":"0",
            "target":"baseline","episodeId":"e","accountBuild":"MED","unknown":3}},"meta":{"id":"0"}}"#;
        let Ask::Reset(reset) = read(reset).unwrap().ask else { panic!("no reset") };
        assert!(reset.training && reset.maintain_target_environment && reset.death_match);
        assert_eq!(reset.reset_params.account_build.name(), "MED");
        let step =
            r#"{"action":"step","body":{"action":[3,2,2,3,4,1,1,1,1,4,6,5]},"meta":{"id":"0"}}"#;
        let Ask::Step(action) = read(step).unwrap().ask else { panic!("no step") };
        assert_eq!(action, [3, 2, 2, 3, 4, 1, 1, 1, 1, 4, 6, 5]);
        assert!(read(r#"{"action":"logout","body":null,"meta":{"id":"0"}}"#).is_ok());
    }

    #[test]
    fn what_the_original_hangs_up_on_is_told_from_what_it_answers() {
        for line in ["", "nonsense", "[]", "{}", r#"{"action":"dance","meta":{"id":"0"}}"#] {
            assert!(matches!(read(line), Err(Broken::Line(_))), "{line}");
        }
        for line in [
            r#"{"action":"logout"}"#,
            r#"{"action":"login","body":{"agentType":"DharokEnv"},"meta":{"id":"0"}}"#,
            r#"{"action":"step","body":{"action":[0]},"meta":{"id":"0"}}"#,
            r#"{"action":"step","body":{"action":[4,0,0,0,0,0,0,0,0,0,0,0]},"meta":{"id":"0"}}"#,
            r#"{"action":"step","body":{"action":[0,0,0,0,0,0,0,0,0,0,0,-1]},"meta":{"id":"0"}}"#,
            r#"{"action":"reset","body":{},"meta":{"id":"0"}}"#,
            r#"{"action":"reset","body":{"target":"baseline","resetParams":{"accountBuild":"X"}},"meta":{"id":"0"}}"#,
        ] {
            assert!(matches!(read(line), Err(Broken::Request(_))), "{line}");
        }
    }
}
