//! Roles and what they may do.

use std::collections::BTreeSet;

use manos_policy::{Access, EVERYONE, Role};

use super::{Decoder, value};
use crate::node::Node;
use crate::report;

impl Decoder<'_, '_> {
    pub(super) fn access(&mut self) -> Access {
        let Some(node) = self.root.get("security") else { return Access::default() };
        let allowed_tools = value::texts(node, "allowed_tools").map(BTreeSet::from_iter);
        let mut roles = Vec::new();
        for entry in node.get("roles").map(Node::entries).unwrap_or_default() {
            let role = Role {
                name: entry.key.clone(),
                users: value::texts(&entry.node, "users").unwrap_or_default(),
                tools: value::texts(&entry.node, "tools").unwrap_or_default(),
                commands: value::texts(&entry.node, "commands")
                    .unwrap_or_default()
                    .iter()
                    .map(|name| name.trim_start_matches('/').to_owned())
                    .collect(),
                deny: value::texts(&entry.node, "deny").unwrap_or_default(),
            };
            let users = entry.node.get("users");
            if let Some(users) = users.filter(|_| role.name == EVERYONE) {
                let help = "remove `users`, or give the role another name";
                let message = "everyone is in this role, whoever is listed";
                self.error(report::CONFLICT, users.span, message, help);
            }
            for user in users.map(Node::items).unwrap_or_default() {
                if user.text().is_some_and(|text| !text.contains(':') && text != "*") {
                    let help = "write channel and user, as in `telegram:42`";
                    self.error(report::BAD_VALUE, user.span, "this user has no channel", help);
                }
            }
            roles.push(role);
        }
        Access { allowed_tools, roles }
    }
}
