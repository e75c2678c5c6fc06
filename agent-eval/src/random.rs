//! A random number generator whose numbers depend on the seed alone, on every machine.

/// The generator SplitMix64. Crates for random numbers may change the numbers of a seed from version to
/// version, and then a published report could not be reproduced.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below `below`, which must not be 0. The upper half of a product of 64 by 64
    /// bits prefers some numbers by less than one in 2^64 / `below`, which no experiment can notice.
    pub(crate) fn below(&mut self, below: usize) -> usize {
        ((u128::from(self.next()) * below as u128) >> 64) as usize
    }

    /// Puts items into a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_numbers_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        let numbers: [u64; 3] = std::array::from_fn(|_| random.next());
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn draws_every_number_about_equally_often() {
        let mut random = Random::new(1);
        let mut seen = [0_u32; 7];
        for _ in 0..70_000 {
            seen[random.below(7)] += 1;
        }
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
    }

    #[test]
    fn shuffles_into_every_order_and_keeps_all_items() {
        let mut random = Random::new(2);
        let mut orders = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let mut items = [1, 2, 3];
            random.shuffle(&mut items);
            orders.insert(items);
        }
        assert_eq!(orders.len(), 6);
        assert!(orders.iter().all(|order| order.iter().sum::<i32>() == 6));
    }
}
