//! What the model calls of a store used and cost, added up.

use std::collections::BTreeMap;

use manos::model::{Amount, Cost, Spent, Usage};
use manos::ports::AuditRow;
use serde_json::{Value, json};

use crate::args::CostBy;

/// The sums, by whatever they are added up by.
#[derive(Debug)]
pub(super) struct Costs {
    by: CostBy,
    sums: BTreeMap<String, (u64, Spent)>,
}

impl Costs {
    pub(super) fn new(by: CostBy) -> Self {
        Self { by, sums: BTreeMap::new() }
    }

    /// Adds an event, when it is a reply.
    pub(super) fn take(&mut self, row: &AuditRow) {
        let Ok(event) = serde_json::from_str::<Value>(&row.json) else { return };
        if event["type"] != "model.replied" {
            return;
        }
        let text = |key: &str| event[key].as_str().unwrap_or("-");
        let name = match self.by {
            CostBy::Chat => text("chat_key").to_owned(),
            CostBy::Day => text("at").get(..10).unwrap_or("-").to_owned(),
            CostBy::Model => match event["model"].as_str() {
                Some(model) => format!("{}/{model}", text("provider")),
                None => "-".to_owned(),
            },
            CostBy::Turn => text("turn_id").to_owned(),
        };
        let count = |key: &str| event["usage"][key].as_u64().unwrap_or(0);
        let usage = Usage {
            tokens_input: count("input"),
            tokens_output: count("output"),
            tokens_cached: count("cached"),
            tokens_reasoning: count("reasoning"),
        };
        let (calls, spent) = self.sums.entry(name).or_default();
        *calls += 1;
        spent.add(Some(&usage), None);
        for (currency, amount) in event["cost"].as_object().into_iter().flatten() {
            let amount = amount.as_str().and_then(|text| text.parse::<Amount>().ok());
            if let Some(amount) = amount {
                spent.add(None, Some(&Cost { amount, currency: currency.clone() }));
            }
        }
    }

    /// The sums as a table, its head first and the sum of all last.
    pub(super) fn table(&self) -> Vec<[String; 7]> {
        let head = [self.by.title(), "CALLS", "INPUT", "CACHED", "OUTPUT", "REASONING", "COST"];
        let mut rows = vec![head.map(str::to_owned)];
        rows.extend(self.sums.iter().map(|(name, (calls, spent))| row(name, *calls, spent)));
        let (calls, all) = self.all();
        rows.push(row("all", calls, &all));
        rows
    }

    /// The sums as JSON, one object a line.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(name, (calls, spent)): (&String, &(u64, Spent))| {
            let usage = &spent.usage;
            json!({
                self.by.title().to_lowercase(): name, "calls": calls,
                "usage": {
                    "input": usage.tokens_input, "output": usage.tokens_output,
                    "cached": usage.tokens_cached, "reasoning": usage.tokens_reasoning,
                },
                "cost": spent.cost,
            })
            .to_string()
        };
        self.sums.iter().map(line).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    fn all(&self) -> (u64, Spent) {
        let mut all = (0, Spent::default());
        for (calls, spent) in self.sums.values() {
            all.0 += calls;
            all.1.add(Some(&spent.usage), None);
            for (currency, amount) in &spent.cost {
                let cost = Cost { amount: *amount, currency: currency.clone() };
                all.1.add(None, Some(&cost));
            }
        }
        all
    }
}

fn row(name: &str, calls: u64, spent: &Spent) -> [String; 7] {
    let usage = &spent.usage;
    let costs: Vec<String> =
        spent.cost.iter().map(|(currency, amount)| format!("{amount} {currency}")).collect();
    let cost = if costs.is_empty() { "-".to_owned() } else { costs.join(" + ") };
    [
        name.to_owned(),
        calls.to_string(),
        usage.tokens_input.to_string(),
        usage.tokens_cached.to_string(),
        usage.tokens_output.to_string(),
        usage.tokens_reasoning.to_string(),
        cost,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(by: CostBy) -> Vec<String> {
        let events = [
            json!({"type": "model.replied", "at": "2026-12-01T10:00:00Z", "chat_key": "a", "turn_id": "t1",
                "provider": "openai", "model": "m", "usage": {"input": 10, "output": 2, "cached": 4, "reasoning": 1},
                "cost": {"USD": "0.1"}}),
            json!({"type": "model.replied", "at": "2026-12-02T10:00:00Z", "chat_key": "a", "turn_id": "t2",
                "provider": "openai", "model": "m", "usage": {"input": 10, "output": 2}, "cost": {"USD": "0.2"}}),
            json!({"type": "model.replied", "at": "2026-12-02T10:00:00Z", "chat_key": "b", "turn_id": "t3",
                "provider": "groq", "model": "l", "cost": {"EUR": "1"}}),
            // Not a reply; a reply of a model that says nothing of itself.
            json!({"type": "turn.finished", "cost": {"USD": "9"}}),
            json!({"type": "model.replied", "at": "2026-12-02T10:00:00Z", "chat_key": "b", "turn_id": "t3"}),
        ];
        let mut costs = Costs::new(by);
        for (event, id) in events.iter().zip(1..) {
            costs.take(&AuditRow { id, json: event.to_string() });
        }
        costs.table().iter().map(|row| row.join(" ")).collect()
    }

    #[test]
    fn sums_are_exact_and_currencies_stay_apart() {
        assert_eq!(
            costs(CostBy::Model),
            [
                "MODEL CALLS INPUT CACHED OUTPUT REASONING COST",
                "- 1 0 0 0 0 -",
                "groq/l 1 0 0 0 0 1 EUR",
                "openai/m 2 20 4 4 1 0.3 USD",
                "all 4 20 4 4 1 1 EUR + 0.3 USD",
            ]
        );
        let names = |by| -> Vec<String> {
            let first = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
            costs(by).iter().map(first).collect()
        };
        assert_eq!(names(CostBy::Day), ["DAY", "2026-12-01", "2026-12-02", "all"]);
        assert_eq!(names(CostBy::Chat), ["CHAT", "a", "b", "all"]);
        assert_eq!(names(CostBy::Turn), ["TURN", "t1", "t2", "t3", "all"]);
    }
}
