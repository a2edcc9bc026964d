//! Finds the triangles that a mirroring joint turned inside out.

use sinew::{Character, Frame, Mesh, MeshInstance};

/// The winding of an instance's triangles after deformation.
pub(super) enum Winding<'a> {
    /// The mesh follows one joint; true when that joint mirrors.
    Whole(bool),
    /// The mesh is skinned; for each skin slot, true when it mirrors.
    PerVertex(&'a Mesh, Vec<bool>),
}

impl<'a> Winding<'a> {
    pub(super) fn of(character: &'a Character, frame: &Frame, instance: &MeshInstance) -> Self {
        let mesh = character.mesh_of(instance);
        match (instance.skin, character.skin_of(instance)) {
            (Some(skin), Some(_)) => {
                let matrices = frame.palettes()[skin].matrices();
                let mirrors: Vec<bool> = matrices.iter().map(|m| m.matrix3.determinant() < 0.0).collect();
                if mirrors.contains(&true) { Self::PerVertex(mesh, mirrors) } else { Self::Whole(false) }
            }
            _ => Self::Whole(frame.model().joint(instance.joint).matrix3.determinant() < 0.0),
        }
    }

    /// The triangle, rewound if most of its corners follow joints that mirror.
    pub(super) fn apply(&self, triangle: [u32; 3]) -> [u32; 3] {
        let mirrored = match self {
            Self::Whole(mirrored) => *mirrored,
            Self::PerVertex(mesh, mirrors) => {
                triangle.iter().filter(|&&v| is_mirrored(mesh, mirrors, v as usize)).count() >= 2
            }
        };
        let [a, b, c] = triangle;
        if mirrored { [a, c, b] } else { [a, b, c] }
    }
}

/// True when more than half of a vertex's weight is on joints that mirror.
fn is_mirrored(mesh: &Mesh, mirrors: &[bool], vertex: usize) -> bool {
    let Some(weights) = mesh.weights() else { return false };
    let mirroring = weights.influences(vertex).filter(|i| mirrors[usize::from(i.slot)]);
    mirroring.map(|i| i.weight).sum::<f32>() > 0.5
}
