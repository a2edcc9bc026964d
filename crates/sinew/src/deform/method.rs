//! The list of deformation methods.
//!
//! The properties of a method are defined in its own module under [`methods`](super::methods); this file only lists the
//! methods. To add one, add its module and a variant here: the compiler points at every other place that must handle it.

use super::methods::{
    KernelFn, MethodDefinition, ReferenceFn, contact, cor, ddm, delta_mush, dual_quat, linear, rigid, slerp,
};
use crate::{asset::precomputed::Precomputed, bounds::BoundsRule};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// A deformation method for skinned meshes.
///
/// The enum is exhaustive on purpose, although methods may be added: code that maps methods to shaders or settings then
/// fails to compile, where a wildcard arm would silently run another method.
#[doc(alias = "skinning")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Rigid skinning: every vertex follows its strongest joint alone.
    #[doc(alias = "stitch")]
    Rigid,
    /// Linear blend skinning: matrices are blended by weight.
    #[default]
    #[doc(alias = "LBS")]
    Linear,
    /// Quaternion blend: rotations are interpolated about the joint where the influences meet.
    Slerp,
    /// Dual quaternion skinning: rigid motions are blended as dual quaternions, scale and shear before them as matrices.
    /// A mesh with a [`BlendMap`](crate::BlendMap) mixes it with linear blend skinning, vertex by vertex.
    #[doc(alias = "DQS")]
    DualQuat,
    /// Optimized centers of rotation: rotations are blended about a precomputed center of each vertex.
    Cor,
    /// Contact skinning: dual quaternion skinning whose limbs keep their radius and fold without passing through themselves.
    Contact,
    /// Delta mush: linear blend skinning, smoothed, with the lost detail restored.
    DeltaMush,
    /// Direct delta mush: delta mush in one step, from precomputed smoothed moments.
    Ddm,
}

impl Method {
    /// All methods, in order of declaration.
    pub const ALL: [Self; 8] = [
        Self::Rigid,
        Self::Linear,
        Self::Slerp,
        Self::DualQuat,
        Self::Cor,
        Self::Contact,
        Self::DeltaMush,
        Self::Ddm,
    ];

    const fn definition(self) -> &'static MethodDefinition {
        match self {
            Self::Rigid => &rigid::DEFINITION,
            Self::Linear => &linear::DEFINITION,
            Self::Slerp => &slerp::DEFINITION,
            Self::DualQuat => &dual_quat::DEFINITION,
            Self::Cor => &cor::DEFINITION,
            Self::Contact => &contact::DEFINITION,
            Self::DeltaMush => &delta_mush::DEFINITION,
            Self::Ddm => &ddm::DEFINITION,
        }
    }

    /// The name on the command line and in files.
    pub const fn name(self) -> &'static str {
        self.definition().name
    }

    /// Other names that are accepted when a method is parsed.
    pub const fn aliases(self) -> &'static [&'static str] {
        self.definition().aliases
    }

    /// The method's name in prose, such as "Dual quaternion skinning".
    pub const fn title(self) -> &'static str {
        self.definition().title
    }

    /// The cost per vertex, in one phrase.
    pub const fn cost(self) -> &'static str {
        self.definition().cost
    }

    /// True if the method needs the joints' rotations, and therefore a [`DualQuatPalette`](crate::DualQuatPalette).
    pub const fn needs_dual_quats(self) -> bool {
        self.definition().needs_dual_quats
    }

    /// True if a SIMD kernel exists; other methods run their reference.
    pub const fn has_kernel(self) -> bool {
        self.definition().kernel.is_some()
    }

    /// The name of the data that [`Precomputed`] must contain, or `None` if the method needs none.
    pub const fn needs_precomputed(self) -> Option<&'static str> {
        match &self.definition().precomputed {
            Some(need) => Some(need.what),
            None => None,
        }
    }

    /// True if `precomputed` contains what the method needs.
    pub fn is_ready(self, precomputed: &Precomputed) -> bool {
        self.definition().precomputed.as_ref().is_none_or(|need| (need.is_present)(precomputed))
    }

    pub(super) const fn reference(self) -> ReferenceFn {
        self.definition().reference
    }

    pub(super) const fn kernel(self) -> Option<KernelFn> {
        self.definition().kernel
    }

    pub(crate) const fn bounds_rule(self) -> BoundsRule {
        self.definition().bounds
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a name that is not the name of a method.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("unknown method {0:?}; the methods are {list}", list = Method::ALL.map(Method::name).join(", "))]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let is_called = |method: &Self| method.name() == name || method.aliases().contains(&name);
        Self::ALL.into_iter().find(is_called).ok_or_else(|| UnknownMethod(name.into()))
    }
}

/// A method is written as its name.
#[cfg(feature = "serde")]
impl serde::Serialize for Method {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Method {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_method_is_listed_once_and_its_names_parse_back_to_it() {
        let mut names = HashSet::new();
        for method in Method::ALL {
            for &name in [method.name()].iter().chain(method.aliases()) {
                assert!(names.insert(name), "{name} is used twice");
                assert_eq!(name.parse(), Ok(method));
            }
            assert!(!method.title().is_empty() && !method.cost().is_empty());
        }
        assert_eq!("stitch".parse(), Ok(Method::Rigid));
        assert_eq!("Linear".parse::<Method>(), Err(UnknownMethod("Linear".into())));
    }

    #[test]
    fn a_method_is_ready_without_data_only_where_it_needs_none() {
        for method in Method::ALL {
            assert_eq!(method.is_ready(&Precomputed::NONE), method.needs_precomputed().is_none());
        }
    }
}
