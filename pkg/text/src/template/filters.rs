//! The filters that write by locale: `money`, `number`, `date`, `time`.

use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State};

use super::values::formats_of;
use crate::{FormatError, Formats};

/// Reals beyond this no longer tell neighbouring whole numbers apart.
const WHOLE_REAL_MAX: f64 = 9_007_199_254_740_992.0;

/// Adds the filters to `environment`.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("money", money);
    environment.add_filter("number", number);
    environment.add_filter("date", date);
    environment.add_filter("time", time);
}

/// `{{ 9000 | money }}`: a whole number of the smallest unit. A fraction is an error, since it means
/// that somebody divided money.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands filters their values")]
fn money(state: &State<'_, '_>, value: Value) -> Result<String, Error> {
    let amount = whole(&value).ok_or_else(|| {
        refused(format!("money takes a whole number of the smallest unit, not {value}"))
    })?;
    formats_of(state, |formats| Ok(formats.money(amount)))
}

/// `{{ 1234.5 | number }}`, or `{{ x | number(2) }}` for a fixed count of decimals.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands filters their values")]
fn number(state: &State<'_, '_>, value: Value, decimals: Option<u8>) -> Result<String, Error> {
    let not_a_number = || refused(format!("number takes a number, not {value}"));
    if value.kind() != ValueKind::Number {
        return Err(not_a_number());
    }
    let digits = match (decimals, i128::try_from(value.clone())) {
        (None | Some(0), Ok(whole)) if value.is_integer() => whole.to_string(),
        (decimals, _) => {
            let real = f64::try_from(value.clone()).map_err(|_| not_a_number())?;
            match decimals {
                None => format!("{real}"),
                Some(count) => format!("{real:.0$}", usize::from(count.min(DECIMALS_MAX))),
            }
        }
    };
    formats_of(state, |formats| formats.number(&digits).map_err(|error| format_refused(&error)))
}

/// The most decimals `number` writes; more are cut to this.
const DECIMALS_MAX: u8 = 15;

/// `{{ at | date }}` in words, `{{ at | date("digits") }}` in digits.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands filters their values")]
fn date(state: &State<'_, '_>, value: Value, style: Option<String>) -> Result<String, Error> {
    let write: fn(&Formats, &str) -> Result<String, FormatError> = match style.as_deref() {
        None => Formats::date,
        Some("digits") => Formats::date_digits,
        Some(other) => {
            return Err(refused(format!("date has no style {other:?}, only \"digits\"")));
        }
    };
    written(state, &value, write)
}

/// `{{ at | time }}`.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands filters their values")]
fn time(state: &State<'_, '_>, value: Value) -> Result<String, Error> {
    written(state, &value, Formats::time)
}

fn written(
    state: &State<'_, '_>,
    value: &Value,
    write: fn(&Formats, &str) -> Result<String, FormatError>,
) -> Result<String, Error> {
    let text = value.as_str().ok_or_else(|| {
        refused(format!("a date or time is text such as 2026-01-31T14:03:00Z, not {value}"))
    })?;
    formats_of(state, |formats| write(formats, text).map_err(|error| format_refused(&error)))
}

fn whole(value: &Value) -> Option<i128> {
    if value.kind() != ValueKind::Number {
        return None;
    }
    if value.is_integer() {
        return i128::try_from(value.clone()).ok();
    }
    let real = f64::try_from(value.clone()).ok()?;
    let exact = real.fract() == 0.0 && real.abs() < WHOLE_REAL_MAX;
    if exact { format!("{real:.0}").parse().ok() } else { None }
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}

fn format_refused(error: &FormatError) -> Error {
    refused(error.to_string())
}
