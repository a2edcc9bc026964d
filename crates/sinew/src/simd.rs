//! Which instructions the kernels run on.
//!
//! A [`Level`] is a proof that the machine has an instruction set: it comes from detection, never from a guess, so
//! kernels that take one need no `unsafe`. One generic kernel is compiled for every level, and the caller says which one
//! to run: [`best`] for work, [`available`] to test or to measure all of them.

pub use fearless_simd::Level;

/// The names of all levels on all machines, from the plainest to the widest.
pub const NAMES: [&str; 6] = ["scalar", "sse4.2", "avx2", "avx512", "neon", "simd128"];

/// The widest level of this machine.
pub fn best() -> Level {
    Level::new()
}

/// The name of `level`, as benches and the command line spell it.
///
/// SSE2 alone counts as scalar: every machine with it but the very first ones has SSE4.2 too, and a kernel for it would
/// be compiled for nobody.
pub fn name(level: Level) -> &'static str {
    match level {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Avx512(_) => "avx512",
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Avx2(_) => "avx2",
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Sse4_2(_) => "sse4.2",
        #[cfg(target_arch = "aarch64")]
        Level::Neon(_) => "neon",
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Level::WasmSimd128(_) => "simd128",
        _ => "scalar",
    }
}

/// Every level that this machine can run, from the plainest to the widest.
pub fn available() -> impl Iterator<Item = Level> {
    [Some(Level::fallback())].into_iter().chain(native()).flatten()
}

/// The level called `name`, or `None` where this machine has not got it or nothing is called that.
pub fn find(name: &str) -> Option<Level> {
    available().find(|&level| self::name(level) == name)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn native() -> [Option<Level>; 3] {
    let best = best();
    [
        best.as_sse4_2().map(Level::Sse4_2),
        best.as_avx2().map(Level::Avx2),
        best.as_avx512().map(Level::Avx512),
    ]
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn native() -> [Option<Level>; 1] {
    [Some(best()).filter(|level| !level.is_fallback())]
}

/// Runs `$body` with `$simd` bound to the token of `$level`, compiled once for every level.
///
/// Like the SIMD crate's own dispatch, less the SSE2 level.
macro_rules! dispatch {
    ($level:expr, $simd:ident => $body:expr) => {{
        use fearless_simd::Simd as _;
        match $level {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::simd::Level::Avx512($simd) => $simd.vectorize(
                #[inline(always)]
                || $body,
            ),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::simd::Level::Avx2($simd) => $simd.vectorize(
                #[inline(always)]
                || $body,
            ),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::simd::Level::Sse4_2($simd) => $simd.vectorize(
                #[inline(always)]
                || $body,
            ),
            #[cfg(target_arch = "aarch64")]
            $crate::simd::Level::Neon($simd) => $simd.vectorize(
                #[inline(always)]
                || $body,
            ),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::simd::Level::WasmSimd128($simd) => $simd.vectorize(
                #[inline(always)]
                || $body,
            ),
            _ => {
                let $simd = fearless_simd::Fallback::new();
                $simd.vectorize(
                    #[inline(always)]
                    || $body,
                )
            }
        }
    }};
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_level_is_the_last_available() {
        let last = available().last().unwrap();
        assert_eq!(name(last), name(best()));
    }

    #[test]
    fn every_available_level_is_found_by_its_name_and_no_other_is() {
        let names: Vec<&str> = available().map(name).collect();
        assert_eq!(names[0], "scalar");
        for candidate in NAMES {
            assert_eq!(find(candidate).map(name), names.contains(&candidate).then_some(candidate));
        }
        assert!(find("mmx").is_none());
    }
}
