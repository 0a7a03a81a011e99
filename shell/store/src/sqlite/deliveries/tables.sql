-- Who was told what. These tables stand apart from the format of the store: they are made when an
-- agent first has somebody to tell, and a program that does not know them leaves them alone.
-- Instants are nanoseconds since 1970 in UTC.

-- Whom an agent tells. `cursor` is the audit id up to which the trail was read for it; `seen_at_ns`
-- is when a file last named it.
CREATE TABLE IF NOT EXISTS notice_endpoints (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  label TEXT NOT NULL,
  status TEXT NOT NULL,
  cursor INTEGER NOT NULL,
  seen_at_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One notice to one endpoint; what is sent is made from the audit event. `next_at_ns` stands while
-- it is not over ('waiting'); else it was 'delivered' or 'failed'.
CREATE TABLE IF NOT EXISTS notice_deliveries (
  id INTEGER PRIMARY KEY,
  endpoint TEXT NOT NULL,
  event_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  audit_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  first_at_ns INTEGER,
  at_ns INTEGER NOT NULL,
  next_at_ns INTEGER,
  trouble TEXT,
  http_status INTEGER,
  UNIQUE (endpoint, event_id)
) STRICT;
CREATE INDEX IF NOT EXISTS notice_deliveries_waiting
  ON notice_deliveries (endpoint, next_at_ns, id) WHERE next_at_ns IS NOT NULL;
CREATE INDEX IF NOT EXISTS notice_deliveries_over
  ON notice_deliveries (endpoint, id) WHERE next_at_ns IS NULL;
