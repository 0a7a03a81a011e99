"""What the packages sign, ``manos serve`` believes; what was changed on its way, it does not.

``MANOS`` is the binary.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

import pytest

import manos_sdk

SECRET = "whsec_cross_served"
AGENT = """
name: clinic
language: en
store: memory
webhook: { url: "https://hooks.example.com/manos", secret: "%s" }
tools:
  - name: book
    description: Books.
    parameters: { type: object, properties: { at: { type: string } }, required: [at] }
    confirm: false
    command: [sh, -c, "cat >> ran.txt; echo '{\\"booked\\":true}'"]
    env: { PATH: "/usr/bin:/bin" }
""" % SECRET

Answer = Tuple[int, Any]
Send = Callable[..., Answer]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "agent.yaml").write_text(AGENT)
    process = subprocess.Popen(
        [os.environ["MANOS"], "serve", "agent.yaml", "--listen", "127.0.0.1:0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    address = process.stdout.readline().strip().rpartition("http://")[2]
    yield address
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 0


def python(address: str, path: str, body: bytes, at: int, sent: Optional[bytes] = None) -> Answer:
    headers = manos_sdk.sign(SECRET, method="POST", path=path, body=body, at=at)
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.request("POST", path, body if sent is None else sent, headers)
    reply = connection.getresponse()
    answer = json.loads(reply.read())
    connection.close()
    return reply.status, answer


def node(address: str, path: str, body: bytes, at: int) -> Answer:
    request: Dict[str, Any] = {
        "origin": f"http://{address}",
        "secret": SECRET,
        "path": path,
        "body": body.decode("utf-8"),
        "at": at,
    }
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("caller.mjs"))],
        input=json.dumps(request) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    reply = json.loads(done.stdout)
    return reply["status"], json.loads(reply["body"])


@pytest.mark.parametrize("send", [python, node])
def test_a_signed_call_is_believed_and_run_once(served: str, tmp_path: Path, send: Send) -> None:
    path, body, now = "/tools/clinic/book?v=1", '{"at":"10:00 ñ"}'.encode("utf-8"), int(time.time())
    for _ in range(2):
        assert send(served, path, body, now) == (200, {"booked": True})
    assert (tmp_path / "ran.txt").read_bytes() == body + b"\n"
    status, problem = send(served, path, body, now - 301)
    assert (status, problem["code"]) == (401, "server.unauthorized")
    assert (tmp_path / "ran.txt").read_bytes() == body + b"\n"


def test_another_body_is_not_believed(served: str, tmp_path: Path) -> None:
    body, now = b'{"at":"10:00"}', int(time.time())
    status, problem = python(served, "/tools/clinic/book", body, now, sent=b'{"at":"11:00"}')
    assert (status, problem["code"]) == (401, "server.unauthorized")
    assert not (tmp_path / "ran.txt").exists()
