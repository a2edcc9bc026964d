//! Deformation methods by name.

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use sinew::{Method, NormalSource};

/// Parses the name of a method; help lists all of them.
pub(crate) fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(value)).map(|text| {
        let named = Method::ALL.into_iter().find(|&method| value(method).matches(&text, false));
        named.unwrap_or_else(|| unreachable!("the parser accepts only names of methods"))
    })
}

/// The option that says where normals come from.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct NormalArgs {
    /// Where normals come from: the joints that move a vertex, or the deformed surface around it.
    #[arg(id = "normals_from", long = "normals-from", default_value_t, value_name = "SOURCE", value_parser = normals_parser())]
    pub(crate) source: NormalSource,
}

fn normals_parser() -> impl TypedValueParser<Value = NormalSource> {
    PossibleValuesParser::new(NormalSource::ALL.map(NormalSource::name)).map(|text| {
        let named = NormalSource::ALL.into_iter().find(|source| source.name() == text);
        named.unwrap_or_default()
    })
}

/// The name of a method with its aliases, such as `stitch` for `rigid`.
fn value(method: Method) -> PossibleValue {
    PossibleValue::new(method.name()).aliases(method.aliases().iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stitch_is_an_older_name_of_rigid() {
        let command =
            || clap::Command::new("test").arg(clap::Arg::new("method").value_parser(method_parser()));
        for name in ["rigid", "stitch"] {
            let parsed = command().try_get_matches_from(["test", name]).unwrap();
            assert_eq!(parsed.get_one::<Method>("method"), Some(&Method::Rigid));
        }
    }
}
