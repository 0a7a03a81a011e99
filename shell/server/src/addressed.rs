//! Whether a request is meant for us. A page in a browser can send requests to any address that the
//! browser reaches, under a name of its own that it lets point here: so the name must be ours.

use std::net::IpAddr;

/// The most names that a server answers to; more are not taken.
pub const HOSTS_MAX: usize = 1_000;

/// Whether the `Host` of a request is loopback, or one of `hosts`, on any port.
pub(crate) fn is_host(host: Option<&str>, hosts: &[String]) -> bool {
    let Some(name) = host.and_then(without_port) else { return false };
    let name = name.strip_suffix('.').unwrap_or(name);
    is_loopback(name) || hosts.iter().take(HOSTS_MAX).any(|known| known.eq_ignore_ascii_case(name))
}

fn is_loopback(name: &str) -> bool {
    let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The host without its port; `None` when what follows is no port.
fn without_port(host: &str) -> Option<&str> {
    let start = host.rfind(']').map_or(0, |end| end + 1);
    match host[start..].split_once(':') {
        None => Some(host),
        Some((before, port)) => {
            let is_port = port.parse::<u16>().is_ok();
            is_port.then_some(&host[..start + before.len()])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_ours() {
        let hosts = ["bots.example.com".to_owned()];
        let cases = [
            (Some("localhost"), true),
            (Some("localhost:8080"), true),
            (Some("LOCALHOST:1"), true),
            (Some("127.0.0.1:8080"), true),
            (Some("127.9.9.9"), true),
            (Some("[::1]:8080"), true),
            (Some("[::1]"), true),
            (Some("bots.example.com"), true),
            (Some("Bots.Example.com.:443"), true),
            (Some("evil.bots.example.com"), false),
            (Some("bots.example.com.evil.com"), false),
            (Some("localhost.evil.com"), false),
            (Some("192.168.0.1"), false),
            (Some("localhost:8080@evil.com"), false),
            (Some("localhost:"), false),
            (Some(""), false),
            (None, false),
        ];
        for (host, expected) in cases {
            assert_eq!(is_host(host, &hosts), expected, "{host:?}");
        }
    }
}
