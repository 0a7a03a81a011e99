//! Which numbers survive parsing exactly.
//!
//! Numbers keep their digits as text here, but whoever uses them, a handler, a database, another
//! program, reads a 64-bit integer or a double. A number that such a reader would change is not let
//! through: it was an id without its quotes more often than an amount.

/// Says whether `text`, a JSON number, has the same value once read as `i64`, `u64` or `f64`.
///
/// An integer (no point, no exponent) must fit 64 bits. Anything else must be the shortest way, or
/// a longer spelling of the shortest way, to write some double: `0.10` is, `0.1000000000000000001`
/// and `1e400` are not.
pub(crate) fn is_exact(text: &str) -> bool {
    /// Every number with no more digits than this survives a double, within the usual exponents.
    const DIGITS_ALWAYS_EXACT: usize = 15;

    if is_integer(text) {
        return text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
    }
    if text.len() <= DIGITS_ALWAYS_EXACT && !text.contains(['e', 'E']) {
        return true;
    }
    let Ok(double) = text.parse::<f64>() else {
        return false;
    };
    double.is_finite() && Decimal::parse(text) == Decimal::parse(&format!("{double:e}"))
}

/// Says whether `text` is `0`, `7`, `-12`, … : digits with at most a minus before them.
pub(crate) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Says whether `text` is a JSON number from its first to its last character.
pub(crate) fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_digits =
        exponent.map(|part| part.strip_prefix(['+', '-']).unwrap_or(part)).is_none_or(digits);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent_digits
}

/// A decimal number without the freedom of spelling: no zeros at either end of the digits.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    /// The power of ten of the last digit; `None` when the exponent itself is beyond reason.
    exponent: Option<i64>,
}

impl Decimal {
    fn parse(text: &str) -> Self {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Self { negative: false, digits: String::new(), exponent: Some(0) };
        }
        let places = |text: &str| i64::try_from(text.len()).ok();
        let exponent = exponent.parse::<i64>().ok().and_then(|exponent| {
            exponent
                .checked_sub(places(fraction)?)?
                .checked_add(places(significant)?.checked_sub(places(digits)?)?)
        });
        Self { negative, digits: digits.to_owned(), exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_exact_when_a_64_bit_reader_keeps_its_value() {
        let cases = [
            ("zero", "0", true),
            ("minus zero", "-0", true),
            ("beyond 2^53, yet 64 bits", "1234567890123456789", true),
            ("the largest u64", "18446744073709551615", true),
            ("one more", "18446744073709551616", false),
            ("the smallest i64", "-9223372036854775808", true),
            ("one less", "-9223372036854775809", false),
            ("money", "19.99", true),
            ("zeros at the end change nothing", "19.990000000000000000000000", true),
            ("the digits of a double", "0.1234567890123456", true),
            ("more digits than a double keeps", "0.12345678901234567891", false),
            ("a whole number that no double is", "9007199254740993.0", false),
            ("its even neighbour", "9007199254740992.0", true),
            ("an exponent", "1e22", true),
            ("another spelling of it", "10.0E+21", true),
            ("infinite as a double", "1e400", false),
            ("nothing left of it", "1e-400", false),
            ("zero with an exponent", "0e400", true),
            ("an exponent that is itself too long", "1e99999999999999999999", false),
            ("the smallest double", "5e-324", true),
        ];
        for (why, text, expected) in cases {
            assert_eq!(is_exact(text), expected, "{why}: {text}");
        }
    }

    #[test]
    fn a_number_in_quotes_must_be_spelled_as_json_spells_it() {
        let numbers = ["0", "-0", "10", "1.5", "-1.5e10", "1E+2", "0.10"];
        let others =
            ["", "-", "+1", "01", "1.", ".5", "1e", "1e+", " 1", "1 ", "1,5", "0x10", "١", "NaN"];
        for text in numbers {
            assert!(is_number(text), "{text}");
        }
        for text in others {
            assert!(!is_number(text), "{text}");
        }
    }
}
