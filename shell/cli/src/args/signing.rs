//! What `manos sign` and `manos verify` take.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

/// The secrets of a signature, given or named.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct SecretArgs {
    /// A secret; other users of the machine may see it, so rather use --secret-env
    #[arg(long = "secret", value_name = "SECRET", num_args = 1.., value_parser = NonEmptyStringValueParser::new())]
    pub(crate) secrets: Vec<String>,
    /// The environment variable that holds a secret
    #[arg(long = "secret-env", value_name = "NAME", num_args = 1.., value_parser = NonEmptyStringValueParser::new())]
    pub(crate) variables: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SignArgs {
    #[command(flatten)]
    pub(crate) secrets: SecretArgs,
    /// The method
    #[arg(long, value_name = "METHOD", default_value = "POST", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) method: String,
    /// Path and query, exactly as they are sent
    #[arg(long, value_name = "PATH")]
    pub(crate) path: String,
    /// The time of the signature; now when left out
    #[arg(long, value_name = "UNIX", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) at: Option<i64>,
    /// What stands in the middle of the names of the headers
    #[arg(long, value_name = "PREFIX", default_value = manos::signing::DEFAULT_PREFIX)]
    pub(crate) prefix: String,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) secrets: SecretArgs,
    /// The method
    #[arg(long, value_name = "METHOD", default_value = "POST", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) method: String,
    /// Path and query, exactly as they came
    #[arg(long, value_name = "PATH")]
    pub(crate) path: String,
    /// The value of the Signature-V2 header; left out when there was none
    #[arg(long, value_name = "VALUE")]
    pub(crate) header: Option<String>,
    /// The time at which the request came; now when left out
    #[arg(long, value_name = "UNIX", allow_negative_numbers = true)]
    pub(crate) now: Option<i64>,
}
