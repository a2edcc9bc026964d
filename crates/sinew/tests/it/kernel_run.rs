//! One kernel call with its output converted to the vertex order of the mesh.

use crate::subjects::PosedMesh;
use sinew::{
    Mesh, Method, Streams, SurfaceMut,
    deform::{
        blocks::PackedSkin,
        kernel::{KernelOutput, PoseScratch, SeparateMut, SkinningPalette},
    },
    glam::{Vec3, Vec4},
    simd::Level,
};

/// The requested streams and their form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RunForm {
    InterleavedPositions,
    InterleavedNormals,
    InterleavedTangents,
    ApartPositions,
    ApartNormals,
    ApartTangents,
}

impl RunForm {
    pub(crate) const ALL: [Self; 6] = [
        Self::InterleavedPositions,
        Self::InterleavedNormals,
        Self::InterleavedTangents,
        Self::ApartPositions,
        Self::ApartNormals,
        Self::ApartTangents,
    ];

    fn normals(self) -> bool {
        !matches!(self, Self::InterleavedPositions | Self::ApartPositions)
    }

    fn tangents(self) -> bool {
        matches!(self, Self::InterleavedTangents | Self::ApartTangents)
    }

    pub(crate) fn is_separate(self) -> bool {
        matches!(self, Self::ApartPositions | Self::ApartNormals | Self::ApartTangents)
    }
}

/// The buffers of one output, large enough for every form.
pub(crate) struct RunBuffers {
    pub(crate) form: RunForm,
    pub(crate) interleaved: Streams,
    pub(crate) separate: [Vec<f32>; 10],
}

impl RunBuffers {
    /// Buffers filled with a value that no kernel writes.
    pub(crate) fn new(skin: &PackedSkin, mesh: &Mesh, form: RunForm) -> Self {
        let count = skin.output_count();
        let normals = if form.normals() && !mesh.normals().is_empty() { count } else { 0 };
        let tangents = if form.tangents() && normals > 0 && !mesh.tangents().is_empty() { count } else { 0 };
        let lengths =
            [count, count, count, normals, normals, normals, tangents, tangents, tangents, tangents];
        Self {
            form,
            interleaved: Streams {
                positions: vec![Vec3::NAN; count],
                normals: vec![Vec3::NAN; normals],
                tangents: vec![Vec4::NAN; tangents],
            },
            separate: lengths.map(|n| vec![f32::NAN; n]),
        }
    }

    pub(crate) fn output(&mut self) -> KernelOutput<'_> {
        if self.form.is_separate() {
            let [a, b, c, d, e, f, g, h, i, j] = &mut self.separate;
            SeparateMut { positions: [a, b, c], normals: [d, e, f], tangents: [g, h, i, j] }.into()
        } else {
            let Streams { positions, normals, tangents } = &mut self.interleaved;
            SurfaceMut { positions, normals, tangents }.into()
        }
    }

    /// The written streams, interleaved, in the order of the skin.
    pub(crate) fn written(&self) -> Streams {
        if !self.form.is_separate() {
            return self.interleaved.clone();
        }
        let [a, b, c, d, e, f, g, h, i, j] = &self.separate;
        let threes = |x: &[f32], y: &[f32], z: &[f32]| {
            (0..x.len()).map(|v| Vec3::new(x[v], y[v], z[v])).collect::<Vec<_>>()
        };
        Streams {
            positions: threes(a, b, c),
            normals: threes(d, e, f),
            tangents: threes(g, h, i).into_iter().zip(j).map(|(v, &w)| v.extend(w)).collect(),
        }
    }
}

pub(crate) fn pose_of<'a>(method: Method, posed: &'a PosedMesh) -> SkinningPalette<'a> {
    let palette = SkinningPalette::for_method(method, &posed.palette, &posed.dual_quats);
    palette.unwrap_or_else(|| panic!("{method} has no kernel"))
}

/// Every method with a kernel: a new one is compared with its reference without being listed here.
pub(crate) fn methods_with_kernels() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|method| method.has_kernel())
}

/// Converts streams from the order of the skin to that of the mesh.
pub(crate) fn in_mesh_order(skin: &PackedSkin, streams: &Streams) -> Streams {
    fn pick<T: Copy>(places: &[u32], stream: &[T]) -> Vec<T> {
        if stream.is_empty() { Vec::new() } else { places.iter().map(|&p| stream[p as usize]).collect() }
    }
    let places = skin.output_of_vertex();
    Streams {
        positions: pick(&places, &streams.positions),
        normals: pick(&places, &streams.normals),
        tangents: pick(&places, &streams.tangents),
    }
}

/// Runs one call and returns its output in the vertex order of the mesh.
pub(crate) fn run(
    skin: &PackedSkin,
    mesh: &Mesh,
    level: Level,
    method: Method,
    posed: &PosedMesh,
    form: RunForm,
) -> Streams {
    let mut buffers = RunBuffers::new(skin, mesh, form);
    let pose = pose_of(method, posed);
    skin.deform(level, pose, &mut PoseScratch::default(), buffers.output()).expect("everything fits");
    in_mesh_order(skin, &buffers.written())
}
