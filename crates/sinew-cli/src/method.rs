//! Deformation methods by name.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sinew::Method;

/// Parses the name of a method; help lists all of them.
pub(crate) fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(value)).map(|text| {
        let named = Method::ALL.into_iter().find(|&method| value(method).matches(&text, false));
        named.unwrap_or_else(|| unreachable!("the parser accepts only names of methods"))
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
