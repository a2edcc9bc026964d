//! The instruction sets that kernels run on.
//!
//! A [`Level`] proves that the machine has an instruction set: it comes from detection, so kernels that take one need no
//! `unsafe`. One generic kernel is compiled for every level and the caller selects one: [`best`] for work, [`available`]
//! to test or measure all of them.
//!
//! Poses and palettes are bit-identical on all levels. Deformed vertices are bit-identical within scalar and SSE4.2, and
//! within AVX2 and AVX-512; between the two groups they differ by up to 1e-5 of the size of the mesh, because only the
//! second fuses products with sums.

use fearless_simd::Level as Token;
use std::fmt;

/// The names of all levels on all machines, from the narrowest to the widest.
pub const NAMES: [&str; 6] = ["scalar", "sse4.2", "avx2", "avx512", "neon", "simd128"];

/// An instruction set that this machine has.
///
/// Wraps the token of the `fearless_simd` crate, which stays a private dependency: its versions can change without
/// breaking code that uses this one.
#[derive(Clone, Copy)]
pub struct Level(Token);

impl Level {
    /// Plain scalar code, available on every machine.
    pub const fn scalar() -> Self {
        Self(Token::fallback())
    }

    /// The name in benches and on the command line, one of [`NAMES`].
    ///
    /// SSE2 alone counts as scalar: nearly every machine with it has SSE4.2 too, so no kernel is compiled for it.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Token::Avx512(_) => "avx512",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Token::Avx2(_) => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Token::Sse4_2(_) => "sse4.2",
            #[cfg(target_arch = "aarch64")]
            Token::Neon(_) => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Token::WasmSimd128(_) => "simd128",
            // The token's variants differ from target to target.
            _ => "scalar",
        }
    }

    #[inline(always)]
    pub(crate) const fn token(self) -> Token {
        self.0
    }

    /// The AVX2 token, on AVX-512 machines too.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn as_avx2(self) -> Option<fearless_simd::x86::Avx2> {
        self.0.as_avx2()
    }

    #[inline(always)]
    pub(crate) fn is_fallback(self) -> bool {
        self.0.is_fallback()
    }
}

impl PartialEq for Level {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Level {}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Level({})", self.name())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The widest level of this machine.
pub fn best() -> Level {
    Level(Token::new())
}

/// Every level that this machine can run, from the narrowest to the widest.
pub fn available() -> impl Iterator<Item = Level> {
    [Some(Level::scalar())].into_iter().chain(native()).flatten()
}

/// The level called `name`, or `None` if this machine does not have it or no level has that name.
pub fn find(name: &str) -> Option<Level> {
    available().find(|level| level.name() == name)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn native() -> [Option<Level>; 3] {
    let best = best().0;
    let levels = [
        best.as_sse4_2().map(Token::Sse4_2),
        best.as_avx2().map(Token::Avx2),
        best.as_avx512().map(Token::Avx512),
    ];
    levels.map(|level| level.map(Level))
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn native() -> [Option<Level>; 1] {
    [Some(best()).filter(|level| !level.is_fallback())]
}

/// Runs `$body` with `$simd` bound to the token of `$level`, compiled once for every level.
///
/// Like the SIMD crate's own dispatch, without the SSE2 level.
macro_rules! dispatch {
    ($level:expr, $simd:ident => $body:expr) => {{
        use fearless_simd::Simd as _;
        match $level.token() {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Avx512($simd) => $simd.vectorize(
                #[inline(always)]
                || $body,
            ),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Avx2($simd) => $simd.vectorize(
                #[inline(always)]
                || $body,
            ),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Sse4_2($simd) => $simd.vectorize(
                #[inline(always)]
                || $body,
            ),
            #[cfg(target_arch = "aarch64")]
            fearless_simd::Level::Neon($simd) => $simd.vectorize(
                #[inline(always)]
                || $body,
            ),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            fearless_simd::Level::WasmSimd128($simd) => $simd.vectorize(
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
        assert_eq!(available().last(), Some(best()));
    }

    #[test]
    fn every_available_level_is_found_by_its_name_and_no_other_is() {
        let names: Vec<&str> = available().map(Level::name).collect();
        assert_eq!(names[0], "scalar");
        for candidate in NAMES {
            assert_eq!(find(candidate).map(Level::name), names.contains(&candidate).then_some(candidate));
        }
        assert!(find("mmx").is_none());
    }
}
