"""The V2 and legacy signatures: how they are made, and when one is believed."""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

Body = Union[bytes, bytearray, memoryview, str]
Text = Union[str, bytes]

DEFAULT_TOLERANCE = 300
"""How many seconds a signature may be older or newer than our clock, inclusive."""

_TIME_DIGITS_MAX = 15


class HeaderNames(NamedTuple):
    """The names of the headers that Manos sends, for one prefix."""

    signature_v2: str
    signature: str
    call_id: str
    event: str


def header_names(prefix: str = "Manos") -> HeaderNames:
    """Returns the header names for ``signing.prefix``.

    >>> header_names("Acme").signature_v2
    'X-Acme-Signature-V2'
    """
    start = f"X-{prefix}-"
    return HeaderNames(
        start + "Signature-V2", start + "Signature", start + "Call-ID", start + "Event"
    )


def sign(
    secret: str,
    *,
    method: str,
    path: Text,
    body: Body = b"",
    at: Optional[int] = None,
    prefix: str = "Manos",
) -> Dict[str, str]:
    """Returns the two signature headers of a request, as Manos would send them. For your tests.

    ``path`` holds the query, exactly as it is sent. ``at`` is in Unix seconds; now by default.
    """
    if not secret:
        raise ValueError("the secret is empty")
    when = int(time.time()) if at is None else int(at)
    names = header_names(prefix)
    v1 = _v1(secret, when, method, path, _raw(body))
    return {
        names.signature_v2: f"t={when},v1={v1}",
        names.signature: _hmac(secret, _raw(body)),
    }


def verify_signature(
    header: Optional[Text],
    *,
    secret: Union[str, Sequence[str]],
    method: str,
    path: Text,
    body: Body,
    tolerance: int = DEFAULT_TOLERANCE,
    now: Optional[float] = None,
) -> bool:
    """Says whether a request carries a valid and fresh V2 signature. Answer 401 when it does not.

    ``header`` is the value of ``X-Manos-Signature-V2``, or ``None`` when it is missing. ``secret`` is
    the webhook secret, whole, or a list of them while you rotate it. ``path`` is path and query
    exactly as they came (``/tools/book?v=1``), ``body`` the raw body: empty for GET and DELETE.

    Raises ``ValueError`` when a secret is empty: that is a mistake of the program, and never valid.
    """
    reason = reject_reason(
        header,
        secret=secret,
        method=method,
        path=path,
        body=body,
        tolerance=tolerance,
        now=now,
    )
    return reason is None


def reject_reason(
    header: Optional[Text],
    *,
    secret: Union[str, Sequence[str]],
    method: str,
    path: Text,
    body: Body,
    tolerance: int = DEFAULT_TOLERANCE,
    now: Optional[float] = None,
) -> Optional[str]:
    """Does what :func:`verify_signature` does and says why: ``None`` when the signature is valid.

    The sentence is for your log, not for whoever sent the request.
    """
    secrets = _secrets(secret)
    if tolerance < 0:
        raise ValueError("the tolerance is below zero")
    if not header:
        return "the signature header is missing"
    parsed = _parse(header if isinstance(header, str) else header.decode("latin-1"))
    if isinstance(parsed, str):
        return parsed
    stamp, signatures = parsed
    clock = int(time.time()) if now is None else now
    if abs(clock - stamp) > tolerance:
        return f"the signature is more than {tolerance} seconds away from this clock"
    raw = _raw(body)
    # Every pair is compared, so that the time taken tells nothing about which one fits.
    fits = False
    for candidate in secrets:
        expected = _v1(candidate, stamp, method, path, raw).encode("ascii")
        for signature in signatures:
            given = signature.encode("utf-8", "surrogatepass")
            fits = hmac.compare_digest(expected, given) or fits
    return None if fits else "no signature fits the secret, method, path and body"


def _parse(header: str) -> Union[str, Tuple[int, List[str]]]:
    """Returns time and signatures, or the reason why the header is of no use."""
    stamp: Optional[int] = None
    signatures: List[str] = []
    for item in header.split(","):
        key, equals, value = item.partition("=")
        key, value = key.strip(), value.strip()
        if not equals:
            continue
        if key == "t":
            if stamp is not None:
                return "the header names its time twice"
            if not (value.isascii() and value.isdigit()) or len(value) > _TIME_DIGITS_MAX:
                return "the header's time is not a number of seconds"
            stamp = int(value)
        elif key == "v1" and value:
            signatures.append(value.lower())
    if stamp is None:
        return "the header has no time"
    if not signatures:
        return "the header has no v1 signature"
    return stamp, signatures


def _secrets(secret: Union[str, Sequence[str]]) -> List[str]:
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(isinstance(one, str) and one for one in secrets):
        raise ValueError("the secret is empty: give the webhook secret, or a list of them")
    return secrets


def _v1(secret: str, stamp: int, method: str, path: Text, raw: bytes) -> str:
    where = path.encode("utf-8", "surrogatepass") if isinstance(path, str) else bytes(path)
    head = f"{stamp}\n{method.upper()}\n".encode("utf-8") + where + b"\n"
    return _hmac(secret, head + raw)


def _hmac(secret: str, message: bytes) -> str:
    return hmac.new(secret.encode("utf-8"), message, hashlib.sha256).hexdigest()


def _raw(body: Body) -> bytes:
    return body.encode("utf-8") if isinstance(body, str) else bytes(body)
