//! Kernels and references side by side.

use crate::{
    difference::{worse, worst},
    subject::{METHODS, Posed, body, poses},
};
use sinew::{
    DeformError, Mesh, Method, Scratch, Streams, SurfaceMut, builtin, deform,
    deform::{
        blocks::{Order, PackedSkin},
        kernel::{ApartMut, PoseScratch},
    },
    glam::{Vec3, Vec4},
    simd,
};
use std::{
    error::Error,
    ffi::{CStr, CString},
};

/// The built-in figure in several poses, packed in both orders, with memory for what comes out.
#[derive(Debug)]
pub struct Check {
    level: simd::Level,
    level_name: CString,
    method_names: Vec<CString>,
    mesh: Mesh,
    poses: Vec<Posed>,
    skins: [PackedSkin; 2],
    scratch: PoseScratch,
    out: Streams,
}

/// Which streams are computed: each set has a kernel of its own.
#[derive(Clone, Copy)]
struct Wanted {
    normals: bool,
    tangents: bool,
}

const WANTED: [Wanted; 4] = [
    Wanted { normals: false, tangents: false },
    Wanted { normals: true, tangents: false },
    Wanted { normals: false, tangents: true },
    Wanted { normals: true, tangents: true },
];

impl Check {
    /// Makes all of it, for the best level of this build.
    ///
    /// # Errors
    /// Where the built-in figure is not what this crate takes it for.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let figure = builtin::figure();
        let mesh = body(&figure)?;
        let level = simd::best();
        let names: Result<_, _> = METHODS.iter().map(|m| CString::new(m.name())).collect();
        Ok(Self {
            level,
            level_name: CString::new(simd::name(level))?,
            method_names: names?,
            poses: poses(&figure),
            skins: [PackedSkin::new(&mesh, Order::File)?, PackedSkin::new(&mesh, Order::Packed)?],
            mesh,
            scratch: PoseScratch::default(),
            out: Streams::default(),
        })
    }

    pub(crate) fn level_name(&self) -> &CStr {
        &self.level_name
    }

    pub(crate) fn method_names(&self) -> &[CString] {
        &self.method_names
    }

    pub(crate) fn pose_count(&self) -> usize {
        self.poses.len()
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.mesh.vertex_count()
    }

    /// The worst difference of a method's kernels from its reference: over poses, orders, sets of streams, and buffers
    /// interleaved or apart.
    pub(crate) fn difference(&mut self, method: usize) -> Result<f32, Box<dyn Error>> {
        let mut all = 0.0;
        for pose in 0..self.poses.len() {
            let want = self.reference(method, pose)?;
            for order in 0..self.skins.len() {
                let vertex_of_output = self.skins[order].vertex_of_output();
                for wanted in WANTED {
                    self.interleaved(method, pose, order, wanted)?;
                    all = worse(all, worst(&self.out, &want, &vertex_of_output));
                    let apart = self.apart(method, pose, order, wanted)?;
                    all = worse(all, worst(&apart, &want, &vertex_of_output));
                }
            }
        }
        Ok(all)
    }

    /// Positions by the kernel of a method, in the mesh's order.
    pub(crate) fn deform(&mut self, method: usize, pose: usize) -> Result<&[Vec3], Box<dyn Error>> {
        self.interleaved(method, pose, 0, WANTED[0])?;
        Ok(&self.out.positions)
    }

    /// Deforms positions and normals by the first pose, again and again, and counts.
    pub(crate) fn run(&mut self, method: usize, order: Order, rounds: usize) -> usize {
        let Self { skins, level, scratch, out, poses, .. } = self;
        let Some(skin) = skins.iter().find(|s| s.order() == order) else { return 0 };
        let pose = poses.first().zip(METHODS.get(method)).and_then(|(p, &m)| p.for_kernel(m));
        let Some(pose) = pose else { return 0 };
        out.positions.resize(skin.output_count(), Vec3::ZERO);
        out.normals.resize(skin.output_count(), Vec3::ZERO);
        let mut round = || {
            let surface = SurfaceMut { positions: &mut out.positions, normals: &mut out.normals, tangents: &mut [] };
            skin.deform(*level, pose, scratch, surface.into())
        };
        (0..rounds).take_while(|_| round().is_ok()).count()
    }

    fn reference(&self, method: usize, pose: usize) -> Result<Streams, Box<dyn Error>> {
        let (method, posed) = self.find(method, pose)?;
        let binding = posed.for_reference(&self.mesh).ok_or("the mesh has no weights")?;
        let mut out = Streams::of_mesh(&self.mesh);
        deform::deform(method, (&self.mesh).into(), &binding, &mut Scratch::default(), out.as_surface_mut())?;
        Ok(out)
    }

    /// Fills the wanted streams of `self.out`.
    fn interleaved(&mut self, method: usize, pose: usize, order: usize, wanted: Wanted) -> Result<(), Box<dyn Error>> {
        let mut out = std::mem::take(&mut self.out);
        let count = self.skins[order].output_count();
        let length = |wanted: bool| if wanted { count } else { 0 };
        // NaN, so that a vertex that is not written does not pass with what an earlier call left there.
        refill(&mut out.positions, count, Vec3::NAN);
        refill(&mut out.normals, length(wanted.normals), Vec3::NAN);
        refill(&mut out.tangents, length(wanted.tangents), Vec4::NAN);
        let result = self.kernel(method, pose, order, out.as_surface_mut().into());
        self.out = out;
        result
    }

    /// The same with a buffer for each number, put together again.
    fn apart(&mut self, method: usize, pose: usize, order: usize, wanted: Wanted) -> Result<Streams, Box<dyn Error>> {
        let count = self.skins[order].output_count();
        let numbers = |wanted: bool| if wanted { vec![f32::NAN; count] } else { Vec::new() };
        let mut p: [Vec<f32>; 3] = std::array::from_fn(|_| numbers(true));
        let mut n: [Vec<f32>; 3] = std::array::from_fn(|_| numbers(wanted.normals));
        let mut t: [Vec<f32>; 4] = std::array::from_fn(|_| numbers(wanted.tangents));
        let out = ApartMut {
            positions: p.each_mut().map(Vec::as_mut_slice),
            normals: n.each_mut().map(Vec::as_mut_slice),
            tangents: t.each_mut().map(Vec::as_mut_slice),
        };
        self.kernel(method, pose, order, out.into())?;
        let three = |s: &[Vec<f32>; 3]| (0..s[0].len()).map(|i| Vec3::new(s[0][i], s[1][i], s[2][i])).collect();
        let four = |i: usize| Vec4::new(t[0][i], t[1][i], t[2][i], t[3][i]);
        Ok(Streams {
            positions: three(&p),
            normals: three(&n),
            tangents: (0..t[0].len()).map(four).collect(),
        })
    }

    fn kernel(
        &mut self,
        method: usize,
        pose: usize,
        order: usize,
        out: deform::kernel::Output<'_>,
    ) -> Result<(), Box<dyn Error>> {
        todo()
    }
}
