-- Format 2. Instants are nanoseconds since 1970 in UTC. Lists of JSON texts are JSON arrays.

-- A chat as it is now. `memory_log` is the row of `log` that holds its history and ledger.
CREATE TABLE chats (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  awake INTEGER NOT NULL,
  last_at_ns INTEGER NOT NULL,
  memory_log INTEGER,
  active TEXT NOT NULL
) STRICT;
CREATE INDEX chats_awake ON chats (key) WHERE awake = 1;

-- One row for each commit, in the order in which they were kept. Audit ids have no gap and grow
-- with `id`, so a row needs only its first one. `audit_turns` is [[turn or null, lines], …].
-- `active_before` and `memory_before` (a row of `log`) stand where a turn starts.
CREATE TABLE log (
  id INTEGER PRIMARY KEY,
  chat_id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  audit_first INTEGER,
  audit_count INTEGER NOT NULL,
  audit_turns TEXT,
  memory_before INTEGER,
  events TEXT NOT NULL,
  audit TEXT,
  active_before TEXT,
  memory TEXT
) STRICT;
CREATE INDEX log_chat ON log (chat_id);

-- The commit that starts a turn.
CREATE TABLE turns (
  turn_id TEXT PRIMARY KEY,
  log_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Inbound message ids that were taken.
CREATE TABLE inbox (
  chat_id INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  PRIMARY KEY (chat_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_at ON inbox (at_ns);

-- The ledger over all chats: side effects that were done ('done'), were not after all
-- ('not_done'), or may have been ('unknown').
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  chat_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  json TEXT NOT NULL
) STRICT;
CREATE INDEX runs_unknown ON runs (id) WHERE state = 'unknown';
