//! When an event happened and the chance it brought along.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::Timestamp;
use crate::canonical::hex;

/// 128 random bits drawn by the shell, one for each event. Written as 32 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seed(pub u128);

impl From<Seed> for String {
    fn from(seed: Seed) -> Self {
        format!("{:032x}", seed.0)
    }
}

impl TryFrom<String> for Seed {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u128::from_str_radix(&text, 16).map(Self)
    }
}

/// What the shell adds to an event: when, and 128 random bits. Kept with the event, so that the
/// same event gives the same effects whenever it is played again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// When the event happened.
    pub at: Timestamp,
    /// The chance that ids are made from.
    pub seed: Seed,
}

/// Makes the ids that one event needs, each unguessable and none equal to another.
///
/// ```
/// use manos_model::{Ids, Seed};
/// let mut ids = Ids::new(Seed(7));
/// let first = ids.next_hex();
/// assert_eq!(first.len(), 32);
/// assert_ne!(first, ids.next_hex());
/// assert_eq!(Ids::new(Seed(7)).next_hex(), first);
/// ```
#[derive(Debug)]
pub struct Ids {
    seed: Seed,
    made: u64,
}

impl Ids {
    /// Starts with the chance of one event.
    pub fn new(seed: Seed) -> Self {
        Self { seed, made: 0 }
    }

    /// Returns the next id: 128 bits as 32 lower-case hex digits.
    pub fn next_hex(&mut self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.seed.0.to_be_bytes());
        hasher.update(self.made.to_be_bytes());
        self.made += 1;
        hex(&hasher.finalize()[..16])
    }
}
