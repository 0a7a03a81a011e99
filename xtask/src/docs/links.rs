//! Links between files of the checkout. Links to other places are not followed.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::{markdown, place};
use crate::repo::Repo;

/// One complaint per link that leads nowhere.
pub(super) fn check(repo: &Repo, page: &Path, text: &str) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let folder = repo.root.join(page.parent().unwrap_or(Path::new("")));
    for (line, target) in markdown::links(text) {
        if is_elsewhere(&target) {
            continue;
        }
        let (file, fragment) = target.split_once('#').unwrap_or((&target, ""));
        let path = if file.is_empty() { repo.root.join(page) } else { folder.join(file) };
        if !path.exists() {
            wrong.push(format!("{}: the link to {target} leads nowhere", place(page, line)));
        } else if !fragment.is_empty()
            && path.extension().is_some_and(|extension| extension == "md")
            && !markdown::anchors(&fs::read_to_string(&path)?).contains(&fragment.to_owned())
        {
            wrong.push(format!("{}: {file} has no heading for #{fragment}", place(page, line)));
        }
    }
    Ok(wrong)
}

fn is_elsewhere(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_must_lead_to_a_file_and_to_a_heading_of_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("docs")).unwrap();
        fs::write(folder.path().join("docs/b.md"), "# One thing\n").unwrap();
        let repo = Repo { root: folder.path().to_owned() };
        let page = Path::new("docs/a.md");
        fs::write(folder.path().join(page), "# Self\n").unwrap();

        let cases = [
            ("[x](b.md)", None),
            ("[x](b.md#one-thing)", None),
            ("[x](#self)", None),
            ("[x](../docs)", None),
            ("[x](https://example.com/none.md)", None),
            ("[x](c.md)", Some("docs/a.md:1: the link to c.md leads nowhere")),
            ("[x](b.md#two)", Some("docs/a.md:1: b.md has no heading for #two")),
        ];
        for (text, expected) in cases {
            let wrong = check(&repo, page, text).unwrap();
            assert_eq!(wrong.first().map(String::as_str), expected, "{text}");
        }
    }
}
