"""A salon's booking tools behind FastAPI: search, book, cancel.

WEBHOOK_SECRET=whsec_demo uvicorn app:app --port 8090
"""

import os
from typing import Any, Dict, Optional, Set

from fastapi import Depends, FastAPI, Header, HTTPException, Request
from pydantic import BaseModel

from manos_sdk import reject_reason

HOURS = ["09:00", "10:00", "11:00", "15:00", "16:00"]
SECRET = os.environ["WEBHOOK_SECRET"]


async def signed(request: Request) -> None:
    """Lets only Manos in. The path is verified as it came, with its query."""
    path = request.scope["raw_path"].decode("ascii")
    query = request.scope["query_string"].decode("ascii")
    reason = reject_reason(
        request.headers.get("x-manos-signature-v2"),
        secret=SECRET,
        method=request.method,
        path=f"{path}?{query}" if query else path,
        body=await request.body(),
    )
    if reason:
        raise HTTPException(status_code=401, detail=reason)


app = FastAPI(dependencies=[Depends(signed)])
appointments: Dict[str, Dict[str, Any]] = {}
# What was answered to a run. Manos names the run in Idempotency-Key, so a request that comes twice
# books once. A real salon keeps this beside its appointments, in the same transaction.
answered: Dict[str, Dict[str, Any]] = {}


class Search(BaseModel):
    date: str
    service: Optional[str] = None


class Booking(BaseModel):
    date: str
    time: str
    service: str
    name: str


@app.post("/appointments/search")
async def search(wish: Search) -> Dict[str, Any]:
    taken = {one["time"] for one in appointments.values() if one["date"] == wish.date}
    return {"date": wish.date, "free": [hour for hour in HOURS if hour not in taken]}


@app.post("/appointments")
async def book(wish: Booking, idempotency_key: str = Header()) -> Dict[str, Any]:
    if idempotency_key not in answered:
        answered[idempotency_key] = new_appointment(wish)
    return answered[idempotency_key]


def new_appointment(wish: Booking) -> Dict[str, Any]:
    if wish.time not in HOURS:
        return {"error": f"We have no appointments at {wish.time}; the times are {', '.join(HOURS)}."}
    if any((one["date"], one["time"]) == (wish.date, wish.time) for one in appointments.values()):
        return {"error": f"{wish.date} at {wish.time} is taken."}
    appointment_id = f"A-{1001 + len(answered)}"
    appointments[appointment_id] = wish.model_dump()
    return {"appointment_id": appointment_id, **appointments[appointment_id]}


@app.delete("/appointments/{appointment_id}")
async def cancel(appointment_id: str, reason: Optional[str] = None) -> Dict[str, Any]:
    if appointments.pop(appointment_id, None) is None:
        return {"error": f"There is no appointment {appointment_id}."}
    return {"cancelled": appointment_id, "reason": reason}


# Notices come at least once; the ones that were seen are known by their ids.
told: Set[str] = set()


@app.post("/notices", status_code=204)
async def notice(request: Request) -> None:
    body = await request.json()
    if body["event_id"] not in told:
        told.add(body["event_id"])
        print("told of", body["type"], body["data"]["tool_name"], flush=True)
