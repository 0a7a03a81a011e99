//! `manos notices test`: whether notices arrive, without anything having happened.

use std::process::ExitCode;

use manos::model::NoticeTrouble;
use manos::{NoticeTest, test_notices};

use crate::agent_file::{self, Purpose};
use crate::args::FileArgs;
use crate::commands::block_on;
use crate::failure::Failure;
use crate::output;

pub(crate) fn test(args: &FileArgs) -> Result<ExitCode, Failure> {
    let file = agent_file::load(&args.file, Purpose::Look)?;
    block_on(async move {
        let tests = test_notices(&file.agent, &file.secrets).await?;
        if tests.is_empty() {
            return Err(Failure::failed("this file's agent tells nobody")
                .hint("name an endpoint: notices: [{ url: https://…, secret: \"${SECRET}\" }]"));
        }
        let mut rows = vec![["ENDPOINT", "EVENT", "ATTEMPTS", "RESULT"].map(str::to_owned)];
        rows.extend(tests.iter().map(row));
        output::table(&rows);
        let failed = tests.iter().filter(|test| test.trouble.is_some()).count();
        if failed == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        let whom =
            if failed == 1 { "1 endpoint".to_owned() } else { format!("{failed} endpoints") };
        Err(Failure::failed(format!("the test did not arrive at {whom}"))
            .hint("an endpoint takes a notice by answering 2xx within 30 s"))
    })
}

fn row(test: &NoticeTest) -> [String; 4] {
    let status = test.http_status.map(|status| status.to_string());
    let trouble = test.trouble.map(NoticeTrouble::as_str);
    let result = [trouble.map(str::to_owned), status].into_iter().flatten();
    [
        test.address.clone(),
        test.event_id.as_str().to_owned(),
        test.attempts.to_string(),
        result.collect::<Vec<_>>().join(" "),
    ]
}
