//! What a game says about itself before it is played.

use serde_json::{Map, Value};

use super::report::{Findings, Rule};
use crate::{Entry, Spec};

/// A key that no game has.
const NO_SUCH_KEY: &str = "no_such_setting";

/// Tries settings and spec. Returns the spec if matches can be played with it.
pub(super) fn check(entry: &Entry, settings: &Value, findings: &mut Findings) -> Option<Spec> {
    documented(entry, settings, findings);
    let spec = match entry.spec(settings) {
        Ok(spec) => spec,
        Err(error) => {
            findings.general(Rule::Settings, format!("the settings are refused: {error}"));
            return None;
        }
    };
    if let Err(error) = spec.validate() {
        findings.general(Rule::Spec, error.to_string());
        return None;
    }
    let batch = match entry.build(settings, 2) {
        Ok(batch) => batch,
        Err(error) => {
            findings.general(Rule::Settings, format!("no match can be built: {error}"));
            return None;
        }
    };
    if *batch.spec() != spec {
        findings.general(Rule::Spec, "a batch has another spec than the game is listed with");
        return None;
    }
    if spec.name != entry.name {
        findings.general(Rule::Spec, format!("the spec is called `{}`", spec.name));
    }
    if batch.matches() != 2 {
        let count = batch.matches();
        findings.general(Rule::Spec, format!("a batch of 2 matches has {count}"));
    }
    if let Some(secs) = batch.step_secs()
        && !(secs > 0.0 && secs.is_finite())
    {
        findings.general(Rule::Spec, format!("a step lasts {secs} s"));
    }
    Some(spec)
}

fn documented(entry: &Entry, settings: &Value, findings: &mut Findings) {
    let mut wrong = settings.as_object().cloned().unwrap_or_default();
    wrong.insert(NO_SUCH_KEY.to_owned(), Value::from(1));
    let wrong = Value::Object(wrong);
    if entry.spec(&wrong).is_ok() || entry.build(&wrong, 1).is_ok() {
        findings.general(Rule::Settings, format!("an unknown key, `{NO_SUCH_KEY}`, is taken"));
    }
    for setting in entry.settings.iter().filter(|setting| setting.about.is_empty()) {
        findings.general(Rule::Settings, format!("nothing is said about `{}`", setting.name));
    }
    // Defaults that are spelt out must mean what silence means.
    let defaults = entry.settings.iter().map(|s| (s.name.clone(), s.default.clone()));
    let spelt = Value::Object(defaults.collect::<Map<_, _>>());
    match (entry.spec(&spelt), entry.spec(&Value::Null)) {
        (Ok(spelt), Ok(silent)) if spelt == silent => {}
        (Ok(_), Ok(_)) => {
            findings.general(Rule::Settings, "the documented defaults make another game");
        }
        (Err(error), _) => {
            findings
                .general(Rule::Settings, format!("the documented defaults are refused: {error}"));
        }
        (_, Err(error)) => {
            findings.general(Rule::Settings, format!("no settings at all are refused: {error}"));
        }
    }
}
