/// The results of `work(0)`, `work(1)`, … in order, computed one after the other.
#[cfg(any(test, not(feature = "rayon")))]
pub(super) fn in_order<T>(count: usize, work: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(work).collect()
}

/// The results of `work(0)`, `work(1)`, … in order, computed on all cores.
#[cfg(feature = "rayon")]
pub(super) fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    use rayon::prelude::*;
    // By reference: the work need not be Send.
    let work = &work;
    (0..count).into_par_iter().map(work).collect()
}

#[cfg(not(feature = "rayon"))]
pub(super) use in_order as map;

/// Both results, computed in parallel if there are free cores.
#[cfg(feature = "rayon")]
pub(super) use rayon::join;

/// Both results, computed one after the other.
#[cfg(not(feature = "rayon"))]
pub(super) fn join<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
    (first(), second())
}
