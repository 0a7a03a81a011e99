use proptest::prelude::*;

use super::*;

fn names(sql: &str) -> Vec<String> {
    statements(sql)
        .unwrap()
        .into_iter()
        .flat_map(|statement| statement.parameters)
        .map(|parameter| parameter.name)
        .collect()
}

#[test]
fn parameters_are_found_only_where_the_database_finds_them() {
    let cases: &[(&str, &[&str], &str)] = &[
        ("select :a, :b_2, :a", &["a", "b_2", "a"], "each use is found, in order"),
        ("select ':a', 'it''s :b'", &[], "strings, with doubled quotes"),
        ("select E'it\\'s :a', :b", &["b"], "a string with backslashes"),
        ("select 'back\\', :b", &["b"], "a backslash means nothing in a plain string"),
        ("select \":a\", `:b`, [:c], :d", &["d"], "quoted names of three kinds"),
        ("select \"a\"\":b\", :c", &["c"], "a doubled quote in a name"),
        ("select 1 -- :a\n, :b", &["b"], "a comment to the end of the line"),
        ("select 1 /* :a */, :b", &["b"], "a comment"),
        ("select 1 /* x /* :a */ :b */, :c", &["c"], "comments nest"),
        ("select :a::text, b::int", &["a"], "casts"),
        ("select $$ :a $$, $x$ :b $$ :c $x$, :d", &["d"], "dollar quotes, with a tag"),
        ("select a[1:n], a[:n], b[ :m ]", &["n", "m"], "a slice is none, a subscript may be one"),
        ("select array[:a, :b]", &["a", "b"], "an array of parameters"),
        ("select x where a=:a", &["a"], "straight after an operator"),
        ("select :año", &["año"], "letters beyond ASCII"),
        ("x := :a", &["a"], "an assignment"),
        ("select a->>'$.x', b @> c, d @@ e, :f", &["f"], "operators with @ and $ in a string"),
        ("select a$b, :c", &["c"], "a dollar inside a name"),
        ("select ':a' ':b' '' :c", &["c"], "an empty string"),
        ("select 1 - -1, 4/2, :a", &["a"], "what is nearly a comment"),
    ];
    for (sql, expected, why) in cases {
        assert_eq!(names(sql), *expected, "{why}: {sql}");
    }
}

#[test]
fn what_cannot_be_used_is_named_with_its_place() {
    let placeholder =
        |found: &str, offset| SqlError::Placeholder { found: found.to_owned(), offset };
    let open = |what, offset| SqlError::Unterminated { what, offset };
    let control =
        |word: &str, offset| SqlError::TransactionControl { word: word.to_owned(), offset };
    let cases = [
        ("select ?", placeholder("?", 7)),
        ("select ?12, 1", placeholder("?12", 7)),
        ("select @name", placeholder("@name", 7)),
        ("select $1", placeholder("$1", 7)),
        ("select $name", placeholder("$name", 7)),
        ("select :1", placeholder(":1", 7)),
        ("select 'a", open(Delimited::Text, 7)),
        ("select 'a''", open(Delimited::Text, 7)),
        ("select \"a", open(Delimited::QuotedName, 7)),
        ("select [a", open(Delimited::QuotedName, 7)),
        ("select /* /* */", open(Delimited::Comment, 7)),
        ("select $a$ $b$", open(Delimited::DollarQuote, 7)),
        ("select 1;\n COMMIT", control("commit", 11)),
        ("begin; select 1", control("begin", 0)),
        ("select 1\0", SqlError::Nul { offset: 8 }),
    ];
    for (sql, expected) in cases {
        let error = statements(sql).unwrap_err();
        assert_eq!(error, expected, "{sql:?}");
        assert!(error.offset() <= sql.len());
    }
}

#[test]
fn statements_are_cut_at_semicolons_that_count() {
    let cases: &[(&str, &[&str], &str)] = &[
        ("select 1; select 2", &["select 1", "select 2"], "two"),
        (" select 1 ; ; -- no more\n", &["select 1"], "empty ones are left out"),
        ("-- nothing", &[], "comments alone"),
        ("", &[], "nothing"),
        ("select ';'; select \";\" /* ; */", &["select ';'", "select \";\""], "quoted semicolons"),
        (
            "create trigger t after insert on a begin select 1; select 2; end; select 3",
            &["create trigger t after insert on a begin select 1; select 2; end", "select 3"],
            "a trigger is one statement",
        ),
    ];
    for (sql, expected, why) in cases {
        let texts: Vec<String> =
            statements(sql).unwrap().into_iter().map(|statement| statement.text).collect();
        assert_eq!(texts, *expected, "{why}");
    }
}

