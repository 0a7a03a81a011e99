-- Calls from outside by the names their senders gave them; `outcome` is NULL until one has ended.
CREATE TABLE IF NOT EXISTS calls (
  key TEXT PRIMARY KEY,
  chat_id INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  outcome TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS calls_at ON calls (at_ns);
