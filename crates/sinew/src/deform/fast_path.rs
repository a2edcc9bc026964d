//! The fast path: runs the kernel of a method if it has one, otherwise its reference, and reports which of the two ran.

use super::{
    Binding, DeformError, DeformScratch, Method, NormalSource, Surface, SurfaceMut,
    blocks::{PackedSkin, VertexOrder},
    kernel::SkinningPalette,
    methods::PosePalettes,
    reference, write_surface_normals,
};
use crate::{
    asset::mesh::Mesh,
    palette::{DualQuatPalette, Palette},
    range::InRange,
    simd::{self, Level},
};
use std::fmt;

/// The code path that deformed a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeformPath {
    /// The SIMD kernel of the method, at this level.
    Kernel(Level),
    /// The scalar reference, for this reason.
    Reference(ReferenceReason),
}

/// Why the scalar reference ran instead of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReferenceReason {
    /// The mesh has no skin: one matrix moves all of it, whatever the method.
    NoSkin,
    /// The method has no kernel.
    NoKernel,
    /// The mesh has tangents but no normals, which kernels do not support.
    TangentsWithoutNormals,
    /// The mesh has a blend map, and kernels of dual quaternion skinning do not read it.
    BlendMap,
    /// The smoothing of delta mush spreads over so many joints that its iterations are cheaper than a sum over them.
    WideSmoothing,
    /// The mesh is not packed, and [`DeformInput::without_packing`] prevents packing.
    NotPacked,
}

impl DeformPath {
    /// True if a kernel ran.
    pub const fn is_kernel(self) -> bool {
        match self {
            Self::Kernel(_) => true,
            Self::Reference(_) => false,
        }
    }
}

impl fmt::Display for DeformPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel(level) => write!(f, "{} kernel", level.name()),
            Self::Reference(reason) => write!(f, "reference ({reason})"),
        }
    }
}

impl fmt::Display for ReferenceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSkin => "the mesh has no skin",
            Self::NoKernel => "the method has no kernel",
            Self::TangentsWithoutNormals => "the mesh has tangents without normals",
            Self::BlendMap => "the mesh has a blend map",
            Self::WideSmoothing => "smoothing spreads over too many joints",
            Self::NotPacked => "the mesh is not packed",
        })
    }
}

/// A skinned mesh in a pose: the input of [`deform`].
#[derive(Clone, Copy, Debug)]
pub struct DeformInput<'a> {
    mesh: &'a Mesh,
    surface: Option<Surface<'a>>,
    pose: PosePalettes<'a>,
    packs: bool,
    level: Level,
    normals: NormalSource,
}

impl<'a> DeformInput<'a> {
    /// `mesh` in the pose of `palette`.
    pub fn new(mesh: &'a Mesh, palette: &'a Palette) -> Self {
        let pose = PosePalettes { matrices: palette, dual_quats: None };
        Self { mesh, surface: None, pose, packs: true, level: simd::best(), normals: NormalSource::Joints }
    }

    /// The same input with the pose as dual quaternions, for methods that [need it](Method::needs_dual_quats).
    #[must_use]
    pub fn with_dual_quats(mut self, dual_quats: &'a DualQuatPalette) -> Self {
        self.pose.dual_quats = Some(dual_quats);
        self
    }

    /// The same input with another shape of the mesh, such as a morphed one, in mesh space.
    #[must_use]
    pub fn with_surface(self, surface: Surface<'a>) -> Self {
        Self { surface: Some(surface), ..self }
    }

    /// The same input, but the reference runs if the mesh is not packed yet. Packing takes longer than several frames, so it
    /// is not worthwhile for a mesh that is deformed once, such as during a brush stroke.
    #[must_use]
    pub fn without_packing(self) -> Self {
        Self { packs: false, ..self }
    }

    /// The same input for the kernels of `level`, to compare levels. The default is the widest of this machine.
    #[must_use]
    pub fn at_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// The same input with normals and tangents from `source`. The default is [`NormalSource::Joints`].
    #[must_use]
    pub fn with_normals(self, source: NormalSource) -> Self {
        Self { normals: source, ..self }
    }

