//! Tables over every form of host and every special range.

mod policy;
mod ranges;
mod redirects;

use super::{AddressError, Host, Target};

#[test]
fn a_host_is_read_as_browsers_read_it() {
    let cases = [
        ("Example.COM", Ok("example.com")),
        ("example.com.", Ok("example.com")),
        ("example.com..", Err(AddressError::Host)),
        ("a_b.example", Ok("a_b.example")),
        ("127.0.0.1", Ok("127.0.0.1")),
        ("127.0.0.1.", Ok("127.0.0.1")),
        ("127.1", Ok("127.0.0.1")),
        ("127.0.1", Ok("127.0.0.1")),
        ("2130706433", Ok("127.0.0.1")),
        ("017700000001", Ok("127.0.0.1")),
        ("0177.0.0.01", Ok("127.0.0.1")),
        ("0x7f000001", Ok("127.0.0.1")),
        ("0X7F.0x0.0.0x1", Ok("127.0.0.1")),
        ("0x", Ok("0.0.0.0")),
        ("0", Ok("0.0.0.0")),
        ("4294967295", Ok("255.255.255.255")),
        ("4294967296", Err(AddressError::Host)),
        ("256.0.0.1", Err(AddressError::Host)),
        ("1.2.3.4.5", Err(AddressError::Host)),
        ("1.2.3.256", Err(AddressError::Host)),
        ("1.16777216", Err(AddressError::Host)),
        ("example.09", Err(AddressError::Host)),
        ("08.0.0.1", Err(AddressError::Host)),
        ("[::1]", Ok("[::1]")),
        ("[0:0:0:0:0:ffff:7f00:1]", Ok("[::ffff:127.0.0.1]")),
        ("[fe80::1%eth0]", Err(AddressError::Host)),
        ("[fe80::1%25eth0]", Err(AddressError::Host)),
        ("[::1", Err(AddressError::Host)),
        ("::1", Err(AddressError::Host)),
        ("", Err(AddressError::Host)),
        (".", Err(AddressError::Host)),
        ("exa%6dple.com", Err(AddressError::Host)),
        ("ⓔxample.com", Err(AddressError::Host)),
        ("127。0。0。1", Err(AddressError::Host)),
        ("a b", Err(AddressError::Host)),
    ];
    for (text, expected) in cases {
        let read = Host::parse(text).map(|host| host.to_string());
        assert_eq!(read.as_deref(), expected.as_ref().map(|text| *text), "{text}");
    }
}

#[test]
fn an_address_is_read_in_one_way_or_not_at_all() {
    let cases = [
        ("https://example.com", Ok("https://example.com/")),
        ("https://example.com?x=1", Ok("https://example.com/?x=1")),
        ("https://example.com#f", Ok("https://example.com/")),
        ("https://example.com:443/a", Ok("https://example.com/a")),
        ("http://example.com:443/a", Ok("http://example.com:443/a")),
        ("https://example.com:/a", Ok("https://example.com/a")),
        ("https://example.com/a b/ü?\"", Ok("https://example.com/a%20b/%C3%BC?%22")),
        ("https://example.com/a/../b", Ok("https://example.com/a/../b")),
        ("https://[::1]:8443/", Ok("https://[::1]:8443/")),
        ("https://user@example.com/", Err(AddressError::UserInfo)),
        ("https://example.com:80@127.0.0.1/", Err(AddressError::UserInfo)),
        ("https://example.com\\@127.0.0.1/", Err(AddressError::Character)),
        ("https://example.com/\r\nHost: x", Err(AddressError::Character)),
        ("https://exa\tmple.com/", Err(AddressError::Character)),
        ("https://example.com#@127.0.0.1/", Ok("https://example.com/")),
        ("https://example.com:0/", Err(AddressError::Port)),
        ("https://example.com:65536/", Err(AddressError::Port)),
        ("https://example.com:+80/", Err(AddressError::Port)),
        ("https://[::1]x:80/", Err(AddressError::Host)),
        ("https:///a", Err(AddressError::Host)),
        ("https:/example.com", Err(AddressError::Scheme)),
        ("//example.com", Err(AddressError::Scheme)),
        ("ftp://example.com", Err(AddressError::Scheme)),
        (" https://example.com", Err(AddressError::Scheme)),
    ];
    for (text, expected) in cases {
        let read = Target::parse(text).map(|target| target.url());
        assert_eq!(read.as_deref(), expected.as_ref().map(|text| *text), "{text}");
    }
}

proptest::proptest! {
    /// What is sent and judged is the result: reading it again must change nothing.
    #[test]
    fn what_was_read_is_read_again_as_itself(text in "https?://[ -~é]{0,24}") {
        if let Ok(target) = Target::parse(&text) {
            let again = Target::parse(&target.url());
            proptest::prop_assert_eq!(again.as_ref(), Ok(&target));
        }
    }

    #[test]
    fn every_way_to_write_an_address_is_that_address(bits: u32) {
        let [a, b, c, d] = bits.to_be_bytes();
        let plain = format!("{a}.{b}.{c}.{d}");
        let last = bits & 0x00ff_ffff;
        for text in [
            format!("{bits}"),
            format!("{bits:#x}"),
            format!("0{bits:o}"),
            format!("{a:#x}.0{b:o}.{c}.{d:#x}"),
            format!("{a}.{last}"),
            format!("{plain}."),
        ] {
            let read = Host::parse(&text).map(|host| host.to_string());
            proptest::prop_assert_eq!(read.as_deref(), Ok(plain.as_str()), "{}", text);
        }
    }
}
