use super::*;
use crate::signing::Signer;

const NOW: i64 = 1_700_000_000;
const BODY: &[u8] = br#"{"message":{"type":"tool-calls"}}"#;

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn request<'a>(headers: &'a [(String, String)], body: &'a [u8]) -> Request<'a> {
    Request { method: "POST", path: "/tools/a/b?c=1", headers, body }
}

fn ours(secret: &Secret<String>, at: i64) -> (String, String) {
    let signed = Signed { method: "POST", path: "/tools/a/b?c=1", body: BODY };
    let made = Signer::new(std::slice::from_ref(secret)).unwrap().sign(&signed, at);
    (made.v2, made.legacy)
}

#[test]
fn our_signature_must_be_there_and_the_older_one_right_where_it_is() {
    let key = secret("whsec_1");
    let (v2, legacy) = ours(&key, NOW);
    let names = HeaderNames::default();
    let check = |pairs: &[(&str, &str)], body: &[u8], now| {
        let headers = headers(pairs);
        check_manos(&request(&headers, body), &names, std::slice::from_ref(&key), now).is_ok()
    };
    let (v2_name, legacy_name) = (names.signature_v2.as_str(), names.signature.as_str());
    let cases = [
        (vec![(v2_name, v2.as_str())], BODY, NOW, true, "alone"),
        (vec![(v2_name, &v2), (legacy_name, &legacy)], BODY, NOW, true, "both"),
        (vec![(legacy_name, legacy.as_str())], BODY, NOW, false, "the older one alone has no time"),
        (vec![(v2_name, &v2), (legacy_name, "00")], BODY, NOW, false, "a wrong older one"),
        (vec![(v2_name, v2.as_str())], b"{}", NOW, false, "another body"),
        (vec![(v2_name, v2.as_str())], BODY, NOW + 301, false, "too old"),
        (vec![(v2_name, v2.as_str())], BODY, NOW - 301, false, "too early"),
        (vec![(v2_name, &v2), (v2_name, &v2)], BODY, NOW, false, "twice"),
        (vec![], BODY, NOW, false, "none"),
    ];
    for (pairs, body, now, good, why) in cases {
        assert_eq!(check(&pairs, body, now), good, "{why}");
    }
}

#[test]
fn what_was_signed_has_one_name_however_it_is_written() {
    let keys = [secret("old"), secret("new")];
    let names = HeaderNames::default();
    let name = |header: String| {
        let headers = headers(&[(&names.signature_v2, &header)]);
        check_manos(&request(&headers, BODY), &names, &keys, NOW).unwrap().signed.unwrap()
    };
    let (old, new) = (ours(&keys[0], NOW).0, ours(&keys[1], NOW).0);
    let first = name(old.clone());
    let hex = old.split_once("v1=").unwrap().1;
    assert_eq!(name(new), first, "by another secret");
    assert_eq!(name(format!(" v1={}, t=000{NOW}, x=y", hex.to_uppercase())), first, "rewritten");
    assert_eq!(name(format!("t={NOW},v1=00,v1={hex}")), first, "with another beside it");
    assert_ne!(name(ours(&keys[0], NOW + 1).0), first, "signed anew");
}

