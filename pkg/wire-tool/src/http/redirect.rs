//! Where a GET may be sent on to: the same scheme, host and port, a few times.

use super::template;
use crate::address::Target;

/// How often a GET is sent on; the next time is a failure. Other methods follow nowhere.
pub const REDIRECTS_MAX: usize = 3;

/// Why a reply that sends us elsewhere is not followed. None of the messages names the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedirectError {
    /// The reply names no place, or one that is no web address.
    #[error("the server sends us elsewhere and does not say where")]
    Nowhere,
    /// It names another scheme, host or port.
    #[error("the server sends us to another address, which nobody configured")]
    OtherOrigin,
}

/// Returns where a reply sends a GET on to.
///
/// # Errors
///
/// [`RedirectError`].
pub fn redirected(
    from: &Target,
    status: u16,
    location: Option<&str>,
) -> Result<Target, RedirectError> {
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return Err(RedirectError::Nowhere);
    }
    let location = location.ok_or(RedirectError::Nowhere)?;
    let base = url::Url::parse(&from.url()).map_err(|_| RedirectError::Nowhere)?;
    let joined = base.join(location).map_err(|_| RedirectError::Nowhere)?;
    let (target, _) = template::target(joined.as_str()).map_err(|_| RedirectError::OtherOrigin)?;
    if target.is_same_origin(from) { Ok(target) } else { Err(RedirectError::OtherOrigin) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::UrlTemplate;

    #[test]
    fn a_get_stays_at_its_origin() {
        use RedirectError::{Nowhere, OtherOrigin};
        let from = UrlTemplate::parse("https://a.example/x/y?k=v").unwrap();
        let from = from.fill(&serde_json::Map::new()).unwrap();
        let cases = [
            (301, Some("/z"), Ok("https://a.example/z"), "a path"),
            (302, Some("z?q=1#top"), Ok("https://a.example/x/z?q=1"), "beside it"),
            (
                307,
                Some("https://A.example:443/z"),
                Ok("https://a.example/z"),
                "the same, written otherwise",
            ),
            (308, Some("//a.example/z"), Ok("https://a.example/z"), "without a scheme"),
            (302, Some("http://a.example/z"), Err(OtherOrigin), "without TLS"),
            (302, Some("https://b.example/z"), Err(OtherOrigin), "another host"),
            (302, Some("https://a.example:8443/z"), Err(OtherOrigin), "another port"),
            (302, Some("https://u:p@a.example/z"), Err(OtherOrigin), "a password"),
            (302, Some("https://169.254.169.254/"), Err(OtherOrigin), "a cloud's metadata"),
            (302, Some("file:///etc/passwd"), Err(OtherOrigin), "another scheme"),
            (302, Some("https://"), Err(Nowhere), "no address"),
            (302, None, Err(Nowhere), "no place"),
            (304, Some("/z"), Err(Nowhere), "a status that sends nobody anywhere"),
        ];
        for (status, location, expected, why) in cases {
            let got = redirected(&from, status, location);
            assert_eq!(got.map(|target| target.url()), expected.map(str::to_owned), "{why}");
        }
    }
}
