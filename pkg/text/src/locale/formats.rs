//! Writes numbers, money, dates and times the way one locale does.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::data::{DateOrder, SymbolPlace, TimeStyle};
use super::{Locale, LocaleData, Money, WordData, locale_data, words};
use crate::language::Language;

/// Everything a template filter needs to write for people: locale, money and time zone.
///
/// Cheap to clone but for the texts inside; make one per agent and share it.
///
/// # Examples
///
/// ```
/// use jiff::tz::TimeZone;
/// use manos_text::{Formats, Locale, Money};
///
/// let pesos = Money { symbol: "$".to_owned(), decimals: 0 };
/// let formats = Formats::new(&Locale::from_tag("es-CO").unwrap(), pesos, TimeZone::UTC);
/// assert_eq!(formats.money(9000), "$9.000");
/// assert_eq!(formats.number("1234.5").unwrap(), "1.234,5");
/// assert_eq!(formats.date("2026-01-05").unwrap(), "5 de enero de 2026");
/// ```
#[derive(Debug, Clone)]
pub struct Formats {
    locale: Locale,
    money: Money,
    time_zone: TimeZone,
    data: &'static LocaleData,
    words: &'static WordData,
}

/// A value that cannot be written the way that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Not a date, a date with a time, or an instant.
    #[error("{text:?} is not a date; use one such as 2026-01-31 or 2026-01-31T14:03:00Z")]
    NotADate {
        /// What came.
        text: String,
    },
    /// Not a plain decimal number.
    #[error("{text:?} is not a number")]
    NotANumber {
        /// What came.
        text: String,
    },
    /// Not a time of day, a date with a time, or an instant.
    #[error("{text:?} is not a time; use one such as 14:03 or 2026-01-31T14:03:00Z")]
    NotATime {
        /// What came.
        text: String,
    },
}

impl Formats {
    /// Puts the conventions of `locale` together with the agent's money and time zone.
    pub fn new(locale: &Locale, money: Money, time_zone: TimeZone) -> Self {
        Self {
            data: locale_data(locale.tag(), locale.language()),
            words: words(locale.language()),
            locale: locale.clone(),
            money,
            time_zone,
        }
    }

    /// Returns the locale.
    pub fn locale(&self) -> &Locale {
        &self.locale
    }

    /// Returns the time zone.
    pub fn time_zone(&self) -> &TimeZone {
        &self.time_zone
    }

