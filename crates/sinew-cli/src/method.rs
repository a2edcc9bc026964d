//! Deformation methods by name.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use sinew::Method;

/// Parses the name of a method; help lists all of them.
pub(crate) fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name))
        .map(|name| name.parse().unwrap_or_else(|_| unreachable!("the parser lists every method's own name")))
}
