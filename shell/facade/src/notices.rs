//! From the agent file to those who are told what happened.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use manos_config::{AgentFile, Notice};
use manos_model::{NoticeEndpointId, NoticeEventId, NoticeTrouble, Secret};
use manos_net::HttpClient;
use manos_notices::{Chance, Endpoint, HttpPost, Notices, NoticesParts, Post as _};
use manos_ports::{Clock as _, Store};
use manos_runtime::{Chance as _, SystemChance, SystemClock};
use manos_wire_tool::address::Target;
use manos_wire_tool::mask::Masker;
use manos_wire_tool::notice::{Wanted, endpoint_id, test_body};
use manos_wire_tool::signing::{HeaderNames, Signer};

use crate::http::HttpSetupError;
use crate::{OpenError, network};

/// How often a test is sent to an endpoint that does not take it.
pub const TEST_ATTEMPTS_MAX: u32 = 2;

/// How long after a test that failed it is sent once more.
const TEST_WAIT: Duration = Duration::from_secs(1);

/// An endpoint that the file names, as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeAddress {
    /// Its id in the store.
    pub id: NoticeEndpointId,
    /// Its address without query and without secrets.
    pub address: String,
}

/// What came of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeTest {
    /// The endpoint.
    pub address: String,
    /// The notice.
    pub event_id: NoticeEventId,
    /// How often it was sent.
    pub attempts: u32,
    /// Why it did not arrive; `None` when it did.
    pub trouble: Option<NoticeTrouble>,
    /// The status of the last answer, when there was one.
    pub http_status: Option<u16>,
}

/// Puts together who is told; nobody when the file names none.
pub(crate) fn notices(
    file: &AgentFile,
    secrets: &[Secret<String>],
    client: HttpClient,
    store: Arc<dyn Store>,
) -> Result<Option<Arc<Notices>>, HttpSetupError> {
    let endpoints = endpoints(file, secrets)?;
    if endpoints.is_empty() {
        return Ok(None);
    }
    let post = HttpPost { client, names: HeaderNames::new(&file.signing_prefix)? };
    Ok(Some(Arc::new(Notices::new(NoticesParts {
        agent: file.name.clone(),
        store,
        endpoints,
        post: Arc::new(post),
        clock: Arc::new(SystemClock),
        chance: chance(),
    }))))
}

/// The endpoints that this file's agent tells.
fn endpoints(
    file: &AgentFile,
    secrets: &[Secret<String>],
) -> Result<Vec<Endpoint>, HttpSetupError> {
    let ours = |notice: &&Notice| notice.agent.as_deref().is_none_or(|of| of == file.name.as_str());
    let masker = Masker::new(secrets.iter().cloned());
    file.notices.iter().filter(ours).map(|notice| endpoint(file, notice, &masker)).collect()
}

fn endpoint(
    file: &AgentFile,
    notice: &Notice,
    masker: &Masker,
) -> Result<Endpoint, HttpSetupError> {
    let target = Target::parse(notice.url.expose())?;
    let signer = if notice.secrets.is_empty() { None } else { Some(Signer::new(&notice.secrets)?) };
    let id = endpoint_id(&file.name, &target);
    Ok(Endpoint {
        label: label(&target, &id, masker),
        id,
        wanted: Wanted { kinds: notice.events.iter().cloned().collect() },
        target,
        signer,
    })
}

/// An address without its query, where keys stand, and without what came from a variable; two that
/// look alike then are told apart by their ids.
fn label(target: &Target, id: &NoticeEndpointId, masker: &Masker) -> String {
    let url = target.url();
    match masker.mask(url.split('?').next().unwrap_or_default()) {
        Cow::Borrowed(plain) => plain.to_owned(),
        Cow::Owned(masked) => format!("{masked} ({id})"),
    }
}

/// Returns the addresses that the file's agent tells, as people may read them.
///
/// # Errors
///
/// [`HttpSetupError`]; a file that was checked has none.
pub fn notice_addresses(
    file: &AgentFile,
    secrets: &[Secret<String>],
) -> Result<Vec<NoticeAddress>, HttpSetupError> {
    let named = |endpoint: Endpoint| NoticeAddress { id: endpoint.id, address: endpoint.label };
    Ok(endpoints(file, secrets)?.into_iter().map(named).collect())
}

/// Sends a test to every endpoint at once, and once more where it does not arrive. Nothing is kept
/// of it, and no status changes.
///
/// # Errors
///
/// [`OpenError`] when the file cannot be set up.
pub async fn test_notices(
    file: &AgentFile,
    secrets: &[Secret<String>],
) -> Result<Vec<NoticeTest>, OpenError> {
    let client = network::client(&file.network)?;
    let names = HeaderNames::new(&file.signing_prefix).map_err(HttpSetupError::from)?;
    let post = HttpPost { client, names };
    let chance = chance();
    let tests = endpoints(file, secrets)?.into_iter().map(|endpoint| {
        let event_id = NoticeEventId::new(format!("evt_{:016x}{:016x}", chance(), chance()));
        test(&post, endpoint, event_id, file.name.as_str())
    });
    Ok(join_all(tests).await)
}

async fn test(
    post: &HttpPost,
    endpoint: Endpoint,
    event_id: NoticeEventId,
    agent: &str,
) -> NoticeTest {
    let body = test_body(&event_id, agent);
    let mut attempts = 0;
    let posted = loop {
        attempts += 1;
        let posted = post.post(&endpoint, body.clone(), SystemClock.now()).await;
        if posted.trouble.is_none() || attempts >= TEST_ATTEMPTS_MAX {
            break posted;
        }
        tokio::time::sleep(TEST_WAIT).await;
    };
    let (trouble, http_status) = (posted.trouble, posted.http_status);
    NoticeTest { address: endpoint.label, event_id, attempts, trouble, http_status }
}

/// Half of the bits that the system draws.
fn chance() -> Chance {
    Arc::new(|| u64::try_from(SystemChance.draw().0 >> 64).unwrap_or_default())
}
