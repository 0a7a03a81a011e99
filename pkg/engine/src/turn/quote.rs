//! The facts that a question is made from: another tool, run before the question and after the yes.

use serde_json::{Map, Value};

use manos_model::Failure;
use manos_policy::{ApprovedCall, Asking as MayAsk, PreparedCall, Standing, Verdict, decide};
use manos_schema::{Checked, MendOptions, RawArguments};

use super::ask::variables;
use super::{Asking, Purpose, Stage, Turn};
use crate::{Step, Tool};

/// A question whose lines changed after a yes is put again this often.
const CHANGED_MAX: u32 = 2;

impl Turn {
    /// Runs the read-only tool that the question is made from.
    pub(super) fn fetch_facts(&mut self, asking: Asking, tool: &Tool, step: &mut Step<'_>) {
        match self.quote_call(&asking, tool, step) {
            Ok((approved, quote)) => {
                self.stage = Stage::Quote(asking);
                self.start_run(approved, Purpose::Quote, quote, step);
            }
            Err(failure) => self.not_asked(asking.index, &failure, step),
        }
    }

    fn quote_call<'a>(
        &self,
        asking: &Asking,
        tool: &Tool,
        step: &mut Step<'a>,
    ) -> Result<(ApprovedCall, &'a Tool), Failure> {
        let source = tool.quote.as_ref().ok_or_else(|| failed("no quote tool"))?;
        let quote = step
            .agent
            .tool(source.tool.as_str())
            .filter(|quote| quote.spec.read_only && !quote.spec.confirm)
            .ok_or_else(|| failed(format!("{} is not a read-only tool", source.tool)))?;
        let value = Value::Object(quote_arguments(asking, tool, quote, step)?);
        let checked = quote.spec.schema.check(RawArguments::Value(&value), MendOptions::default());
        let arguments = match checked {
            Checked::Valid { arguments, .. } => arguments,
            Checked::Invalid(error) => {
                return Err(Failure::InvalidArguments { violations: error.violations() });
            }
        };
        let arguments = self.with_fixed(arguments, quote, step)?;
        let prepared = PreparedCall::new(step.ids.next_hex().into(), &quote.spec, arguments);
        match decide(prepared, &quote.spec, &Standing::Fresh, &MayAsk::Possible) {
            Verdict::Allow(approved) => Ok((approved, quote)),
            Verdict::Confirm(_) => Err(failed(format!("{} asks itself", source.tool))),
            Verdict::Deny(failure) => Err(failure),
        }
    }

    /// The facts have come, before the question or after the yes.
    pub(super) fn facts_came(&mut self, facts: &Value, step: &mut Step<'_>) {
        let Stage::Quote(asking) = std::mem::replace(&mut self.stage, Stage::Calls) else { return };
        let Some(tool) = step.agent.tool(asking.call.tool.as_str()) else {
            self.not_asked(asking.index, &Failure::Changed, step);
            return;
        };
        let Some(given) = asking.given.clone() else {
            self.put_question(asking, tool, Some(facts), step);
            return;
        };
        let lines = match Self::body(&asking.call, tool, Some(facts), step) {
            Ok(lines) => lines,
            Err(failure) => return self.not_asked(asking.index, &failure, step),
        };
        if given.confirmation.lines.as_deref() == Some(lines.as_str()) {
            self.run_approved(asking.index, given, tool, step);
        } else if asking.changed >= CHANGED_MAX {
            self.not_asked(asking.index, &Failure::Changed, step);
        } else {
            let again = Asking { changed: asking.changed + 1, given: None, ..asking };
            self.put_question(again, tool, Some(facts), step);
        }
    }

    /// The facts could not be had: nothing is asked, or nothing is run after the yes.
    pub(super) fn facts_failed(&mut self, failure: &Failure, step: &mut Step<'_>) {
        let Stage::Quote(asking) = std::mem::replace(&mut self.stage, Stage::Calls) else { return };
        self.not_asked(asking.index, failure, step);
    }
}

/// The arguments of the quoting tool: those the file gives, or those parsed ones that it has too.
fn quote_arguments(
    asking: &Asking,
    tool: &Tool,
    quote: &Tool,
    step: &Step<'_>,
) -> Result<Map<String, Value>, Failure> {
    let given = &asking.call.arguments;
    let Some(filled) = tool.quote.as_ref().and_then(|source| source.arguments.as_ref()) else {
        let shared =
            quote.spec.schema.properties().filter_map(|(name, _)| {
                given.get(name).map(|value| (name.to_owned(), value.clone()))
            });
        return Ok(shared.collect());
    };
    let variables = variables(given, None);
    let mut arguments = Map::new();
    for (name, value) in filled {
        let value = value
            .fill(&step.agent.formats, &variables)
            .map_err(|error| failed(error.to_string()))?;
        arguments.insert(name.clone(), value);
    }
    Ok(arguments)
}

fn failed(message: impl Into<String>) -> Failure {
    Failure::Failed { message: message.into() }
}
