//! The part of a campaign that one child runs.

use std::time::Duration;

/// Case numbers at equal distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    /// The number of the first case.
    pub first: u64,
    /// The distance between two numbers.
    pub step: u64,
    /// The number of cases.
    pub count: u64,
    /// When to stop before that.
    pub time: Option<Duration>,
}

impl Batch {
    /// The numbers of the cases.
    pub fn numbers(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |k| self.first + k * self.step)
    }

    /// What is left behind the case `number`, with `used` of the time gone.
    #[must_use]
    pub fn after(self, number: u64, used: Duration) -> Self {
        let done = (number - self.first) / self.step + 1;
        let (first, count) = (self.first + done * self.step, self.count.saturating_sub(done));
        Self { first, count, time: self.time.map(|time| time.saturating_sub(used)), ..self }
    }

    /// True if there is nothing to run.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.count == 0 || self.time == Some(Duration::ZERO)
    }

    /// The batch as arguments of the child.
    #[must_use]
    pub fn to_arguments(self) -> [String; 4] {
        let millis = self.time.map_or(u64::MAX, |time| time.as_millis() as u64);
        [self.first, self.step, self.count, millis].map(|number| number.to_string())
    }

    /// Reads the arguments of a child.
    #[must_use]
    pub fn from_arguments(arguments: &[String]) -> Option<Self> {
        let [first, step, count, millis] = arguments else { return None };
        let time = millis.parse().ok().filter(|&millis| millis != u64::MAX).map(Duration::from_millis);
        Some(Self { first: first.parse().ok()?, step: step.parse().ok()?, count: count.parse().ok()?, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_batch_begins_behind_the_case_that_ended_it() {
        let batch = Batch { first: 3, step: 20, count: 4, time: None };
        assert_eq!(batch.numbers().collect::<Vec<_>>(), [3, 23, 43, 63]);
        let rest = batch.after(23, Duration::ZERO);
        assert_eq!(rest.numbers().collect::<Vec<_>>(), [43, 63]);
        assert!(batch.after(63, Duration::ZERO).is_empty());
    }

    #[test]
    fn a_child_reads_what_its_parent_wrote() {
        for time in [None, Some(Duration::from_millis(1500))] {
            let batch = Batch { first: 3, step: 20, count: 4, time };
            assert_eq!(Batch::from_arguments(&batch.to_arguments()), Some(batch));
        }
    }
}
