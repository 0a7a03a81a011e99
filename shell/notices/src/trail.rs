//! Facts read from the trail, and the bytes made of them.

use std::sync::Arc;

use manos_model::{CursorId, TurnId};
use manos_ports::{AuditQuery, AuditRow, Store, StoreError};
use manos_wire_tool::notice::{Begun, Fact, body};

/// Events read from the store at once, and the most that one endpoint's task holds in memory.
pub const TRAIL_PAGE: usize = 100;

/// The trail, with the page that was read last.
#[derive(Debug)]
pub(crate) struct Trail {
    store: Arc<dyn Store>,
    page: Vec<Fact>,
}

impl Trail {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, page: Vec::new() }
    }

    /// Reads the events after this one; at most `limit`, and never more than a page. Returns them
    /// with the place up to which the trail was read; `None` at its end.
    pub(crate) async fn after(
        &mut self,
        cursor: CursorId,
        limit: usize,
    ) -> Result<Option<(CursorId, &[Fact])>, StoreError> {
        let limit = limit.min(TRAIL_PAGE);
        let query = AuditQuery { after: cursor, limit, ..AuditQuery::default() };
        let rows = self.store.audit(query).await?;
        let last = rows.last().map(|row| row.id);
        self.page = facts(&rows);
        Ok(last.map(|last| (last, self.page.as_slice())))
    }

    /// Makes the notice of this kind of an event; `None` when the trail no longer has it.
    pub(crate) async fn body(
        &mut self,
        id: CursorId,
        kind: &str,
    ) -> Result<Option<String>, StoreError> {
        if self.on_page(id).is_none() {
            self.after(id.saturating_sub(1), TRAIL_PAGE).await?;
        }
        let Some(fact) = self.on_page(id) else { return Ok(None) };
        if fact.tool_kind() != Some(kind) {
            return Ok(Some(body(kind, fact, Begun::default())));
        }
        let begun = begun(&self.page, fact);
        if begun.started.is_some() && begun.turn.is_some() {
            return Ok(Some(body(kind, fact, begun)));
        }
        let turn = self.turn_until(fact).await?;
        Ok(Some(body(kind, fact, self::begun(&turn, fact))))
    }

    fn on_page(&self, id: CursorId) -> Option<&Fact> {
        let at = self.page.binary_search_by_key(&id, Fact::id).ok()?;
        self.page.get(at)
    }

    /// The events of a fact's turn that tell how its run began. A turn may be long; of each page of
    /// it only these are kept.
    async fn turn_until(&self, fact: &Fact) -> Result<Vec<Fact>, StoreError> {
        let mut kept = Vec::new();
        let turn = Some(TurnId::new(fact.text("turn_id")));
        let mut query = AuditQuery { turn, limit: TRAIL_PAGE, ..AuditQuery::default() };
        loop {
            let rows = self.store.audit(query.clone()).await?;
            let Some(last) = rows.last() else { return Ok(kept) };
            query.after = last.id;
            let over = last.id >= fact.id();
            kept.extend(facts(&rows).into_iter().filter(|one| tells_beginning(one, fact)));
            if over {
                return Ok(kept);
            }
        }
    }
}

fn facts(rows: &[AuditRow]) -> Vec<Fact> {
    // What does not read back is no fact that could be told.
    rows.iter().filter_map(|row| Fact::parse(&row.json)).collect()
}

/// Whether one event tells how the run of another began.
fn tells_beginning(one: &Fact, end: &Fact) -> bool {
    let same = |name: &str| one.text(name) == end.text(name);
    one.id() < end.id()
        && same("turn_id")
        && match one.kind() {
            "turn.started" => true,
            "tool.started" => same("run_id"),
            _ => false,
        }
}

/// Finds how a run began. One that was begun twice is told by its last beginning.
fn begun<'a>(events: &'a [Fact], end: &Fact) -> Begun<'a> {
    let of_kind = |kind: &str| {
        events.iter().rev().find(|one| one.kind() == kind && tells_beginning(one, end))
    };
    Begun { started: of_kind("tool.started"), turn: of_kind("turn.started") }
}