#[test]
fn retell_signs_the_body_and_then_the_milliseconds() {
    let keys = [secret("other"), secret("whsec_demo_0001")];
    let hex = "e4082f618bf844619bcaa5a7deff3ec0e8fd7ec003891cd6c92c231068e2fb56";
    let good = format!("v=1700000000000,d={hex}");
    let check = |header: Option<&str>, body: &[u8], now| {
        let headers = header.map(|header| headers(&[("X-Retell-Signature", header)]));
        check_retell(&request(&headers.unwrap_or_default(), body), &keys, now)
    };
    assert!(check(Some(&good), BODY, NOW).is_ok());
    assert!(
        check(Some(&good.to_uppercase().replace("V=", "v=").replace("D=", "d=")), BODY, NOW)
            .is_ok()
    );
    let mismatch = || CallerError::Signature(VerifyError::Mismatch);
    let cases = [
        (Some(good.clone()), &b"{}"[..], NOW, mismatch(), "another body"),
        (Some(good.replace("1700000000000", "1700000000001")), BODY, NOW, mismatch(), "other time"),
        (Some(good.replace("v=17", "v=017")), BODY, NOW, mismatch(), "the time as it stands"),
        (
            Some(good.clone()),
            BODY,
            NOW + 301,
            VerifyError::TooEarly { seconds: 301, max: 300 }.into(),
            "old",
        ),
        (Some(format!("d={hex},v=1700000000000")), BODY, NOW, CallerError::Form, "turned round"),
        (Some(hex.to_owned()), BODY, NOW, CallerError::Form, "bare"),
        (
            Some(format!("v=-1700000000000,d={hex}")),
            BODY,
            NOW,
            VerifyError::BadTime.into(),
            "a sign",
        ),
        (None, BODY, NOW, CallerError::Missing, "nothing"),
    ];
    for (header, body, now, expected, why) in cases {
        assert_eq!(check(header.as_deref(), body, now), Err(expected), "{why}");
    }
}

#[test]
fn vapi_shows_a_secret_or_signs() {
    let keys = [secret("whsec_demo_0001"), secret("next")];
    let hex = "06cfbab2273425f4dca46acf8bb895702ba1cd18f97dba4af78d2f3fac39527d";
    let prefixed = format!("sha256={hex}");
    let check = |pairs: &[(&str, &str)]| {
        let headers = headers(pairs);
        check_vapi(&request(&headers, BODY), &keys, NOW).map(|proof| proof.signed.is_some())
    };
    let time = "1700000000";
    let cases = [
        (vec![("x-vapi-secret", "next")], Ok(false), "the secret"),
        (vec![("authorization", "Bearer whsec_demo_0001")], Ok(false), "as a bearer token"),
        (vec![("x-signature", hex), ("x-timestamp", time)], Ok(true), "signed"),
        (vec![("x-signature", &prefixed), ("x-timestamp", time)], Ok(true), "with a prefix"),
        (vec![("x-vapi-secret", "nex")], Err(CallerError::Secret), "cut short"),
        (vec![("x-vapi-secret", "")], Err(CallerError::Secret), "empty"),
        (vec![("authorization", "Basic next")], Err(CallerError::Missing), "another scheme"),
        (
            vec![("x-signature", "00"), ("x-timestamp", time), ("x-vapi-secret", "next")],
            Err(VerifyError::Mismatch.into()),
            "a wrong signature is not made good by a secret",
        ),
        (vec![("x-signature", hex)], Err(VerifyError::NoTime.into()), "no time"),
        (
            vec![("x-signature", hex), ("x-timestamp", "1699999699")],
            Err(VerifyError::TooEarly { seconds: 301, max: 300 }.into()),
            "old",
        ),
        (vec![], Err(CallerError::Missing), "nothing"),
    ];
    for (pairs, expected, why) in cases {
        assert_eq!(check(&pairs), expected, "{why}");
    }
}

#[test]
fn milliseconds_are_told_from_seconds() {
    assert_eq!((seconds(1_700_000_000), seconds(1_700_000_000_999)), (NOW, NOW));
}

#[test]
fn without_a_secret_nobody_is_believed() {
    let headers = headers(&[("x-vapi-secret", ""), ("x-retell-signature", "v=1,d=00")]);
    let request = request(&headers, BODY);
    for secrets in [&[][..], &[secret("")]] {
        let empty = CallerError::from(EmptySecret);
        assert_eq!(check_vapi(&request, secrets, NOW), Err(empty.clone()));
        assert_eq!(check_retell(&request, secrets, NOW), Err(empty.clone()));
        let names = HeaderNames::default();
        assert!(check_manos(&request, &names, secrets, NOW).is_err());
    }
}
