//! The first checks of a call: is it known, allowed, parsed and valid?

use serde_json::{Map, Value};

use manos_model::{Failure, UserId};
use manos_schema::{ArgumentsError, Checked, Mend, MendOptions, RawArguments};

use crate::{Access, ToolSpec};

/// A call that passed the first checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    /// The parsed arguments.
    pub arguments: Map<String, Value>,
    /// What was mended in them.
    pub mends: Vec<Mend>,
}

/// At most so many near names are told to a model that asked for an unknown tool.
pub const NEAR_NAMES_MAX: usize = 3;

/// A name further away than this (Jaro-Winkler, 0 to 1) is not near.
const NEAR_ENOUGH: f64 = 0.75;

/// Says that a tool is unknown, with near names out of those that this user may use.
pub fn unknown_tool<'a>(
    name: &str,
    tools: impl Iterator<Item = &'a str>,
    access: &Access,
    user: &UserId,
) -> Failure {
    let wanted = name.to_lowercase();
    let mut near: Vec<(f64, &str)> = tools
        .filter(|tool| access.may_use(user, tool))
        .map(|tool| (strsim::jaro_winkler(&wanted, &tool.to_lowercase()), tool))
        .filter(|(nearness, _)| *nearness >= NEAR_ENOUGH)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    near.truncate(NEAR_NAMES_MAX);
    Failure::UnknownTool {
        name: bounded_name(name),
        did_you_mean: near.into_iter().map(|(_, tool)| tool.to_owned()).collect(),
    }
}

/// A model's invented name is told back up to this length, in characters.
const NAME_CHARS_MAX: usize = 128;

fn bounded_name(name: &str) -> String {
    name.chars().take(NAME_CHARS_MAX).collect()
}

/// Checks a call of a known tool.
///
/// # Errors
///
/// The failure that the model reads: `not_allowed` or `invalid_arguments`.
pub fn admit(
    spec: &ToolSpec,
    access: &Access,
    user: &UserId,
    raw: RawArguments<'_>,
    options: MendOptions,
) -> Result<Admitted, Failure> {
    if !access.may_use(user, spec.name.as_str()) {
        return Err(Failure::NotAllowed { tool: spec.name.as_str().to_owned() });
    }
    match spec.schema.check(raw, options) {
        Checked::Valid { arguments, mends } => Ok(Admitted { arguments, mends }),
        Checked::Invalid(error) => Err(invalid(&error)),
    }
}

fn invalid(error: &ArgumentsError) -> Failure {
    Failure::InvalidArguments { violations: error.violations() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_few_and_only_those_the_user_may_use() {
        let tools = ["crear_pedido", "cancelar_pedido", "crear_perfil", "crear_peluca", "ver_menu"];
        let access = Access {
            allowed_tools: Some(
                tools.iter().filter(|t| **t != "crear_perfil").map(|&t| t.to_owned()).collect(),
            ),
            roles: vec![],
        };
        let failure = unknown_tool("crear_pedidos", tools.into_iter(), &access, &"t:1".into());
        let Failure::UnknownTool { did_you_mean, .. } = failure else { panic!("{failure:?}") };
        assert_eq!(did_you_mean[0], "crear_pedido");
        assert!(did_you_mean.len() <= NEAR_NAMES_MAX);
        assert!(!did_you_mean.contains(&"crear_perfil".to_owned()));
        let failure = unknown_tool("zzz", tools.into_iter(), &access, &"t:1".into());
        assert_eq!(failure, Failure::UnknownTool { name: "zzz".into(), did_you_mean: vec![] });
    }
}
