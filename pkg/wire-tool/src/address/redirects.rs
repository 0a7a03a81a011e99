//! Where a redirect leads, and whether it is followed.

use super::{AddressError, Target};

/// What a request does when the answer sends it elsewhere.
///
/// Only GET is ever sent again; any other method gets the 3xx as its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Redirects {
    /// Anywhere that the request's own address policy lets it, at most so often; secret headers do
    /// not go along to another scheme, host or port.
    Checked {
        /// How often at most.
        max: u8,
    },
    /// The redirect is the answer.
    #[default]
    None,
    /// To the same scheme, host and port, at most so often.
    SameOrigin {
        /// How often at most.
        max: u8,
    },
}

/// Why a redirect is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedirectRefusal {
    /// It leads to no address.
    #[error("it is redirected to no address: {0}")]
    Address(#[from] AddressError),
    /// It leads from TLS to plain HTTP.
    #[error("it is redirected from https:// to http://")]
    Downgrade,
    /// Redirects are not followed at all.
    #[error("it is redirected, and redirects are not followed here")]
    NotFollowed,
    /// It leads to another scheme, host or port.
    #[error("it is redirected to another scheme, host or port")]
    OtherOrigin,
    /// It leads on and on.
    #[error("it is redirected more than {max} times")]
    TooMany {
        /// How often is followed.
        max: u8,
    },
}

/// Returns where a `Location` leads from here, after `followed` redirects before it.
///
/// The new target still has to pass the address policy.
///
/// # Errors
///
/// [`RedirectRefusal`] when it is not followed; https to http never is.
///
/// # Examples
///
/// ```
/// use manos_wire_tool::address::{RedirectRefusal, Redirects, Target, redirect};
/// let from = Target::parse("https://api.example.com/v1/orders?day=1").unwrap();
/// let same = Redirects::SameOrigin { max: 3 };
/// assert_eq!(redirect(&from, "../v2/", same, 0).unwrap().path_and_query(), "/v2/");
/// let elsewhere = redirect(&from, "https://example.net/", same, 0);
/// assert_eq!(elsewhere, Err(RedirectRefusal::OtherOrigin));
/// ```
///
/// # Source
///
/// [RFC 3986, 5.2](https://www.rfc-editor.org/rfc/rfc3986#section-5.2).
pub fn redirect(
    from: &Target,
    location: &str,
    redirects: Redirects,
    followed: u8,
) -> Result<Target, RedirectRefusal> {
    let max = match redirects {
        Redirects::None => return Err(RedirectRefusal::NotFollowed),
        Redirects::Checked { max } | Redirects::SameOrigin { max } => max,
    };
    let target = resolve(from, location)?;
    if from.scheme() != target.scheme() && from.scheme() == super::Scheme::Https {
        return Err(RedirectRefusal::Downgrade);
    }
    if matches!(redirects, Redirects::SameOrigin { .. }) && !from.is_same_origin(&target) {
        return Err(RedirectRefusal::OtherOrigin);
    }
    if followed >= max { Err(RedirectRefusal::TooMany { max }) } else { Ok(target) }
}

fn resolve(from: &Target, location: &str) -> Result<Target, AddressError> {
    let location = location.split('#').next().unwrap_or_default();
    if let Some(rest) = location.strip_prefix("//") {
        return Target::parse(&format!("{}://{rest}", from.scheme().as_str()));
    }
    if has_scheme(location) {
        return Target::parse(location);
    }
    let (path, query) =
        from.path_and_query().split_once('?').unwrap_or((from.path_and_query(), ""));
    let joined = if location.is_empty() {
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    } else if location.starts_with('?') {
        format!("{path}{location}")
    } else {
        let (new_path, new_query) = match location.find('?') {
            Some(at) => location.split_at(at),
            None => (location, ""),
        };
        let folder = path.rfind('/').map_or("/", |end| path.get(..=end).unwrap_or("/"));
        let whole = if new_path.starts_with('/') {
            new_path.to_owned()
        } else {
            format!("{folder}{new_path}")
        };
        format!("{}{new_query}", without_dots(&whole))
    };
    // Parsed as a whole, so that its length and characters are judged as any address's.
    Target::parse(&format!("{}{joined}", from.with_path("/").url().trim_end_matches('/')))
}

/// Whether the text starts as `scheme:` does; such a text is never relative.
fn has_scheme(location: &str) -> bool {
    let end = location.find([':', '/', '?']).unwrap_or(location.len());
    location.get(end..).is_some_and(|rest| rest.starts_with(':'))
}

/// Takes `.` and `..` out of a path that begins with a slash.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut ends_in_folder = false;
    for segment in path.split('/').skip(1) {
        ends_in_folder = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => drop(kept.pop()),
            other => kept.push(other),
        }
    }
    if ends_in_folder {
        kept.push("");
    }
    format!("/{}", kept.join("/"))
}
