//! Every case of one subject.

use super::baseline::{bone_by_bone, plain_glam, vertex_by_vertex};
use super::subject::BenchSubject;
use sinew::deform::blocks::{PackedSkin, VertexOrder};
use sinew::deform::kernel::{KernelOutput, PoseScratch, SeparateMut, SkinningPalette};
use sinew::deform::{Binding, DeformScratch, reference};
use sinew::{
    DualQuatPalette, Method, ModelPose, Palette, Streams, Surface, Wrap, sample_clip,
    simd::{self, Level},
};
use std::hint::black_box;

/// A case: its name, what it runs, and what it is compared with.
pub(super) struct BenchCase<'a> {
    pub(super) name: String,
    /// How many vertices, joints or poses one call processes.
    pub(super) items: usize,
    /// Bytes that must be read and written per item.
    pub(super) bytes: Option<f64>,
    /// The name of the copy of the same bytes.
    pub(super) copy: Option<String>,
    /// The name of the plain loop over the same streams.
    pub(super) plain: Option<String>,
    pub(super) run: Box<dyn FnMut() + 'a>,
}

impl BenchCase<'_> {
    pub(super) fn is_baseline(&self) -> bool {
        self.name.starts_with("baseline/")
    }
}

/// The streams that are deformed.
#[derive(Clone, Copy, PartialEq)]
enum CaseKind {
    P,
    Pn,
    Pnt,
}

impl CaseKind {
    const fn name(self) -> &'static str {
        match self {
            Self::P => "p",
            Self::Pn => "pn",
            Self::Pnt => "pnt",
        }
    }

    /// Bytes per vertex, read once and written once.
    const fn bytes(self) -> f64 {
        match self {
            Self::P => 24.0,
            Self::Pn => 48.0,
            Self::Pnt => 80.0,
        }
    }
}

fn kinds(subject: &BenchSubject) -> Vec<CaseKind> {
    let mut kinds = vec![CaseKind::P];
    kinds.extend((!subject.mesh.normals().is_empty()).then_some(CaseKind::Pn));
    let tangents = !subject.mesh.normals().is_empty() && !subject.mesh.tangents().is_empty();
    kinds.extend(tangents.then_some(CaseKind::Pnt));
    kinds
}

/// Every case at `levels`.
pub(super) fn all<'a>(
    subject: &'a BenchSubject,
    pools: &'a [rayon::ThreadPool],
    levels: &[Level],
) -> Vec<BenchCase<'a>> {
    let mut cases = Vec::new();
    for kind in kinds(subject) {
        cases.push(copy(subject, kind));
        cases.extend((kind != CaseKind::Pnt).then(|| plain(subject, kind)));
        if !subject.large {
            cases.extend(references(subject, kind));
        }
        for &level in levels {
            cases.extend(kernels(subject, kind, level));
        }
    }
    cases.extend(classics(subject));
    let widest = levels.last().copied().unwrap_or_else(simd::best);
    cases.extend(at_large(subject, pools, widest));
    if !subject.large {
        cases.extend(stages(subject));
    }
    cases
}

fn name(step: &str, method: &str, kind: CaseKind, subject: &BenchSubject, level: &str) -> String {
    format!("{step}/{method}/{}/{}/{level}", kind.name(), subject.label)
}

fn copy_name(subject: &BenchSubject, kind: CaseKind) -> String {
    name("baseline", "copy", kind, subject, "scalar")
}

fn plain_name(subject: &BenchSubject, kind: CaseKind) -> String {
    name("baseline", "plain-glam", kind, subject, "scalar")
}

/// A case over vertices that is compared with the copy and the plain loop.
fn vertex_case<'a>(
    subject: &'a BenchSubject,
    kind: CaseKind,
    name: String,
    run: impl FnMut() + 'a,
) -> BenchCase<'a> {
    BenchCase {
        name,
        items: subject.mesh.vertex_count(),
        bytes: Some(kind.bytes()),
        copy: Some(copy_name(subject, kind)),
        plain: Some(plain_name(subject, kind)),
        run: Box::new(run),
    }
}

/// The streams of the mesh that `kind` selects.
fn surface(subject: &BenchSubject, kind: CaseKind) -> Surface<'_> {
    let all = Surface::from(&*subject.mesh);
    Surface {
        positions: all.positions,
        normals: if kind == CaseKind::P { &[] } else { all.normals },
        tangents: if kind == CaseKind::Pnt { all.tangents } else { &[] },
    }
}

fn streams(surface: Surface<'_>) -> Streams {
    Streams {
        positions: surface.positions.to_vec(),
        normals: surface.normals.to_vec(),
        tangents: surface.tangents.to_vec(),
    }
}

fn copy(subject: &BenchSubject, kind: CaseKind) -> BenchCase<'_> {
    let from = surface(subject, kind);
    let mut to = streams(from);
    vertex_case(subject, kind, copy_name(subject, kind), move || {
        to.positions.copy_from_slice(from.positions);
        to.normals.copy_from_slice(from.normals);
        to.tangents.copy_from_slice(from.tangents);
        black_box(&mut to);
    })
}

