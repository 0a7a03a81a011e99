//! Pages held against a command made for the test.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

#[test]
fn output_matches_as_promised() {
    let cases = [
        ("the same", "a\nb", "a\nb", true),
        ("another line", "a\nb", "a\nc", false),
        ("a line too few", "a\nb", "a", false),
        ("a line too many", "a", "a\nb", false),
        ("any text inside a line", "id c_…, done", "id c_19ñ, done", true),
        ("two wildcards in a line", "… of …", "3 of 5", true),
        ("the end still counts", "id …, done", "id 5, failed", false),
        ("any lines", "a\n…\nz", "a\nb\nc\nz", true),
        ("no lines is any lines", "a\n…\nz", "a\nz", true),
        ("blank ends do not count", "a\n\n", "a", true),
        ("nothing promised, something said", "", "a", false),
    ];
    for (why, promised, found, expected) in cases {
        assert_eq!(matches(&lines(promised), &lines(found)), expected, "{why}");
    }
}

/// Checks a page against a command that echoes its arguments, and refuses the word `bad`.
fn wrong(page: &str) -> (Vec<String>, Ran) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("examples/bakery")).unwrap();
    fs::write(folder.path().join("examples/bakery/a.txt"), "hola\n").unwrap();
    let manos = folder.path().join("bin/manos");
    fs::create_dir(folder.path().join("bin")).unwrap();
    let script = "#!/bin/sh\ncase \"$*\" in *bad*) echo no >&2; exit 3;; esac\n\
        [ \"$1\" = check ] && exec grep -q good \"$2\"\necho \"said $*\"\n";
    fs::write(&manos, script).unwrap();
    fs::set_permissions(&manos, PermissionsExt::from_mode(0o755)).unwrap();
    let repo = Repo { root: folder.path().to_owned() };
    let mut ran = Ran::default();
    let blocks = crate::docs::markdown::blocks(page);
    let wrong = check(&repo, &manos, Path::new("a.md"), &blocks, &mut ran).unwrap();
    (wrong, ran)
}

#[test]
fn a_page_is_run_as_a_reader_would() {
    let page = "```console\n$ manos one\nsaid one\n$ cd examples/bakery\n$ cat a.txt\nhola\n\
        $ manos bad\nno\n[exit 3]\n```\n```console\n$ cat a.txt | manos two\nsaid …\n```\n\
        ```yaml agent\nname: good\n```\n```console\n$ cargo --version\n```\n```sh\nmanos bad\n```\n";
    let (wrong, ran) = wrong(page);
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!((ran.commands, ran.agents, ran.left_out), (5, 1, 1));
}

#[test]
fn what_differs_is_named_with_its_place() {
    let cases = [
        ("```console\n$ manos one\nsaid two\n```", "a.md:2: $ manos one"),
        ("```console\n$ manos bad\nno\n```", "a.md:2: $ manos bad"),
        ("```console\n$ manos x\nsaid x\n$ cd none\n```", "a.md:4: no folder none"),
        ("```yaml agent\nname: x\n```", "a.md:2: the agent file is refused:"),
    ];
    for (page, expected) in cases {
        let (wrong, _) = wrong(page);
        assert_eq!(wrong.len(), 1, "{page}: {wrong:?}");
        assert_eq!(wrong[0].lines().next(), Some(expected), "{page}");
    }
}

#[test]
fn a_command_runs_on_over_a_backslash() {
    let block = Block {
        info: "console".into(),
        line: 10,
        lines: lines("$ printf 'a' \\\n    | manos chat x.yaml\nout\n$ cd y"),
    };
    let found = commands(&block);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].text, "printf 'a' \\\n    | manos chat x.yaml");
    assert_eq!((found[0].line, &found[0].output), (10, &lines("out")));
    assert!(calls_manos(&found[0].text) && !calls_manos("cargo install manos"));
}

#[test]
fn variables_are_found_with_and_without_a_default() {
    assert_eq!(variables("a: ${ONE}\nb: ${TWO:-x}"), ["ONE", "TWO"]);
}
