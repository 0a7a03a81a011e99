//! Who may go where.

use crate::address::{AddressPolicy, AddressRefusal, HostPattern, Special, Target};

fn patterns(texts: &[&str]) -> Vec<HostPattern> {
    texts.iter().map(|text| HostPattern::parse(text).unwrap()).collect()
}

fn check(policy: &AddressPolicy, url: &str) -> Result<(), AddressRefusal> {
    policy.check_target(&Target::parse(url).unwrap())
}

#[test]
fn an_operator_goes_anywhere_but_without_tls() {
    use AddressRefusal::PlainHttp;
    let policy =
        AddressPolicy::Configured { allow_http: patterns(&["models.lan", "10.0.0.7:8080"]) };
    let cases = [
        ("https://example.com/", Ok(()), "https"),
        ("https://10.0.0.9/", Ok(()), "https into a private network"),
        ("https://169.254.169.254/", Ok(()), "https to a special address"),
        ("http://example.com/", Err(PlainHttp), "plain"),
        ("http://localhost:11434/", Ok(()), "this machine by name"),
        ("http://ollama.localhost/", Ok(()), "this machine by a name under it"),
        ("http://127.8.9.1/", Ok(()), "this machine by address"),
        ("http://[::1]:1/", Ok(()), "this machine in IPv6"),
        ("http://[::ffff:127.0.0.1]/", Err(PlainHttp), "this machine, mapped"),
        ("http://localhost.example.com/", Err(PlainHttp), "a name that begins like this machine"),
        ("http://MODELS.lan.:9/", Ok(()), "allowed, any port"),
        ("http://a.models.lan/", Err(PlainHttp), "under an allowed name"),
        ("http://10.0.0.7:8080/", Ok(()), "allowed with its port"),
        ("http://10.0.0.7/", Err(PlainHttp), "allowed with another port"),
        ("http://0xa.7:8080/", Ok(()), "the same address, written otherwise"),
    ];
    for (url, expected, why) in cases {
        assert_eq!(check(&policy, url), expected, "{why}: {url}");
    }
}

#[test]
fn a_model_goes_to_what_is_listed_and_public() {
    use AddressRefusal::{NotListed, PlainHttp, Special as In};
    let policy = AddressPolicy::ModelChosen {
        allow_hosts: patterns(&[
            "api.example.com",
            "*.wiki.example",
            "data.example:8443",
            "10.0.0.7:9000",
            "localhost:8080",
            "10.0.0.8",
            "plain.example",
        ]),
        allow_http: patterns(&["plain.example", "10.0.0.7"]),
    };
    let cases = [
        ("https://api.example.com/", Ok(()), "listed"),
        ("https://API.EXAMPLE.COM./x", Ok(()), "listed, in other letters"),
        ("https://api.example.com:8443/", Err(NotListed), "another port"),
        ("https://evil.example/", Err(NotListed), "not listed"),
        ("https://xapi.example.com/", Err(NotListed), "ends like a listed one"),
        ("https://api.example.com.evil.example/", Err(NotListed), "begins like a listed one"),
        ("https://en.wiki.example/", Ok(()), "under a listed parent"),
        ("https://wiki.example/", Err(NotListed), "the parent itself"),
        ("https://data.example:8443/", Ok(()), "listed with its port"),
        ("https://data.example/", Err(NotListed), "listed with a port, asked without"),
        ("http://api.example.com/", Err(PlainHttp), "plain"),
        ("http://plain.example/", Ok(()), "plain where it may"),
        ("https://10.0.0.7:9000/", Ok(()), "a special address, named with its port"),
        ("http://10.0.0.7:9000/", Ok(()), "and plain where it may"),
        ("https://167772167:9000/", Ok(()), "the same, written as a number"),
        ("https://10.0.0.7/", Err(NotListed), "its other port"),
        ("https://10.0.0.8/", Err(In(Special::Private)), "a special address, named without port"),
        ("http://localhost:8080/", Ok(()), "this machine, named with its port"),
        ("http://127.0.0.1:8080/", Err(NotListed), "this machine by address, which is not named"),
    ];
    for (url, expected, why) in cases {
        assert_eq!(check(&policy, url), expected, "{why}: {url}");
    }
}

#[test]
fn a_star_is_every_public_address_and_no_other() {
    use AddressRefusal::{NotListed, Special as In};
    let policy =
        AddressPolicy::ModelChosen { allow_hosts: patterns(&["*"]), allow_http: patterns(&["*"]) };
    let cases = [
        ("https://example.com/", Ok(())),
        ("http://example.com/", Ok(())),
        ("https://8.8.8.8/", Ok(())),
        ("https://[2001:4860:4860::8888]/", Ok(())),
        ("https://example.com:22/", Err(NotListed)),
        ("https://localhost/", Err(In(Special::Loopback))),
        ("https://a.localhost/", Err(In(Special::Loopback))),
        ("https://0/", Err(In(Special::Unspecified))),
        ("https://0x7f.1/", Err(In(Special::Loopback))),
        ("https://0300.0250.1/", Err(In(Special::Private))),
        ("https://3232235777/", Err(In(Special::Private))),
        ("https://[::ffff:8.8.8.8]/", Err(In(Special::Embedded))),
        ("https://[fe80::1]/", Err(In(Special::LinkLocal))),
        ("http://169.254.169.254/latest/meta-data/", Err(In(Special::LinkLocal))),
    ];
    for (url, expected) in cases {
        assert_eq!(check(&policy, url), expected, "{url}");
    }
}

#[test]
fn the_addresses_of_a_name_are_judged_too() {
    use AddressRefusal::{NotLoopback, Special as In};
    let model = AddressPolicy::ModelChosen {
        allow_hosts: patterns(&["*", "inside.example:443", "localhost:443"]),
        allow_http: Vec::new(),
    };
    let operator = AddressPolicy::default();
    let cases = [
        (&model, "https://a.example/", "93.184.215.14", Ok(())),
        (&model, "https://a.example/", "10.0.0.1", Err(In(Special::Private))),
        (&model, "https://a.example/", "::1", Err(In(Special::Loopback))),
        (&model, "https://inside.example/", "10.0.0.1", Err(In(Special::Private))),
        (&model, "https://localhost/", "127.0.0.1", Ok(())),
        (&model, "https://localhost/", "93.184.215.14", Err(NotLoopback)),
        (&operator, "https://a.example/", "10.0.0.1", Ok(())),
        (&operator, "http://localhost/", "::1", Ok(())),
        (&operator, "http://localhost/", "93.184.215.14", Err(NotLoopback)),
    ];
    for (policy, url, ip, expected) in cases {
        let target = Target::parse(url).unwrap();
        assert_eq!(policy.check_address(&target, ip.parse().unwrap()), expected, "{url} at {ip}");
    }
}

#[test]
fn an_entry_that_is_no_host_is_named() {
    for text in ["https://a.example", "", "*.", "*.1.2.3.4", "a.example:0", "a b", "a.example/x"] {
        let error = HostPattern::list(&["b.example".to_owned(), text.to_owned()]).unwrap_err();
        assert!(error.to_string().contains(&format!("`{text}`")), "{error}");
    }
}
