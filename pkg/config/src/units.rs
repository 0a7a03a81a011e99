//! Durations and sizes as people write them.

use std::time::Duration;

/// Reads a duration: a number of seconds, or a number with `ms`, `s`, `m`, `h` or `d`.
///
/// Fractions are exact to the millisecond; nothing is rounded.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(manos_config::duration("90s"), Some(Duration::from_secs(90)));
/// assert_eq!(manos_config::duration("1.5"), Some(Duration::from_millis(1_500)));
/// assert_eq!(manos_config::duration("soon"), None);
/// ```
pub fn duration(text: &str) -> Option<Duration> {
    let (digits, unit) = split(text)?;
    let unit_ms: u64 = match unit {
        "" | "s" => 1_000,
        "ms" => 1,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    Some(Duration::from_millis(scaled(digits, unit_ms)?))
}

/// Reads a size in bytes: a number, or a number with `B`, `KiB`, `MiB` or `GiB`.
///
/// `KB` and `MB` are refused, as people disagree about them.
///
/// ```
/// assert_eq!(manos_config::size("16KiB"), Some(16_384));
/// assert_eq!(manos_config::size("16KB"), None);
/// ```
pub fn size(text: &str) -> Option<u64> {
    let (digits, unit) = split(text)?;
    let unit_bytes: u64 = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    scaled(digits, unit_bytes)
}

fn split(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    (!digits.is_empty()).then(|| (digits, unit.trim_start_matches(' ')))
}

/// Multiplies decimal digits by a unit; `None` when the product is not whole or too large.
fn scaled(digits: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (digits, ""),
    };
    let fraction = fraction.trim_end_matches('0');
    if whole.is_empty() || fraction.len() > 6 || fraction.contains('.') {
        return None;
    }
    let places = 10_u64.pow(u32::try_from(fraction.len()).ok()?);
    let part = if fraction.is_empty() { 0 } else { fraction.parse::<u64>().ok()? };
    let part = part.checked_mul(unit)?;
    if part % places != 0 {
        return None;
    }
    whole.parse::<u64>().ok()?.checked_mul(unit)?.checked_add(part / places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_seconds_or_says_its_unit() {
        let cases = [
            ("60", Some(60_000)),
            ("0", Some(0)),
            ("90s", Some(90_000)),
            ("2m", Some(120_000)),
            ("8d", Some(691_200_000)),
            ("300ms", Some(300)),
            ("1h", Some(3_600_000)),
            ("1.5s", Some(1_500)),
            ("2 m", Some(120_000)),
            ("0.0001s", None),
            ("-1", None),
            ("1h30m", None),
            ("s", None),
            ("", None),
            ("1.", None),
            ("1.2.3", None),
            ("99999999999999999999d", None),
            ("2M", None),
        ];
        for (text, ms) in cases {
            assert_eq!(duration(text), ms.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn a_size_counts_in_powers_of_two() {
        let cases =
            [("512", Some(512)), ("1MiB", Some(1 << 20)), ("1.5KiB", Some(1_536)), ("1k", None)];
        for (text, bytes) in cases {
            assert_eq!(size(text), bytes, "{text}");
        }
    }
}
