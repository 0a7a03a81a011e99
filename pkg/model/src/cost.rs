//! What model calls cost, to the last digit: whole numbers inside, decimals on paper, never a float.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::Usage;

/// The digits after the point of an amount.
const AMOUNT_DECIMALS: usize = 12;

/// One unit of the currency.
const AMOUNT_ONE: u128 = 1_000_000_000_000;

/// The digits after the point of a price per million tokens: with more, one token's price would
/// not be a whole number of the smallest part of an amount.
pub const PRICE_DECIMALS_MAX: usize = 6;

/// The most digits before the point of a price.
const PRICE_WHOLE_DIGITS_MAX: usize = 9;

/// An amount of money in some currency, exact to twelve digits after the point.
///
/// # Shape
///
/// A JSON text such as `"0.0001525"`, without needless zeros.
///
/// # Examples
///
/// ```
/// use manos_model::Amount;
/// let amount: Amount = "0.50".parse()?;
/// assert_eq!((amount + amount).to_string(), "1");
/// # Ok::<(), manos_model::NoAmount>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(u128);

/// A text is no amount.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("an amount is digits with at most {AMOUNT_DECIMALS} after the point, such as 0.25")]
pub struct NoAmount;

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / AMOUNT_ONE, self.0 % AMOUNT_ONE);
        let part = format!("{part:0AMOUNT_DECIMALS$}");
        match part.trim_end_matches('0') {
            "" => f.pad(&whole.to_string()),
            part => f.pad(&format!("{whole}.{part}")),
        }
    }
}

impl FromStr for Amount {
    type Err = NoAmount;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > AMOUNT_DECIMALS {
            return Err(NoAmount);
        }
        format!("{whole}{part:0<AMOUNT_DECIMALS$}").parse().map(Self).map_err(|_| NoAmount)
    }
}

impl std::ops::Add for Amount {
    type Output = Self;

    /// Adds; at the end of the range it stays there.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What a model's tokens cost, each per million of them.
///
/// # Examples
///
/// ```
/// use manos_model::{Price, Usage};
/// let price = Price::new("USD", "0.25", "2", Some("0.025"))?;
/// let usage = Usage { tokens_input: 1000, tokens_cached: 400, tokens_output: 50, tokens_reasoning: 0 };
/// // 600 × 0.25 + 400 × 0.025 + 50 × 2, per million
/// assert_eq!(price.of(&usage).amount.to_string(), "0.00026");
/// # Ok::<(), manos_model::NoPrice>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    currency: String,
    /// Millionths of the currency per million tokens.
    input: u64,
    cached: u64,
    output: u64,
}

/// A text is no price.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "a price is digits with at most {PRICE_DECIMALS_MAX} after the point, such as 0.25, per million tokens"
)]
pub struct NoPrice;

impl Price {
    /// Reads the prices of a million tokens each: of the request, of the reply (reasoning is part of
    /// it), and of what the provider read from its cache, which else costs as much as the request.
    ///
    /// # Errors
    ///
    /// [`NoPrice`] for a text that is none.
    pub fn new(
        currency: impl Into<String>,
        input: &str,
        output: &str,
        cached: Option<&str>,
    ) -> Result<Self, NoPrice> {
        let input = millionths(input)?;
        let cached = cached.map_or(Ok(input), millionths)?;
        Ok(Self { currency: currency.into(), input, cached, output: millionths(output)? })
    }

    /// Returns what a call cost.
    pub fn of(&self, usage: &Usage) -> Cost {
        let cached = usage.tokens_cached.min(usage.tokens_input);
        let parts = [
            (usage.tokens_input - cached, self.input),
            (cached, self.cached),
            (usage.tokens_output, self.output),
        ];
        // Millionths per million: a token's price in the smallest part of an amount.
        let amount = parts.into_iter().fold(0_u128, |sum, (tokens, price)| {
            sum.saturating_add(u128::from(tokens).saturating_mul(u128::from(price)))
        });
        Cost { amount: Amount(amount), currency: self.currency.clone() }
    }
}

fn millionths(text: &str) -> Result<u64, NoPrice> {
    let text = text.trim();
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = (1..=PRICE_WHOLE_DIGITS_MAX).contains(&whole.len())
        && part.len() <= PRICE_DECIMALS_MAX
        && digits(whole)
        && digits(part);
    if !fits {
        return Err(NoPrice);
    }
    format!("{whole}{part:0<PRICE_DECIMALS_MAX$}").parse().map_err(|_| NoPrice)
}

/// What one model call cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// How much.
    pub amount: Amount,
    /// Of which currency.
    pub currency: String,
}

/// What several model calls used and cost.
///
/// # Examples
///
/// ```
/// use manos_model::{Spent, Usage};
/// let mut spent = Spent::default();
/// let usage = Usage { tokens_input: 10, ..Usage::default() };
/// spent.add(Some(&usage), None);
/// spent.add(Some(&usage), None);
/// assert_eq!(spent.usage.tokens_input, 20);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The sum of each.
    pub usage: Usage,
    /// The amounts, by currency.
    pub cost: BTreeMap<String, Amount>,
}

impl Spent {
    /// Adds one call.
    pub fn add(&mut self, usage: Option<&Usage>, cost: Option<&Cost>) {
        if let Some(usage) = usage {
            self.usage.add(usage);
        }
        if let Some(Cost { amount, currency }) = cost {
            let sum = self.cost.entry(currency.clone()).or_default();
            *sum = *sum + *amount;
        }
    }

    /// Returns whether nothing is known to have been used.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_keep_their_digits_there_and_back() {
        for text in ["0", "1", "0.1", "0.000000000001", "12.5", "340282366920938463463374608"] {
            let read = text.parse::<Amount>().map(|amount| amount.to_string());
            // The last one is beyond the range.
            let expected = if text.len() > 26 { Err(NoAmount) } else { Ok(text.to_owned()) };
            assert_eq!(read, expected, "{text}");
        }
        for text in ["", ".5", "-1", "1e3", "1,5", "0.0000000000001", "x"] {
            assert_eq!(text.parse::<Amount>(), Err(NoAmount), "{text}");
        }
    }

    #[test]
    fn a_price_is_exact_and_what_is_none_is_refused() {
        let usage =
            Usage { tokens_input: 3, tokens_output: 7, tokens_cached: 9, tokens_reasoning: 5 };
        let cases = [
            ("cached is never more than came in", "0.1", "0.2", Some("0.01"), "0.00000143"),
            ("no price of its own", "0.1", "0.2", None, "0.0000017"),
            ("free", "0", "0", None, "0"),
            ("the smallest", "0.000001", "0", None, "0.000000000003"),
        ];
        for (why, input, output, cached, expected) in cases {
            let price = Price::new("EUR", input, output, cached).unwrap();
            assert_eq!(price.of(&usage).amount.to_string(), expected, "{why}");
        }
        for text in ["", "-1", "1e2", "0.0000001", "1234567890", "1.2.3"] {
            assert_eq!(Price::new("USD", text, "1", None), Err(NoPrice), "{text}");
        }
    }
}
