/// The results of `work(0)`, `work(1)`, … in order, computed on all cores where the `rayon` feature is on.
#[cfg(feature = "rayon")]
pub(super) fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    use rayon::prelude::*;
    #[allow(clippy::redundant_closure, reason = "by reference: the work need not be Send")]
    (0..count).into_par_iter().map(|index| work(index)).collect()
}

/// The results of `work(0)`, `work(1)`, … in order.
#[cfg(not(feature = "rayon"))]
pub(super) fn map<T>(count: usize, work: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(|index| work(index)).collect()
}