fn plain(subject: &BenchSubject, kind: CaseKind) -> BenchCase<'_> {
    let from = surface(subject, kind);
    let mut to = streams(from);
    vertex_case(subject, kind, plain_name(subject, kind), move || {
        plain_glam(from, &subject.four, &subject.bones, &mut to.as_surface_mut());
        black_box(&mut to);
    })
}

/// The two loops of the classic article.
fn classics(subject: &BenchSubject) -> Vec<BenchCase<'_>> {
    let Some(weights) = subject.mesh.weights() else { return vec![] };
    let positions = subject.mesh.positions();
    let (mut one, mut two) = (positions.to_vec(), positions.to_vec());
    let called = |method: &str| name("baseline", method, CaseKind::P, subject, "scalar");
    vec![
        vertex_case(subject, CaseKind::P, called("vertex-by-vertex"), move || {
            vertex_by_vertex(positions, weights, &subject.bones, &mut one);
            black_box(&mut one);
        }),
        vertex_case(subject, CaseKind::P, called("bone-by-bone"), move || {
            bone_by_bone(positions, &subject.lists, &subject.bones, &mut two);
            black_box(&mut two);
        }),
    ]
}

/// The scalar reference of every method.
fn references(subject: &BenchSubject, kind: CaseKind) -> Vec<BenchCase<'_>> {
    let Some(weights) = subject.mesh.weights() else { return vec![] };
    let ready = |m: &Method| m.is_ready(subject.mesh.precomputed());
    let case = |method: Method| {
        let from = surface(subject, kind);
        let mut to = streams(from);
        let mut scratch = DeformScratch::default();
        let called = name("reference", method.name(), kind, subject, "scalar");
        vertex_case(subject, kind, called, move || {
            let binding = Binding::new(weights, subject.palette())
                .with_dual_quats(&subject.dual_quats)
                .with_precomputed(subject.mesh.precomputed());
            // Everything it needs was checked above; an error would show as an absurd time.
            let _ = black_box(reference::deform(method, from, &binding, &mut scratch, to.as_surface_mut()));
        })
    };
    Method::ALL.into_iter().filter(ready).map(case).collect()
}

/// How a kernel's output is laid out.
#[derive(Clone, Copy, PartialEq)]
enum CaseForm {
    /// Packed order, one stream per component.
    Streams,
    /// Packed order, interleaved components.
    Interleaved,
    /// File order, interleaved components.
    File,
    /// Packed order in streams, with blocks of single vertices.
    Single,
}

impl CaseForm {
    const ALL: [Self; 4] = [Self::Streams, Self::Interleaved, Self::File, Self::Single];

    const fn ending(self) -> &'static str {
        match self {
            Self::Streams => "",
            Self::Interleaved => "/interleaved",
            Self::File => "/file",
            Self::Single => "/single",
        }
    }
}

/// Every method with a fast path, in every form, at one level.
fn kernels(subject: &BenchSubject, kind: CaseKind, level: Level) -> Vec<BenchCase<'_>> {
    let mut cases = Vec::new();
    for (method, pose) in poses(subject) {
        let wanted = |form: &CaseForm| *form != CaseForm::Single || subject.single.is_some();
        for form in CaseForm::ALL.into_iter().filter(wanted) {
            let called = name("deform", method.name(), kind, subject, level.name()) + form.ending();
            cases.push(kernel(subject, kind, called, form, level, pose));
        }
    }
    cases
}

fn poses(subject: &BenchSubject) -> Vec<(Method, SkinningPalette<'_>)> {
    let ready = Method::ALL.into_iter().filter(|method| method.is_ready(subject.mesh.precomputed()));
    let kernel = |method| SkinningPalette::for_method(method, subject.palette(), &subject.dual_quats);
    ready.filter_map(|method| Some((method, kernel(method)?))).collect()
}

fn kernel<'a>(
    subject: &'a BenchSubject,
    kind: CaseKind,
    called: String,
    form: CaseForm,
    level: Level,
    pose: SkinningPalette<'a>,
) -> BenchCase<'a> {
    let packed = match (pose, form) {
        (SkinningPalette::Rigid(_), CaseForm::File) => &subject.rigid[1],
        (SkinningPalette::Rigid(_), _) => &subject.rigid[0],
        (_, CaseForm::File) => &subject.in_file_order,
        (_, CaseForm::Single) => subject.single.as_ref().unwrap_or(&subject.packed),
        _ => &subject.packed,
    };
    let mut scratch = PoseScratch::default();
    if matches!(form, CaseForm::Streams | CaseForm::Single) {
        let mut out = SeparateBuffers::new(packed.output_count(), kind);
        return vertex_case(subject, kind, called, move || {
            let _ = black_box(packed.deform(level, pose, &mut scratch, out.as_output()));
        });
    }
    let mut out = subject.buffers(packed, kind != CaseKind::P, kind == CaseKind::Pnt);
    vertex_case(subject, kind, called, move || {
        let _ = black_box(packed.deform(level, pose, &mut scratch, out.as_surface_mut().into()));
    })
}

/// One buffer per component of a vertex.
struct SeparateBuffers {
    positions: [Vec<f32>; 3],
    normals: [Vec<f32>; 3],
    tangents: [Vec<f32>; 4],
}