    /// Writes an amount given in the smallest unit: `9000` is `$9.000` without decimals and
    /// `$90,00` with two.
    pub fn money(&self, smallest_units: i128) -> String {
        let decimals = usize::from(self.money.decimals.min(Money::DECIMALS_MAX));
        let digits = format!("{:0>width$}", smallest_units.unsigned_abs(), width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        let number = self.grouped(whole, fraction);
        let sign = if smallest_units < 0 { "-" } else { "" };
        let symbol = self.money.symbol.as_str();
        let spaced = symbol.ends_with(char::is_alphanumeric);
        match self.data.symbol {
            _ if symbol.is_empty() => format!("{sign}{number}"),
            SymbolPlace::Before if !spaced => format!("{sign}{symbol}{number}"),
            SymbolPlace::Before | SymbolPlace::BeforeSpaced => {
                format!("{sign}{symbol}\u{a0}{number}")
            }
            SymbolPlace::AfterSpaced => format!("{sign}{number}\u{a0}{symbol}"),
        }
    }

    /// Writes a decimal number with the locale's signs; every digit is kept.
    ///
    /// # Errors
    ///
    /// [`FormatError::NotANumber`] when `digits` is not an optional minus, digits and perhaps a
    /// point with more digits.
    pub fn number(&self, digits: &str) -> Result<String, FormatError> {
        let refused = || FormatError::NotANumber { text: digits.to_owned() };
        let (sign, rest) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
        let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
        let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !plain(whole) || !plain(fraction) {
            return Err(refused());
        }
        if rest.contains('.') && fraction.is_empty() {
            return Err(refused());
        }
        Ok(format!("{sign}{}", self.grouped(whole, fraction)))
    }

    /// Writes a date in words: `5 de enero de 2026`.
    ///
    /// Takes `2026-01-05`, a date with a time, or an instant; an instant is first moved to the time
    /// zone.
    ///
    /// # Errors
    ///
    /// [`FormatError::NotADate`].
    pub fn date(&self, text: &str) -> Result<String, FormatError> {
        self.read_date(text).map(|date| self.date_in_words(date))
    }

    /// The words are the language's, the order the place's; only English knows two.
    fn date_in_words(&self, date: Date) -> String {
        match (self.locale.language(), self.data.date) {
            (Language::En, DateOrder::MonthSlashes) => {
                fill_date(self.words, "{month} {d}, {y}", date)
            }
            _ => date_words(self.words, date),
        }
    }

    /// Writes a date in digits: `05/01/2026`. Takes what [`Formats::date`] takes.
    ///
    /// # Errors
    ///
    /// [`FormatError::NotADate`].
    pub fn date_digits(&self, text: &str) -> Result<String, FormatError> {
        let date = self.read_date(text)?;
        let (day, month, year) = (date.day(), date.month(), date.year());
        Ok(match self.data.date {
            DateOrder::DayDots => format!("{day:02}.{month:02}.{year:04}"),
            DateOrder::DaySlashes => format!("{day:02}/{month:02}/{year:04}"),
            DateOrder::MonthSlashes => format!("{month:02}/{day:02}/{year:04}"),
        })
    }

    /// Writes a time of day: `14:03` or `2:03 PM`.
    ///
    /// Takes `14:03`, a date with a time, or an instant.
    ///
    /// # Errors
    ///
    /// [`FormatError::NotATime`].
    pub fn time(&self, text: &str) -> Result<String, FormatError> {
        let time = if let Some(zoned) = self.instant(text) {
            zoned.time()
        } else if let Ok(time) = text.parse::<Time>() {
            time
        } else {
            return Err(FormatError::NotATime { text: text.to_owned() });
        };
        Ok(self.clock(time))
    }

    /// Writes the clock part of an instant, in its own zone.
    pub fn clock_of(&self, at: &Zoned) -> String {
        self.clock(at.time())
    }

    fn clock(&self, time: Time) -> String {
        let (hour, minute) = (time.hour(), time.minute());
        match self.data.time {
            TimeStyle::Hours24 => format!("{hour:02}:{minute:02}"),
            TimeStyle::Hours12 { am, pm } => {
                let shown = if hour % 12 == 0 { 12 } else { hour % 12 };
                format!("{shown}:{minute:02} {}", if hour < 12 { am } else { pm })
            }
        }
    }

    fn read_date(&self, text: &str) -> Result<Date, FormatError> {
        if let Some(zoned) = self.instant(text) {
            return Ok(zoned.date());
        }
        if let Ok(moment) = text.parse::<DateTime>() {
            return Ok(moment.date());
        }
        text.parse::<Date>().map_err(|_| FormatError::NotADate { text: text.to_owned() })
    }

    fn instant(&self, text: &str) -> Option<Zoned> {
        let instant = text.parse::<Timestamp>().ok()?;
        Some(instant.to_zoned(self.time_zone.clone()))
    }

    fn grouped(&self, whole: &str, fraction: &str) -> String {
        let mut out = String::with_capacity(whole.len() * 2 + fraction.len() + 1);
        let grouping = whole.len() >= self.data.group_digits_min;
        for (index, digit) in whole.chars().enumerate() {
            if grouping && index > 0 && (whole.len() - index).is_multiple_of(3) {
                out.push_str(self.data.group);
            }
            out.push(digit);
        }
        if !fraction.is_empty() {
            out.push_str(self.data.decimal);
            out.push_str(fraction);
        }
        out
    }
}

/// Writes a date in the words of a language.
pub(crate) fn date_words(words: &WordData, date: Date) -> String {
    let month = month_word(words, date);
    let pattern = if words.elides && month.starts_with(['a', 'o']) {
        words.date.replacen("de {month}", "d’{month}", 1)
    } else {
        words.date.to_owned()
    };
    fill_date(words, &pattern, date)
}

fn fill_date(words: &WordData, pattern: &str, date: Date) -> String {
    pattern
        .replace("{d}", &date.day().to_string())
        .replace("{month}", month_word(words, date))
        .replace("{y}", &date.year().to_string())
}

fn month_word(words: &WordData, date: Date) -> &'static str {
    let month = usize::try_from(date.month() - 1).ok().and_then(|m| words.months.get(m));
    month.copied().unwrap_or_default()
}

/// Names the weekday of a date.
pub(crate) fn weekday_word(words: &WordData, date: Date) -> &'static str {
    let index = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or_default();
    words.weekdays.get(index).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
