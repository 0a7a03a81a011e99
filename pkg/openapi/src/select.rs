//! Which operations become tools: `include` and `exclude`.

/// Names operations. What is given must all fit; nothing given fits every operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selector {
    /// One of the operation's tags.
    pub tag: Option<String>,
    /// The path as the document has it; a `*` at the end stands for the rest.
    pub path: Option<String>,
    /// The operation's `operationId`, or the tool's name.
    pub operation: Option<String>,
    /// The method, in any case.
    pub method: Option<String>,
}

/// What a selector looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) tags: &'a [String],
    pub(crate) path: &'a str,
    pub(crate) operation_id: Option<&'a str>,
    pub(crate) tool: &'a str,
    pub(crate) method: &'a str,
}

impl Selector {
    pub(crate) fn fits(&self, candidate: Candidate<'_>) -> bool {
        let is = |wanted: &Option<String>, test: &dyn Fn(&str) -> bool| {
            wanted.as_deref().is_none_or(test)
        };
        is(&self.tag, &|tag| candidate.tags.iter().any(|one| one == tag))
            && is(&self.path, &|path| match path.strip_suffix('*') {
                Some(start) => candidate.path.starts_with(start),
                None => candidate.path == path,
            })
            && is(&self.operation, &|operation| {
                candidate.operation_id == Some(operation) || candidate.tool == operation
            })
            && is(&self.method, &|method| candidate.method.eq_ignore_ascii_case(method))
    }
}

/// Whether an operation is wanted: by `include`, when there is any, and not by `exclude`.
pub(crate) fn is_wanted(
    include: &[Selector],
    exclude: &[Selector],
    candidate: Candidate<'_>,
) -> bool {
    (include.is_empty() || include.iter().any(|one| one.fits(candidate)))
        && !exclude.iter().any(|one| one.fits(candidate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_names_operations_by_tag_path_operation_and_method() {
        let tags = ["orders".to_owned()];
        let candidate = Candidate {
            tags: &tags,
            path: "/orders/{id}",
            operation_id: Some("orders/get"),
            tool: "orders_get",
            method: "GET",
        };
        let tag = |tag: &str| Selector { tag: Some(tag.into()), ..Selector::default() };
        let path = |path: &str| Selector { path: Some(path.into()), ..Selector::default() };
        let operation = |one: &str| Selector { operation: Some(one.into()), ..Selector::default() };
        let cases = [
            (Selector::default(), true),
            (tag("orders"), true),
            (tag("pets"), false),
            (path("/orders/{id}"), true),
            (path("/orders"), false),
            (path("/orders*"), true),
            (path("/pets/*"), false),
            (operation("orders/get"), true),
            (operation("orders_get"), true),
            (operation("orders"), false),
            (Selector { method: Some("get".into()), ..tag("orders") }, true),
            (Selector { method: Some("post".into()), ..tag("orders") }, false),
        ];
        for (selector, expected) in cases {
            assert_eq!(selector.fits(candidate), expected, "{selector:?}");
        }
        assert!(is_wanted(&[], &[], candidate));
        assert!(!is_wanted(&[tag("pets")], &[], candidate));
        assert!(!is_wanted(&[tag("orders")], &[path("/orders/*")], candidate));
    }
}
