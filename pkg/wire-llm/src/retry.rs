//! Whether and when a model call is made again.
//!
//! Owns the decision alone; waiting, and knowing what has been received, is the shell's. A reply of
//! which any content has come is never asked for again.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// How often and how patiently a call is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries in all, the first included.
    pub tries_max: u32,
    /// Before the second try; doubles with each further one.
    pub wait_first: Duration,
    /// The longest wait of our own choosing; a server may ask for more.
    pub wait_max: Duration,
    /// The longest wait that a server may ask for; when it asks for more, nothing is tried.
    pub asked_max: Duration,
}

impl RetryPolicy {
    /// The patience with a model while another one can be asked instead: two tries, and no long
    /// wait for either.
    ///
    /// ```
    /// use std::time::Duration;
    /// use manos_wire_llm::{RetryPolicy, Trouble};
    /// let policy = RetryPolicy::before_another();
    /// let (left, asked) = (Duration::from_secs(60), Some(Duration::from_secs(7)));
    /// assert_eq!(policy.next(1, Trouble::Status(429), asked, left, 0), None);
    /// ```
    pub fn before_another() -> Self {
        Self { tries_max: 2, asked_max: Duration::from_secs(2), ..Self::default() }
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            tries_max: 5,
            wait_first: Duration::from_millis(500),
            wait_max: Duration::from_secs(8),
            asked_max: Duration::MAX,
        }
    }
}

/// What ended a try, as far as trying again goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// No connection, or it broke before any content came.
    Connection,
    /// Nothing that time mends.
    Final,
    /// A status of the server.
    Status(u16),
}

impl RetryPolicy {
    /// Returns how long to wait before the next try, or `None` when there is none.
    ///
    /// `tries` is how many were made, `left` what the model timeout leaves, `chance` a number from 0
    /// to 1,000 that spreads callers out. A wait that the server asks for is kept to the second,
    /// and when it does not fit into `left`, nothing is tried.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use manos_wire_llm::{RetryPolicy, Trouble};
    /// let policy = RetryPolicy::default();
    /// let left = Duration::from_secs(60);
    /// let asked = Some(Duration::from_secs(7));
    /// assert_eq!(policy.next(1, Trouble::Status(429), asked, left, 0), asked);
    /// assert_eq!(policy.next(1, Trouble::Status(401), None, left, 0), None);
    /// ```
    pub fn next(
        &self,
        tries: u32,
        trouble: Trouble,
        asked: Option<Duration>,
        left: Duration,
        chance: u16,
    ) -> Option<Duration> {
        let mends = match trouble {
            Trouble::Connection => true,
            Trouble::Final => false,
            Trouble::Status(status) => is_passing(status),
        };
        if !mends || tries >= self.tries_max {
            return None;
        }
        let doubled = 2_u32.saturating_pow(tries.saturating_sub(1).min(16));
        let full = self.wait_first.saturating_mul(doubled).min(self.wait_max);
        // Half of it is certain, half is chance.
        let own = full / 2 + (full / 2) * u32::from(chance.min(1000)) / 1000;
        if asked.is_some_and(|asked| asked > self.asked_max) {
            return None;
        }
        let wait = asked.unwrap_or(own);
        (wait < left).then_some(wait)
    }
}

/// Returns whether a status is one that time may mend.
pub fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599) && status != 501
}

/// Reads how long a server asks to wait.
///
/// `retry_after_ms` is in milliseconds; `retry_after` is seconds, or a date, which is measured
/// against the response's own `Date`, so that no clock of ours is asked. What cannot be read, and a
/// date without a `Date`, is `None`.
pub fn retry_after(
    retry_after_ms: Option<&str>,
    retry_after: Option<&str>,
    date: Option<&str>,
) -> Option<Duration> {
    if let Some(ms) = retry_after_ms.and_then(|text| text.trim().parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let text = retry_after?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let (until, now) = (http_date(text)?, http_date(date?.trim())?);
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

fn http_date(text: &str) -> Option<Timestamp> {
    static PARSER: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new();
    PARSER.parse_timestamp(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn only_what_time_mends_is_tried_again() {
        let ms = |n| Some(Duration::from_millis(n));
        let cases = [
            ("busy", 1, Trouble::Status(429), None, MINUTE, ms(250)),
            ("down", 2, Trouble::Status(503), None, MINUTE, ms(500)),
            ("overloaded, as Anthropic says it", 1, Trouble::Status(529), None, MINUTE, ms(250)),
            ("no connection", 3, Trouble::Connection, None, MINUTE, ms(1000)),
            ("waits grow no further", 4, Trouble::Connection, None, MINUTE, ms(2000)),
            ("the last try was the last", 5, Trouble::Connection, None, MINUTE, None),
            ("a wrong key stays wrong", 1, Trouble::Status(401), None, MINUTE, None),
            ("a bad request stays bad", 1, Trouble::Status(400), None, MINUTE, None),
            ("not implemented stays so", 1, Trouble::Status(501), None, MINUTE, None),
            ("final is final", 1, Trouble::Final, None, MINUTE, None),
            ("the server's word counts", 1, Trouble::Status(429), ms(9000), MINUTE, ms(9000)),
            ("too long a wait is no wait", 1, Trouble::Status(429), ms(61_000), MINUTE, None),
            ("no time left", 1, Trouble::Connection, None, Duration::ZERO, None),
        ];
        for (why, tries, trouble, asked, left, expected) in cases {
            assert_eq!(
                RetryPolicy::default().next(tries, trouble, asked, left, 0),
                expected,
                "{why}"
            );
        }
    }

    #[test]
    fn chance_adds_at_most_as_much_again() {
        let policy = RetryPolicy::default();
        let wait = |chance| policy.next(1, Trouble::Connection, None, MINUTE, chance);
        assert_eq!(wait(0), Some(Duration::from_millis(250)));
        assert_eq!(wait(500), Some(Duration::from_millis(375)));
        assert_eq!(wait(1000), Some(Duration::from_millis(500)));
        assert_eq!(wait(u16::MAX), Some(Duration::from_millis(500)));
    }

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        let cases = [
            ("seconds", None, Some("7"), None, Some(7000)),
            ("parts of a second", None, Some(" 0.5 "), None, Some(500)),
            ("milliseconds win", Some("1500"), Some("7"), None, Some(1500)),
            ("a date", None, Some("Sun, 06 Nov 1994 08:49:52 GMT"), date, Some(15_000)),
            ("a date gone by", None, Some("Sun, 06 Nov 1994 08:49:30 GMT"), date, Some(0)),
            ("a date against nothing", None, Some("Sun, 06 Nov 1994 08:49:52 GMT"), None, None),
            ("nonsense", None, Some("soon"), date, None),
            ("less than nothing", None, Some("-1"), None, None),
            ("nothing", None, None, date, None),
        ];
        for (why, ms, after, date, expected) in cases {
            let expected = expected.map(Duration::from_millis);
            assert_eq!(retry_after(ms, after, date), expected, "{why}");
        }
    }
}
