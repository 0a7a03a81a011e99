"""The shared cases, and what Python adds to them."""

from __future__ import annotations

import doctest
import json
from pathlib import Path
from typing import Any, Dict, List, cast

import pytest

import manos_sdk
from manos_sdk import header_names, reject_reason, sign, verify_signature

CASES: Dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "fixtures" / "signatures" / "signatures.json").read_text("utf-8")
)
SECRET = cast(str, CASES["secret"])
AT = cast(int, CASES["t"])


def named(cases: str) -> List[Any]:
    return [pytest.param(case, id=case.get("name") or case["id"]) for case in CASES[cases]]


@pytest.mark.parametrize("case", named("vectors"))
def test_signs_every_vector(case: Dict[str, str]) -> None:
    headers = sign(SECRET, method=case["method"], path=case["path"], body=case["body"], at=AT)
    assert headers == {
        "X-Manos-Signature-V2": f"t={AT},v1={case['v1']}",
        "X-Manos-Signature": case["legacy"],
    }


@pytest.mark.parametrize("case", named("verifier"))
def test_judges_every_verifier_case(case: Dict[str, Any]) -> None:
    valid = verify_signature(
        case["header"],
        secret=case["secrets"],
        method=case["method"],
        path=case["path"],
        body=case["body"],
        now=case["now"],
    )
    assert valid is case["accept"]


def signed(**changes: Any) -> Dict[str, Any]:
    """A request that is valid, with something changed."""
    header = sign(SECRET, method="POST", path="/t?a=1", body=b"{}", at=AT)["X-Manos-Signature-V2"]
    request: Dict[str, Any] = {
        "header": header,
        "secret": SECRET,
        "method": "POST",
        "path": "/t?a=1",
        "body": b"{}",
        "now": AT,
    }
    return {**request, **changes}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"body": "{}"}, None),
        ({"body": bytearray(b"{}")}, None),
        ({"body": memoryview(b"{}")}, None),
        ({"path": b"/t?a=1"}, None),
        ({"secret": ("other", SECRET)}, None),
        ({"now": AT + 300.0}, None),
        ({"header": None}, "the signature header is missing"),
        ({"header": "hello"}, "the header has no time"),
        ({"header": f"t={AT}"}, "the header has no v1 signature"),
        ({"header": "t=1,t=1,v1=00"}, "the header names its time twice"),
        ({"header": "t=,v1=00"}, "the header's time is not a number of seconds"),
        ({"header": f"t={AT},v1=\u00e9\ud800"}, "no signature fits the secret, method, path and body"),
        ({"now": AT + 300.5}, "the signature is more than 300 seconds away from this clock"),
        ({"now": AT + 6, "tolerance": 5}, "the signature is more than 5 seconds away from this clock"),
        ({"method": "PUT"}, "no signature fits the secret, method, path and body"),
    ],
)
def test_says_why(changes: Dict[str, Any], reason: object) -> None:
    request = signed(**changes)
    header = request.pop("header")
    assert reject_reason(header, **request) == reason


def test_takes_the_header_as_bytes() -> None:
    request = signed()
    header = request.pop("header")
    assert verify_signature(header.encode("ascii"), **request)


@pytest.mark.parametrize("secret", ["", [], ["right", ""], [None]])
def test_an_empty_secret_is_the_programs_mistake(secret: Any) -> None:
    request = signed(secret=secret)
    header = request.pop("header")
    with pytest.raises(ValueError, match="secret is empty"):
        verify_signature(header, **request)
    # Also when nothing was signed: no caller learns that the server has no secret.
    with pytest.raises(ValueError, match="secret is empty"):
        verify_signature(None, **request)


def test_refuses_to_sign_without_a_secret_and_a_negative_tolerance() -> None:
    with pytest.raises(ValueError, match="secret is empty"):
        sign("", method="GET", path="/")
    request = signed(tolerance=-1)
    header = request.pop("header")
    with pytest.raises(ValueError, match="tolerance"):
        verify_signature(header, **request)


def test_signs_with_the_present_time_and_any_prefix() -> None:
    headers = sign("s", method="delete", path="/x", prefix="ThunderPhone")
    header = headers["X-ThunderPhone-Signature-V2"]
    assert verify_signature(header, secret="s", method="DELETE", path="/x", body=b"")
    assert header_names("ThunderPhone").call_id == "X-ThunderPhone-Call-ID"


def test_the_examples_in_the_docstrings_run() -> None:
    for module in (manos_sdk, manos_sdk._signature):
        assert doctest.testmod(module).failed == 0


def test_the_recipe_without_the_package_judges_alike() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    recipe = readme.split("## By hand", 1)[1].split("```python\n", 1)[1].split("```", 1)[0]
    for case in CASES["verifier"]:
        scope: Dict[str, Any] = {}
        exec(recipe.replace("time.time()", str(case["now"])), scope)  # noqa: S102
        if case["header"] is None:
            continue
        secrets = case["secrets"]
        body = case["body"].encode()
        valid = any(
            scope["valid"](case["header"], one, case["method"], case["path"], body)
            for one in secrets
        )
        assert valid is case["accept"], case["name"]
