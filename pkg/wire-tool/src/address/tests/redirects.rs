//! Where a `Location` leads.

use crate::address::RedirectRefusal::{self, Address, Downgrade, OtherOrigin, TooMany};
use crate::address::{AddressError, Redirects, Target, redirect};

fn follow(location: &str, redirects: Redirects) -> Result<String, RedirectRefusal> {
    let from = Target::parse("https://a.example/b/c/d?q").unwrap();
    redirect(&from, location, redirects, 0).map(|target| target.url())
}

#[test]
fn a_relative_location_is_resolved() {
    // The normal and abnormal examples of RFC 3986, 5.4, as far as they apply.
    let cases = [
        ("g", "/b/c/g"),
        ("./g", "/b/c/g"),
        ("g/", "/b/c/g/"),
        ("/g", "/g"),
        ("//a.example/g", "/g"),
        ("?y", "/b/c/d?y"),
        ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d?q"),
        ("g#s", "/b/c/g"),
        ("", "/b/c/d?q"),
        (".", "/b/c/"),
        ("./", "/b/c/"),
        ("..", "/b/"),
        ("../", "/b/"),
        ("../g", "/b/g"),
        ("../..", "/"),
        ("../../g", "/g"),
        ("../../../g", "/g"),
        ("/./g", "/g"),
        ("/../g", "/g"),
        ("g.", "/b/c/g."),
        ("..g", "/b/c/..g"),
        ("g?y/../x", "/b/c/g?y/../x"),
        ("https://a.example:443/g", "/g"),
    ];
    for (location, path) in cases {
        let expected = Ok(format!("https://a.example{path}"));
        assert_eq!(follow(location, Redirects::SameOrigin { max: 1 }), expected, "{location:?}");
    }
}

#[test]
fn what_is_not_followed_is_named() {
    let cases = [
        ("https://b.example/", OtherOrigin),
        ("//b.example/", OtherOrigin),
        ("https://a.example:8443/", OtherOrigin),
        ("http://a.example/", Downgrade),
        ("//a.example@b.example/", Address(AddressError::UserInfo)),
        ("/\\b.example/", Address(AddressError::Character)),
        ("\\\\b.example/", Address(AddressError::Character)),
        ("javascript:alert(1)", Address(AddressError::Scheme)),
        ("file:///etc/passwd", Address(AddressError::Scheme)),
        ("https:b.example", Address(AddressError::Scheme)),
        ("/a\r\nset-cookie: x", Address(AddressError::Character)),
    ];
    for (location, expected) in cases {
        let followed = follow(location, Redirects::SameOrigin { max: 1 });
        assert_eq!(followed, Err(expected), "{location:?}");
    }
    assert_eq!(follow("/", Redirects::None), Err(RedirectRefusal::NotFollowed));
    assert_eq!(follow("/", Redirects::Checked { max: 0 }), Err(TooMany { max: 0 }));
    let elsewhere = follow("https://b.example/", Redirects::Checked { max: 1 });
    assert_eq!(elsewhere.as_deref(), Ok("https://b.example/"));
    assert_eq!(follow("http://b.example/", Redirects::Checked { max: 1 }), Err(Downgrade));
}