    /// The packed skin and palettes for the kernel, or the reason why no kernel runs.
    fn kernel(&self, method: Method) -> Result<Result<KernelCall<'a>, ReferenceReason>, DeformError> {
        let Some(kernel) = method.kernel() else { return Ok(Err(ReferenceReason::NoKernel)) };
        if self.mesh.normals().is_empty() && !self.mesh.tangents().is_empty() {
            return Ok(Err(ReferenceReason::TangentsWithoutNormals));
        }
        if method == Method::DualQuat && self.mesh.precomputed().blend_map.is_some() {
            return Ok(Err(ReferenceReason::BlendMap));
        }
        if !self.packs && !self.mesh.is_packed(VertexOrder::File) {
            return Ok(Err(ReferenceReason::NotPacked));
        }
        let palette = kernel(self.pose)?;
        match self.mesh.packed(VertexOrder::File) {
            Ok(skin) if method == Method::DeltaMush && method.is_ready(self.mesh.precomputed()) => {
                let call = KernelCall { skin, palette };
                Ok(if skin.mush().is_some() { Ok(call) } else { Err(ReferenceReason::WideSmoothing) })
            }
            Ok(skin) => Ok(Ok(KernelCall { skin, palette })),
            Err(_) => Err(DeformError::NoWeights { mesh: self.mesh.name().into() }),
        }
    }

    fn run_reference(
        &self,
        method: Method,
        scratch: &mut DeformScratch,
        out: SurfaceMut<'_>,
    ) -> Result<(), DeformError> {
        let mesh = self.mesh;
        let weights = mesh.weights().ok_or_else(|| DeformError::NoWeights { mesh: mesh.name().into() })?;
        let binding = Binding {
            weights,
            palette: self.pose.matrices,
            dual_quats: self.pose.dual_quats,
            precomputed: mesh.precomputed(),
        };
        reference::deform(method, self.surface.unwrap_or_else(|| mesh.into()), &binding, scratch, out)
    }
}

struct KernelCall<'a> {
    skin: &'a PackedSkin,
    palette: SkinningPalette<'a>,
}

/// Deforms a skinned mesh by `method` into `out` on the fastest available path, and returns that path.
///
/// The result equals [`reference::deform`] within rounding, in the mesh's own vertex order. The mesh is packed for the
/// kernels on the first call ([`Mesh::packed`]) and shared from then on.
///
/// # Errors
/// If the mesh has no weights, a matrix is not finite or exceeds [`MAX_VALUE`](crate::MAX_VALUE), stream lengths differ, a palette is missing or has fewer joints than the weights use,
/// or the method needs precomputed data that the mesh does not have.
pub fn deform(
    method: Method,
    input: &DeformInput<'_>,
    scratch: &mut DeformScratch,
    mut out: SurfaceMut<'_>,
) -> Result<DeformPath, DeformError> {
    let path = by_joints(method, input, scratch, out.reborrow())?;
    if input.normals == NormalSource::Surface {
        let mirrors = input.pose.matrices.mirrored_count() > 0;
        write_surface_normals(input.mesh.rings(), mirrors, out);
    }
    Ok(path)
}

/// [`deform`] with the normals of the method.
fn by_joints(
    method: Method,
    input: &DeformInput<'_>,
    scratch: &mut DeformScratch,
    out: SurfaceMut<'_>,
) -> Result<DeformPath, DeformError> {
    if !input.pose.matrices.matrices().iter().all(InRange::is_in_range) {
        return Err(DeformError::PoseOutOfRange { mesh: input.mesh.name().into() });
    }
    let KernelCall { skin, palette } = match input.kernel(method)? {
        Ok(call) => call,
        Err(reason) => {
            input.run_reference(method, scratch, out)?;
            return Ok(DeformPath::Reference(reason));
        }
    };
    let level = input.level;
    let DeformScratch { pose, surface: room, .. } = scratch;
    let surface = match input.surface {
        None => skin.surface(),
        Some(changed) => {
            let kept = room.take().filter(|kept| kept.fits(skin.surface()));
            let room = room.insert(kept.unwrap_or_else(|| skin.new_surface()));
            skin.pack_surface(changed, room)?;
            room
        }
    };
    skin.deform_surface(surface, level, palette, pose, out.into())?;
    Ok(DeformPath::Kernel(level))
}