impl SeparateBuffers {
    fn new(vertices: usize, kind: CaseKind) -> Self {
        let buffer = |wanted: bool| vec![0.0; if wanted { vertices } else { 0 }];
        Self {
            positions: std::array::from_fn(|_| buffer(true)),
            normals: std::array::from_fn(|_| buffer(kind != CaseKind::P)),
            tangents: std::array::from_fn(|_| buffer(kind == CaseKind::Pnt)),
        }
    }

    fn as_output(&mut self) -> KernelOutput<'_> {
        KernelOutput::Separate(SeparateMut {
            positions: self.positions.each_mut().map(|b| &mut b[..]),
            normals: self.normals.each_mut().map(|b| &mut b[..]),
            tangents: self.tangents.each_mut().map(|b| &mut b[..]),
        })
    }
}

/// How many calls a thread pool runs at once.
const CALLS: usize = 16;
/// The number of poses of a batch.
const BATCH: usize = 16;

/// Linear blend skinning at one level as a batch and on threads, and the packing before it.
fn at_large<'a>(
    subject: &'a BenchSubject,
    pools: &'a [rayon::ThreadPool],
    level: Level,
) -> Vec<BenchCase<'a>> {
    let kind = if subject.mesh.normals().is_empty() { CaseKind::P } else { CaseKind::Pn };
    let pose = SkinningPalette::Linear(subject.palette());
    let level_name = level.name();
    let mut cases = Vec::new();
    for pool in pools {
        let count = pool.current_num_threads();
        let mut out = SeparateBuffers::new(subject.packed.output_count(), kind);
        let mut scratch = PoseScratch::default();
        let called = format!("{}/{count}", name("threads", "linear", kind, subject, level_name));
        let mut case = vertex_case(subject, kind, called, move || {
            // Many calls inside the pool, as in a game's frame: entering it from outside takes as long as one call.
            pool.install(|| {
                for _ in 0..CALLS {
                    let (packed, out) = (&subject.packed, out.as_output());
                    let _ = black_box(packed.deform_parallel(level, pose, &mut scratch, out));
                }
            });
        });
        case.items *= CALLS;
        cases.push(case);
    }
    if !subject.large {
        let mut outs: Vec<_> =
            (0..BATCH).map(|_| SeparateBuffers::new(subject.packed.output_count(), kind)).collect();
        let mut scratch = PoseScratch::for_batch(&subject.packed, BATCH);
        let called = format!("{}/{BATCH}", name("batch", "linear", kind, subject, level_name));
        let mut case = vertex_case(subject, kind, called, move || {
            let mut outs: Vec<_> = outs.iter_mut().map(SeparateBuffers::as_output).collect();
            let _ = black_box(subject.packed.deform_batch(level, &[pose; BATCH], &mut scratch, &mut outs));
        });
        case.items *= BATCH;
        cases.push(case);
    }
    for (order, called) in [(VertexOrder::Packed, "pack/packed"), (VertexOrder::File, "pack/file")] {
        let vertices = subject.mesh.vertex_count();
        let run = Box::new(move || {
            let _ = black_box(PackedSkin::new(&subject.mesh, order));
        });
        cases.push(stage(subject, called, vertices, run));
    }
    cases
}

/// A step without streams and levels.
fn stage<'a>(subject: &BenchSubject, step: &str, items: usize, run: Box<dyn FnMut() + 'a>) -> BenchCase<'a> {
    let name = format!("{step}/-/{}/scalar", subject.label);
    BenchCase { name, items, bytes: None, copy: None, plain: None, run }
}

/// The steps before deformation, per joint.
fn stages(subject: &BenchSubject) -> Vec<BenchCase<'_>> {
    let skeleton = subject.character.skeleton();
    let local = subject.frame.local();
    let mut cases = Vec::new();
    if let Some(clip) = &subject.clip {
        let mut pose = local.clone();
        let mut tick = 0_u32;
        cases.push(stage(
            subject,
            "sample/clip",
            skeleton.len(),
            Box::new(move || {
                tick = (tick + 1) % 600;
                sample_clip(clip, tick as f32 / 60.0, Wrap::Loop, &mut pose);
                black_box(&mut pose);
            }),
        ));
    }
    let mut model = ModelPose::new(skeleton);
    cases.push(stage(
        subject,
        "pose/hierarchy",
        skeleton.len(),
        Box::new(move || {
            model.update(skeleton, local);
            black_box(&mut model);
        }),
    ));
    let mut palette = Palette::new(&subject.skin);
    let slots = subject.skin.joints().len();
    cases.push(stage(
        subject,
        "palette/matrix",
        slots,
        Box::new(move || {
            palette.update(&subject.skin, subject.frame.model());
            black_box(&mut palette);
        }),
    ));
    let mut dual_quats = DualQuatPalette::new(&subject.skin);
    cases.push(stage(
        subject,
        "palette/dual-quat",
        slots,
        Box::new(move || {
            dual_quats.update(&subject.skin, subject.palette());
            black_box(&mut dual_quats);
        }),
    ));
    cases
}
