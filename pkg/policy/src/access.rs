//! Who may use which tool.

use std::collections::BTreeSet;

use manos_model::UserId;

/// The role that everybody has.
pub const EVERYONE: &str = "everyone";

/// A named set of users and what they may do. In every list `*` stands for any text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// Who has it: `telegram:42`, `matrix:*`.
    pub users: Vec<String>,
    /// The tools they may use.
    pub tools: Vec<String>,
    /// The commands they may write, without slash.
    pub commands: Vec<String>,
    /// The tools they may not use, whatever another role says.
    pub deny: Vec<String>,
}

/// Which tools exist for whom.
///
/// Everyone is in the role `everyone`: undeclared, it may use all allowed tools; declared, only its
/// list. Roles add; what any of a user's roles denies is denied.
///
/// ```
/// use manos_policy::{Access, Role};
/// let owner = Role { name: "owner".into(), users: vec!["telegram:42".into()],
///                    tools: vec!["*".into()], ..Role::default() };
/// let everyone = Role { name: "everyone".into(), tools: vec!["ver_*".into()], ..Role::default() };
/// let access = Access { allowed_tools: None, roles: vec![everyone, owner] };
/// assert!(access.may_use(&"telegram:42".into(), "pagar"));
/// assert!(access.may_use(&"telegram:7".into(), "ver_menu"));
/// assert!(!access.may_use(&"telegram:7".into(), "pagar"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// `None`: every tool of the file. Empty: none.
    pub allowed_tools: Option<BTreeSet<String>>,
    /// The declared roles.
    pub roles: Vec<Role>,
}

impl Access {
    /// Whether this user may use this tool.
    pub fn may_use(&self, user: &UserId, tool: &str) -> bool {
        if self.allowed_tools.as_ref().is_some_and(|allowed| !allowed.contains(tool)) {
            return false;
        }
        let roles: Vec<&Role> = self.roles_of(user).collect();
        if roles.iter().any(|role| listed(&role.deny, tool)) {
            return false;
        }
        let everyone_is_declared = self.roles.iter().any(|role| role.name == EVERYONE);
        !everyone_is_declared || roles.iter().any(|role| listed(&role.tools, tool))
    }

    /// Whether this user may write this command, named without its slash. As long as no role lists
    /// commands, everybody may write all of them; then only those of a user's roles.
    pub fn may_command(&self, user: &UserId, command: &str) -> bool {
        self.roles.iter().all(|role| role.commands.is_empty())
            || self.roles_of(user).any(|role| listed(&role.commands, command))
    }

    /// Whether this user has one of these roles.
    pub fn has_role(&self, user: &UserId, role: &str) -> bool {
        role == EVERYONE || self.roles_of(user).any(|has| has.name == role)
    }

    /// Names the user's roles in one text: equal texts mean equal tools.
    pub fn role_key(&self, user: &UserId) -> String {
        let names: Vec<&str> = self.roles_of(user).map(|role| role.name.as_str()).collect();
        names.join("\n")
    }

    fn roles_of<'a>(&'a self, user: &'a UserId) -> impl Iterator<Item = &'a Role> {
        self.roles
            .iter()
            .filter(move |role| role.name == EVERYONE || listed(&role.users, user.as_str()))
    }
}

fn listed(patterns: &[String], text: &str) -> bool {
    patterns.iter().any(|pattern| fits(pattern, text))
}

/// Whether a pattern, in which `*` stands for any text, covers the whole text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_covers_the_whole_text() {
        let cases = [
            ("ver_menu", "ver_menu", true),
            ("ver_menu", "ver_menus", false),
            ("*", "", true),
            ("ver_*", "ver_menu", true),
            ("ver_*", "cover_menu", false),
            ("*_menu", "ver_menu", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("ab*ba", "aba", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(fits(pattern, text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn commands_are_for_all_until_a_role_lists_some() {
        let role = |name: &str, users: &[&str], commands: &[&str]| Role {
            name: name.into(),
            users: users.iter().map(|&user| user.into()).collect(),
            commands: commands.iter().map(|&command| command.into()).collect(),
            ..Role::default()
        };
        let access = |roles: Vec<Role>| Access { allowed_tools: None, roles };
        let boss = || role("boss", &["t:1"], &["*"]);
        let cases = [
            ("no role lists any", access(vec![role("boss", &["t:1"], &[])]), "t:2", true),
            ("a role lists all", access(vec![boss()]), "t:1", true),
            ("then others have none", access(vec![boss()]), "t:2", false),
            (
                "everyone has some",
                access(vec![boss(), role(EVERYONE, &[], &["reset"])]),
                "t:2",
                true,
            ),
            ("but no others", access(vec![boss(), role(EVERYONE, &[], &["hours"])]), "t:2", false),
        ];
        for (why, access, user, expected) in cases {
            assert_eq!(access.may_command(&user.into(), "reset"), expected, "{why}");
        }
    }

    #[test]
    fn roles_add_and_denials_win() {
        let role = |name: &str, users: &[&str], tools: &[&str], deny: &[&str]| Role {
            name: name.into(),
            users: users.iter().map(|&u| u.into()).collect(),
            tools: tools.iter().map(|&t| t.into()).collect(),
            commands: vec![],
            deny: deny.iter().map(|&t| t.into()).collect(),
        };
        let allowed = |tools: &[&str]| Some(tools.iter().map(|&t| t.to_owned()).collect());
        let cases = [
            ("nothing declared: all tools", Access::default(), "t:1", "a", true),
            (
                "an empty list: none",
                Access { allowed_tools: allowed(&[]), roles: vec![] },
                "t:1",
                "a",
                false,
            ),
            (
                "not on the list",
                Access { allowed_tools: allowed(&["b"]), roles: vec![] },
                "t:1",
                "a",
                false,
            ),
            (
                "a role does not widen the list",
                Access {
                    allowed_tools: allowed(&["b"]),
                    roles: vec![role("o", &["t:1"], &["*"], &[])],
                },
                "t:1",
                "a",
                false,
            ),
            (
                "everyone undeclared may use all, a role only adds",
                Access { allowed_tools: None, roles: vec![role("o", &["t:2"], &["a"], &[])] },
                "t:1",
                "a",
                true,
            ),
            (
                "a denial of one role beats the list of another",
                Access {
                    allowed_tools: None,
                    roles: vec![role("o", &["t:1"], &["*"], &[]), role("p", &["t:*"], &[], &["a"])],
                },
                "t:1",
                "a",
                false,
            ),
        ];
        for (why, access, user, tool, expected) in cases {
            assert_eq!(access.may_use(&user.into(), tool), expected, "{why}");
        }
    }
}
