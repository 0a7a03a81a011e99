use manos_model::Secret;
use serde_json::Value;

use super::*;

fn cases() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/signatures/signatures.json");
    #[expect(clippy::disallowed_methods, reason = "a test reads its fixture")]
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

#[test]
fn the_signatures_are_those_of_the_vectors() {
    let cases = cases();
    let at = cases["t"].as_i64().unwrap();
    let signer = Signer::new(&[secret(cases["secret"].as_str().unwrap())]).unwrap();
    let vectors = cases["vectors"].as_array().unwrap();
    assert!(vectors.len() >= 10);
    for vector in vectors {
        let text = |key: &str| vector[key].as_str().unwrap();
        let (method, path, body) = (text("method"), text("path"), text("body").as_bytes());
        let expected = Signatures {
            v2: format!("t={at},v1={}", text("v1")),
            legacy: text("legacy").to_owned(),
        };
        assert_eq!(signer.sign(&Signed { method, path, body }, at), expected, "{}", text("id"));
    }
}

#[test]
fn the_verifier_accepts_and_refuses_as_the_cases_say() {
    let cases = cases();
    let cases = cases["verifier"].as_array().unwrap();
    assert!(cases.len() >= 25);
    for case in cases {
        let text = |key: &str| case[key].as_str().unwrap();
        let secrets: Vec<_> = case["secrets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| secret(one.as_str().unwrap()))
            .collect();
        let signed =
            Signed { method: text("method"), path: text("path"), body: text("body").as_bytes() };
        let got = verify(case["header"].as_str(), &secrets, &signed, case["now"].as_i64().unwrap());
        assert_eq!(got.is_ok(), case["accept"].as_bool().unwrap(), "{}: {got:?}", text("name"));
    }
}

const PUT: Signed<'static> = Signed { method: "PUT", path: "/x", body: b"{}" };
const AT: i64 = 1_767_225_600;

#[test]
fn a_refusal_says_why() {
    let secrets = [secret("s")];
    let good = Signer::new(&secrets).unwrap().sign(&PUT, AT).v2;
    let hex = good.split_once("v1=").unwrap().1.to_owned();
    let cases = [
        (None, VerifyError::Missing, "no header"),
        (Some(String::new()), VerifyError::NoTime, "an empty one"),
        (Some(format!("v1={hex}")), VerifyError::NoTime, "no time"),
        (Some(format!("t={AT}")), VerifyError::NoSignature, "no signature"),
        (Some(format!("t={AT},t={AT},v1={hex}")), VerifyError::TwoTimes, "two times"),
        (Some(format!("t=,v1={hex}")), VerifyError::BadTime, "an empty time"),
        (Some(format!("t=-1,v1={hex}")), VerifyError::BadTime, "a sign"),
        (Some(format!("t=1767225600.0,v1={hex}")), VerifyError::BadTime, "a fraction"),
        (Some(format!("t={AT},v1=")), VerifyError::Mismatch, "an empty signature"),
        (Some(format!("T={AT},v1={hex}")), VerifyError::NoTime, "keys have a case"),
        (
            Some(format!("t={},v1={hex}", AT - 301)),
            VerifyError::TooEarly { seconds: 301, max: 300 },
            "old",
        ),
        (
            Some(format!("t={},v1={hex}", AT + 301)),
            VerifyError::TooLate { seconds: 301, max: 300 },
            "ahead",
        ),
    ];
    for (header, expected, why) in cases {
        assert_eq!(verify(header.as_deref(), &secrets, &PUT, AT), Err(expected), "{why}");
    }
}

#[test]
fn zeros_before_the_time_change_nothing() {
    // The platform's own verifier reads a number too, and signs are made over what it prints.
    let secrets = [secret("whsec_test_secret")];
    let header = Signer::new(&secrets).unwrap().sign(&PUT, AT).v2;
    let padded = header.replacen("t=", "t=00", 1);
    assert_eq!(verify(Some(&padded), &secrets, &PUT, AT), Ok(()));
}

#[test]
fn an_empty_secret_signs_and_verifies_nothing() {
    assert_eq!(Signer::new(&[]).unwrap_err(), EmptySecret);
    assert_eq!(Signer::new(&[secret("a"), secret("")]).unwrap_err(), EmptySecret);
    let header = format!("t={AT},v1=00");
    for secrets in [&[][..], &[secret("")], &[secret("a"), secret("")]] {
        let got = verify(Some(&header), secrets, &PUT, AT);
        assert_eq!(got, Err(VerifyError::EmptySecret(EmptySecret)));
    }
}

#[test]
fn during_a_rotation_either_secret_verifies() {
    let (old, new) = (secret("old"), secret("new"));
    let signatures = Signer::new(&[new.clone(), old.clone()]).unwrap().sign(&PUT, AT);
    for one in [old, new.clone()] {
        assert_eq!(verify(Some(&signatures.v2), &[one], &PUT, AT), Ok(()));
    }
    let alone = Signer::new(&[new]).unwrap().sign(&PUT, AT);
    assert_eq!(signatures.legacy, alone.legacy);
}

#[test]
fn nothing_prints_a_key() {
    let signer = Signer::new(&[secret("whsec_quiet")]).unwrap();
    assert_eq!(format!("{signer:?}"), "Signer(…)");
}
