//! Chance from one number.

/// `SplitMix64`: small, fast, and the same on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Starts from a number.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Draws 64 bits.
    pub(crate) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws a number below `end`; 0 when there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        usize::try_from(self.draw() % end).unwrap_or(0)
    }

    /// Draws a small number for a step.
    pub(crate) fn byte(&mut self) -> u8 {
        self.draw().to_be_bytes()[0]
    }

    /// Whether a chance of one in `of` comes up.
    pub(crate) fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_give_equal_draws() {
        let draws = |seed| {
            let mut dice = Dice::new(seed);
            [dice.draw(), dice.draw(), dice.draw()]
        };
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
        assert_eq!(Dice::new(1).below(0), 0);
    }
}
