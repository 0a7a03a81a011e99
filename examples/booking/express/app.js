// A salon's booking tools behind Express: search, book, cancel.
//
// WEBHOOK_SECRET=whsec_demo PORT=8090 node app.js

import express from "express";
import { rejectReason } from "@manos/sdk";

const HOURS = ["09:00", "10:00", "11:00", "15:00", "16:00"];
const secret = process.env.WEBHOOK_SECRET;

const app = express();
const appointments = new Map();
// What was answered to a run. Manos names the run in Idempotency-Key, so a request that comes twice
// books once. A real salon keeps this beside its appointments, in the same transaction.
const answered = new Map();

// Lets only Manos in. The raw bytes are verified first and parsed after that.
app.use(express.raw({ type: () => true }), (request, response, next) => {
  const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const reason = rejectReason({
    header: request.headers["x-manos-signature-v2"],
    secret,
    method: request.method,
    path: request.originalUrl,
    body: raw,
  });
  if (reason) return response.status(401).json({ detail: reason });
  request.body = raw.length > 0 ? JSON.parse(raw.toString("utf8")) : {};
  next();
});

app.post("/appointments/search", (request, response) => {
  const { date } = request.body;
  const taken = [...appointments.values()].filter((one) => one.date === date).map((one) => one.time);
  response.json({ date, free: HOURS.filter((hour) => !taken.includes(hour)) });
});

app.post("/appointments", (request, response) => {
  const run = request.headers["idempotency-key"];
  if (!answered.has(run)) answered.set(run, newAppointment(request.body));
  response.json(answered.get(run));
});

function newAppointment({ date, time, service, name }) {
  if (!HOURS.includes(time)) {
    return { error: `We have no appointments at ${time}; the times are ${HOURS.join(", ")}.` };
  }
  if ([...appointments.values()].some((one) => one.date === date && one.time === time)) {
    return { error: `${date} at ${time} is taken.` };
  }
  const appointment_id = `A-${1001 + answered.size}`;
  appointments.set(appointment_id, { date, time, service, name });
  return { appointment_id, date, time, service, name };
}

app.delete("/appointments/:appointment_id", (request, response) => {
  const { appointment_id } = request.params;
  if (!appointments.delete(appointment_id)) {
    return response.json({ error: `There is no appointment ${appointment_id}.` });
  }
  response.json({ cancelled: appointment_id, reason: request.query.reason ?? null });
});

// Notices come at least once; the ones that were seen are known by their ids.
const told = new Set();

app.post("/notices", (request, response) => {
  const { event_id, type, data } = request.body;
  if (!told.has(event_id)) {
    told.add(event_id);
    console.log("told of", type, data.tool_name);
  }
  response.status(204).end();
});

app.listen(Number(process.env.PORT ?? 8090), "127.0.0.1");
