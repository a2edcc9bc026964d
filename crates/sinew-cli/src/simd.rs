//! `--simd`: the instruction set that kernels run on.

use sinew::simd::{self, Level};
use std::sync::OnceLock;

/// The level of this process: a command line is one command.
static CHOSEN: OnceLock<Level> = OnceLock::new();

/// The level that [`SimdArgs::choose`] was called for, or the widest of this machine.
pub(crate) fn chosen() -> Level {
    CHOSEN.get().copied().unwrap_or_else(simd::best)
}

/// The choice of a SIMD level, for verbs that deform vertices.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct SimdArgs {
    /// The instruction set that kernels run on, to compare levels: scalar, sse4.2, avx2, avx512, neon. Without it, the
    /// widest of this machine.
    #[arg(long, global = true, value_name = "LEVEL", value_parser = parse)]
    simd: Option<Level>,
}

impl SimdArgs {
    /// The level to deform at.
    pub(crate) fn level(self) -> Level {
        self.simd.unwrap_or_else(simd::best)
    }

    /// Makes this the level of [`chosen`], for a verb whose jobs all use it.
    pub(crate) fn choose(self) {
        CHOSEN.get_or_init(|| self.level());
    }

    /// The levels to measure: the chosen one, or all of this machine.
    pub(crate) fn levels(self) -> Vec<Level> {
        self.simd.map_or_else(|| simd::available().collect(), |level| vec![level])
    }
}

fn parse(name: &str) -> Result<Level, String> {
    let name = name.to_ascii_lowercase();
    simd::find(&name).ok_or_else(|| {
        let levels: Vec<_> = simd::available().map(Level::name).collect();
        let problem = if simd::NAMES.contains(&name.as_str()) { "not on this machine" } else { "unknown" };
        format!("{problem}: must be one of {}", levels.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_found_by_its_name_and_others_are_refused_with_the_choice() {
        assert_eq!(parse("Scalar"), Ok(Level::scalar()));
        let refused = parse("mmx").unwrap_err();
        assert!(refused.starts_with("unknown") && refused.contains("scalar"), "{refused}");
        let missing = simd::NAMES.into_iter().find(|name| simd::find(name).is_none());
        assert!(missing.is_some_and(|name| parse(name).unwrap_err().contains("not on this machine")));
    }
}
