//! Every special range of both families: its first and last address are in it, their outer
//! neighbours are what they are.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::address::Special::{
    Benchmark, Documentation, Embedded, LinkLocal, Loopback, Metadata, Multicast, Private,
    Reserved, Shared, Unspecified,
};
use crate::address::special::{TABLE_V4, TABLE_V6};
use crate::address::{Special, special};

fn of(text: &str) -> Option<Special> {
    special(text.parse().unwrap())
}

#[test]
fn ipv4_ranges_begin_and_end_where_the_registry_says() {
    let cases = [
        ("0.0.0.0", "0.255.255.255", Unspecified, None, Some("1.0.0.0")),
        ("10.0.0.0", "10.255.255.255", Private, Some("9.255.255.255"), Some("11.0.0.0")),
        ("100.64.0.0", "100.127.255.255", Shared, Some("100.63.255.255"), Some("100.128.0.0")),
        ("127.0.0.0", "127.255.255.255", Loopback, Some("126.255.255.255"), Some("128.0.0.0")),
        ("168.63.129.16", "168.63.129.16", Metadata, Some("168.63.129.15"), Some("168.63.129.17")),
        ("169.254.0.0", "169.254.255.255", LinkLocal, Some("169.253.255.255"), Some("169.255.0.0")),
        ("172.16.0.0", "172.31.255.255", Private, Some("172.15.255.255"), Some("172.32.0.0")),
        ("192.0.0.0", "192.0.0.255", Reserved, Some("191.255.255.255"), Some("192.0.1.0")),
        ("192.0.2.0", "192.0.2.255", Documentation, Some("192.0.1.255"), Some("192.0.3.0")),
        ("192.31.196.0", "192.31.196.255", Reserved, Some("192.31.195.255"), Some("192.31.197.0")),
        ("192.52.193.0", "192.52.193.255", Reserved, Some("192.52.192.255"), Some("192.52.194.0")),
        ("192.88.99.0", "192.88.99.255", Reserved, Some("192.88.98.255"), Some("192.88.100.0")),
        ("192.168.0.0", "192.168.255.255", Private, Some("192.167.255.255"), Some("192.169.0.0")),
        ("192.175.48.0", "192.175.48.255", Reserved, Some("192.175.47.255"), Some("192.175.49.0")),
        ("198.18.0.0", "198.19.255.255", Benchmark, Some("198.17.255.255"), Some("198.20.0.0")),
        (
            "198.51.100.0",
            "198.51.100.255",
            Documentation,
            Some("198.51.99.255"),
            Some("198.51.101.0"),
        ),
        ("203.0.113.0", "203.0.113.255", Documentation, Some("203.0.112.255"), Some("203.0.114.0")),
        ("224.0.0.0", "239.255.255.255", Multicast, Some("223.255.255.255"), None),
        ("240.0.0.0", "255.255.255.255", Reserved, None, None),
    ];
    for (first, last, what, before, after) in cases {
        assert_eq!((of(first), of(last)), (Some(what), Some(what)), "{first} to {last}");
        for neighbour in [before, after].into_iter().flatten() {
            assert_eq!(of(neighbour), None, "{neighbour}");
        }
    }
}

#[test]
fn ipv6_ranges_begin_and_end_where_the_registry_says() {
    let cases = [
        ("::", "::", Unspecified),
        ("::1", "::1", Loopback),
        ("::2", "::ffff:ffff", Embedded),
        ("::ffff:0.0.0.0", "::ffff:255.255.255.255", Embedded),
        ("::ffff:0:0.0.0.0", "::ffff:0:255.255.255.255", Embedded),
        ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", Embedded),
        ("100::", "100::ffff:ffff:ffff:ffff", Reserved),
        ("100:0:0:1::", "100::1:ffff:ffff:ffff:ffff", Reserved),
        ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", Embedded),
        ("2001:1::1", "2001:1::3", Reserved),
        ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", Benchmark),
        ("2001:3::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", Documentation),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Embedded),
        ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", Reserved),
        ("3ffe::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", Documentation),
        ("4000::", "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved),
        ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Private),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", LinkLocal),
        ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Private),
        ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Multicast),
    ];
    for (first, last, what) in cases {
        assert_eq!((of(first), of(last)), (Some(what), Some(what)), "{first} to {last}");
    }
    for public in [
        "2000::",
        "2001:200::",
        "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db9::",
        "2001:4860:4860::8888",
        "2003::",
        "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
        "2620:4f:7fff::",
        "2620:4f:8001::",
        "3ffd::",
        "3fff:1000::",
    ] {
        assert_eq!(of(public), None, "{public}");
    }
}

#[test]
fn metadata_services_are_out_of_reach_in_every_form() {
    for text in [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
        "fd00:ec2::254",
        "fd20:ce::254",
        "::ffff:169.254.169.254",
        "::169.254.169.254",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::169.254.169.254",
        "2002:a9fe:a9fe::1",
        "2001:0:a9fe:a9fe::1",
        "2606:4700::200:5efe:169.254.169.254",
    ] {
        assert!(of(text).is_some(), "{text}");
    }
}

/// Every IPv4 range, carried in each of the ways to carry an IPv4 address.
#[test]
fn an_address_inside_another_hides_nothing() {
    for (base, _, what) in TABLE_V4 {
        let [a, b, c, d] = base.octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        let judged = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low);
        assert_eq!(special(IpAddr::V6(judged)), Some(what), "{judged}");
        for refused in [
            base.to_ipv6_mapped(),
            base.to_ipv6_compatible(),
            Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            Ipv6Addr::new(0x2001, 0, high, low, 0, 0, !high, !low),
            Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
            Ipv6Addr::new(0x2606, 0x4700, 0, 0, 0, 0x5efe, high, low),
        ] {
            assert!(special(IpAddr::V6(refused)).is_some(), "{refused}");
        }
    }
    let public = Ipv4Addr::new(93, 184, 215, 14);
    assert_eq!(of("64:ff9b::93.184.215.14"), None, "the public internet behind NAT64");
    assert_eq!(special(IpAddr::V6(public.to_ipv6_mapped())), Some(Embedded), "refused whatever");
}

#[test]
fn no_row_has_bits_after_its_prefix() {
    for (base, prefix, _) in TABLE_V4 {
        assert!(base.to_bits().trailing_zeros() + prefix >= 32, "{base}/{prefix}");
    }
    for (base, prefix, _) in TABLE_V6 {
        assert!(base.to_bits().trailing_zeros() + prefix >= 128, "{base}/{prefix}");
    }
}
