//! Errors as they are told.

/// An error with what caused it. A message that tells its cause already is not followed by it again.
pub fn told_once(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain().map(ToString::to_string) {
        match said.is_empty() {
            true => said = cause,
            false if said.contains(&cause) => {}
            false => said = format!("{said}: {cause}"),
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[derive(Debug)]
    struct Damaged(std::fmt::Error);

    impl std::fmt::Display for Damaged {
        fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            write!(f, "a.dem: {}; copy it again", self.0)
        }
    }

    impl std::error::Error for Damaged {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn causes_are_told_once() {
        let error = anyhow::Error::from(Damaged(std::fmt::Error));
        assert_eq!(told_once(&error), format!("a.dem: {}; copy it again", std::fmt::Error));
        let around = Err::<(), _>(error).context("cannot go on").unwrap_err();
        assert!(told_once(&around).starts_with("cannot go on: a.dem: "));
        assert_eq!(told_once(&anyhow::anyhow!("alone")), "alone");
    }
}
