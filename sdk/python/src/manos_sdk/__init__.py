"""Checks, and for tests makes, the signatures that Manos puts on its requests.

Every request of a tool and every notice carries ``X-Manos-Signature-V2: t=<unix seconds>,v1=<hex>``
once a webhook secret is configured. The HMAC-SHA256 covers time, method, path with query, and the
body's bytes as they came; so keep the raw body before anything parses it.

>>> headers = sign("whsec_demo", method="POST", path="/tools/book?v=1", body=b"{}", at=1767225600)
>>> verify_signature(headers["X-Manos-Signature-V2"], secret="whsec_demo", method="POST",
...                  path="/tools/book?v=1", body=b"{}", now=1767225610)
True

Only the standard library is used.
"""

from ._signature import (
    DEFAULT_TOLERANCE,
    HeaderNames,
    header_names,
    reject_reason,
    sign,
    verify_signature,
)

__all__ = [
    "DEFAULT_TOLERANCE",
    "HeaderNames",
    "header_names",
    "reject_reason",
    "sign",
    "verify_signature",
]