#[test]
fn a_statement_is_a_query_only_when_it_surely_reads() {
    let cases: &[(&str, bool, &str)] = &[
        ("select 1", true, "a select"),
        ("SELECT a FROM t", true, "capitals"),
        ("values (1)", true, "a row"),
        ("/* insert */ select 'delete'", true, "words in comments and strings"),
        ("with a as (select 1) select * from a", true, "a with that reads"),
        ("with a as (select 1) insert into b select * from a", false, "a with that writes"),
        ("with a as (delete from b returning *) select * from a", false, "a writing part"),
        ("with r as (select replace(a, 'x', 'y') from t) select * from r", true, "a function"),
        ("select (replace(a, 'x', 'y')) from t", true, "a function in parentheses"),
        ("select * into b from a", false, "it makes a table"),
        ("select * from a for update", false, "it locks"),
        ("explain query plan select 1", true, "a plan"),
        ("explain analyze delete from a", false, "an explain that runs"),
        ("insert into a values (1)", false, "an insert"),
        ("update a set b = 1 returning b", false, "an update"),
        ("pragma user_version = 3", false, "a pragma may write"),
        ("create table a (b)", false, "a table"),
        ("vacuum", false, "in doubt"),
    ];
    for (sql, expected, why) in cases {
        assert_eq!(statements(sql).unwrap()[0].is_query, *expected, "{why}: {sql}");
        assert_eq!(is_read_only(sql), Ok(*expected), "{why}: {sql}");
    }
    assert_eq!(is_read_only("-- nothing"), Ok(false));
    assert_eq!(is_read_only("select 1; delete from a"), Ok(false));
}

#[test]
fn json_columns_are_told_by_how_they_are_written() {
    /// SQL; whether each column is JSON and named; why.
    type Case = (&'static str, &'static [(bool, bool)], &'static str);
    let cases: &[Case] = &[
        ("select json_object('a', 1)", &[(true, false)], "a call"),
        ("select a, json_group_array(b) as items", &[(false, false), (true, true)], "a name"),
        ("select json_array(1) x from t", &[(true, true)], "a name without `as`"),
        ("select t.a, \"b\" from t", &[(false, false), (false, false)], "plain columns"),
        ("select json_extract(a, '$.b')", &[(false, false)], "may give bare text"),
        ("select json_object('a', 1) || ''", &[(false, false)], "made of more"),
        ("select (select json_object('a', 1) from t) as x", &[(true, true)], "a subquery"),
        ("select (select a from t) as x", &[(false, true)], "another subquery"),
        (
            "select case when a then json_object('error', b) else json_array() end as json",
            &[(true, true)],
            "each branch",
        ),
        ("select case when a then b else json_array() end", &[(false, false)], "one branch is not"),
        ("select coalesce(json_group_array(a), '[]') as x", &[(true, true)], "with a default"),
        ("select coalesce(a, '[]') as x", &[(false, true)], "a column with a default"),
        (
            "select json_group_array(a) filter (where a > 1) as x from t",
            &[(true, true)],
            "an aggregate with a filter",
        ),
        (
            "select json_array(1) union all select a from t",
            &[(false, false)],
            "the other half is not",
        ),
        (
            "insert into t values (1) returning id, json_object('id', id) as x",
            &[(false, false), (true, true)],
            "returning",
        ),
        ("select *, json_array(1) as x from t", &[], "they cannot be counted"),
        ("with a as (select 1) select distinct json_array(1) from a", &[(true, false)], "with"),
        ("delete from t", &[], "none"),
    ];
    for (sql, expected, why) in cases {
        let expected: Vec<ResultColumn> =
            expected.iter().map(|&(json, named)| ResultColumn { json, named }).collect();
        assert_eq!(statements(sql).unwrap()[0].columns, expected, "{why}: {sql}");
    }
}

#[test]
fn offsets_point_at_the_colon_in_the_whole_text() {
    let sql = "select 1;\n select 'ñ', :a;";
    let found = statements(sql).unwrap();
    assert_eq!(&sql[found[1].parameters[0].offset..], ":a;");
    assert_eq!(&sql[found[1].offset..found[1].offset + 6], "select");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(sql in "(?s).{0,60}") {
        drop(statements(&sql));
    }

    #[test]
    fn no_text_of_its_own_marks_makes_it_panic(
        sql in r"(select|with|case|end|json_array|then|as|[\[\](){}'`:;$@?*/,.\x22 aé1\n\\-]){0,30}"
    ) {
        if let Ok(found) = statements(&sql) {
            for statement in found {
                prop_assert_eq!(
                    &sql[statement.offset..statement.offset + statement.text.len()],
                    statement.text.as_str()
                );
                for parameter in statement.parameters {
                    prop_assert!(sql[parameter.offset + 1..].starts_with(&parameter.name));
                }
            }
        }
    }

    #[test]
    fn a_parameter_inside_a_string_is_never_found(inside in "(?s)[^\0]{0,40}") {
        let quoted = inside.replace('\'', "''");
        prop_assert_eq!(names(&format!("select '{quoted} :no' as a, :yes")), ["yes"]);
    }
}
