"""Each language verifies what the others sign, over random bodies, paths and secrets.

``MANOS`` is the binary and ``VENDOR_VERIFIER`` the webhook module of the package ``thunderphone``.
A variable that is missing is a failure: these tests are never left out.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

import manos_sdk

ROUNDS = 40
AT = 1767225600
HEADER = "X-Manos-Signature-V2"

Request = Dict[str, Any]


class Python:
    def sign(self, request: Request) -> Dict[str, str]:
        return manos_sdk.sign(
            request["secret"],
            method=request["method"],
            path=request["path"],
            body=request["body"],
            at=request["at"],
        )

    def verify(self, request: Request, header: str, now: int) -> bool:
        return manos_sdk.verify_signature(
            header,
            secret=request["secret"],
            method=request["method"],
            path=request["path"],
            body=request["body"],
            now=now,
        )


class Node:
    def __init__(self) -> None:
        worker = Path(__file__).with_name("worker.mjs")
        self.process = subprocess.Popen(
            ["node", str(worker)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, request: Request) -> Any:
        line = {**request, "body": base64.b64encode(request["body"]).decode("ascii")}
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def sign(self, request: Request) -> Dict[str, str]:
        return self.ask(request)

    def verify(self, request: Request, header: str, now: int) -> bool:
        return self.ask({**request, "header": header, "now": now})

    def close(self) -> None:
        # Waits for its end and closes both pipes.
        self.process.communicate(timeout=10)
        assert self.process.returncode == 0


class Rust:
    """The binary's own commands."""

    def run(self, request: Request, arguments: List[str]) -> "subprocess.CompletedProcess[bytes]":
        where = ["--method", request["method"], "--path", request["path"]]
        return subprocess.run(
            [os.environ["MANOS"], arguments[0], "--secret-env", "CROSS_SECRET", *where, *arguments[1:]],
            input=request["body"],
            env={**os.environ, "CROSS_SECRET": request["secret"]},
            capture_output=True,
            timeout=60,
        )

    def sign(self, request: Request) -> Dict[str, str]:
        done = self.run(request, ["sign", "--at", str(request["at"])])
        assert done.returncode == 0, done.stderr
        lines = done.stdout.decode("ascii").splitlines()
        return dict(line.split(": ", 1) for line in lines)

    def verify(self, request: Request, header: str, now: int) -> bool:
        done = self.run(request, ["verify", f"--header={header}", "--now", str(now)])
        assert done.returncode in (0, 1), done.stderr
        return done.returncode == 0


@pytest.fixture(scope="module")
def languages() -> Iterator[Dict[str, Any]]:
    node = Node()
    yield {"python": Python(), "node": node, "rust": Rust()}
    node.close()


def some_text(choice: random.Random, alphabet: str, longest: int) -> str:
    return "".join(choice.choice(alphabet) for _ in range(choice.randint(1, longest)))


def requests(seed: int) -> Iterator[Request]:
    choice = random.Random(seed)
    plain = "abcXYZ019-._~"
    for _ in range(ROUNDS):
        query = choice.choice(["", "?a=1", "?a=1&b=%20x&b=", "?", "?q=%E2%98%95+c"])
        yield {
            "secret": some_text(choice, plain + " =,ñ☕'\"$", 40),
            "method": choice.choice(["GET", "POST", "put", "Patch", "DELETE"]),
            "path": "/" + some_text(choice, plain + "/%25", 60) + query,
            "body": choice.choice([b"", b"{}", "☕\n".encode(), choice.randbytes(200)]),
            "at": choice.randrange(0, 10**10),
        }


@pytest.mark.parametrize("signer", ["python", "node", "rust"])
def test_each_verifies_what_the_others_sign(languages: Dict[str, Any], signer: str) -> None:
    for request in requests(seed=7):
        headers = languages[signer].sign(request)
        assert headers == languages["python"].sign(request)
        header = headers[HEADER]
        for name, verifier in languages.items():
            at = request["at"]
            assert verifier.verify(request, header, at) is True, (name, request)
            assert verifier.verify(request, header, at + 301) is False, (name, request)
            longer = {**request, "body": request["body"] + b" "}
            assert verifier.verify(longer, header, at) is False, (name, request)


@pytest.mark.parametrize(
    ("rewrite", "accepted"),
    [
        ("t={t},v1={v1}", True),
        ("t=0{t},v1={v1}", True),
        ("t={t},v1={V1}", True),
        ("\tv1={v1} ,\tt = {t}", True),
        ("t={t},v1={v1},v1=zz", True),
        ("t={t},v1=,v1={v1}", True),
        ("T={t},v1={v1}", False),
        ("t={t},V1={v1}", False),
        ("t={t};v1={v1}", False),
        ("t={t},v1={v1}0", False),
        ("t={t},t=,v1={v1}", False),
        ("t={t}.0,v1={v1}", False),
        ("t= ,v1={v1}", False),
        ("t=0x1,v1={v1}", False),
        ("t={t},v1=={v1}", False),
        ("=,t={t},v1={v1},=", True),
        (",,t={t},,v1={v1},", True),
    ],
)
def test_all_read_a_header_alike(
    languages: Dict[str, Any], rewrite: str, accepted: bool
) -> None:
    request = {"secret": "s", "method": "POST", "path": "/x", "body": b"{}", "at": AT}
    v1 = languages["python"].sign(request)[HEADER].split("v1=")[1]
    header = rewrite.format(t=AT, v1=v1, V1=v1.upper())
    judged = {name: one.verify(request, header, AT) for name, one in languages.items()}
    assert judged == dict.fromkeys(languages, accepted)


def test_the_platforms_own_verifier_accepts_what_we_send() -> None:
    where = os.environ["VENDOR_VERIFIER"]
    spec = importlib.util.spec_from_file_location("vendor_webhooks", where)
    assert spec and spec.loader
    vendor = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(vendor)
    rust = Rust()
    for request in requests(seed=11):
        done = rust.run(request, ["sign", "--prefix", "ThunderPhone", "--at", str(request["at"])])
        headers = dict(line.split(": ", 1) for line in done.stdout.decode("ascii").splitlines())
        details = {key: request[key] for key in ("secret", "method", "path", "body")}
        header = headers[vendor.SIGNATURE_HEADER]
        assert vendor.verify_signature(header, now=request["at"], **details)
        assert not vendor.verify_signature(header, now=request["at"] + 301, **details)
