//! How far the joints of a vertex are twisted against each other.

use crate::check::bound::BoundMesh;
use crate::weights::Bones;
use sinew::{
    Frame, Transform,
    glam::{Quat, Vec3},
};

/// Twists of the vertices of one instance.
pub(super) struct Twists<'a> {
    pub(super) instance: usize,
    bound: BoundMesh<'a>,
    /// The directions of every slot's bones at bind time.
    axes: Vec<Vec<Vec3>>,
}

impl<'a> Twists<'a> {
    pub(super) fn new(bound: BoundMesh<'a>) -> Self {
        let bones = Bones::of_skin(bound.skeleton(), bound.skin);
        let mut axes = vec![Vec::new(); bones.slot_count()];
        for bone in bones.bones() {
            axes[usize::from(bone.slot)].extend((bone.tail - bone.head).try_normalize());
        }
        Self { instance: bound.instance, bound, axes }
    }

    /// The angle by which the two strongest joints of `vertex` are turned against each other about a bone of theirs, in radians.
    pub(super) fn at(&self, vertex: usize, frame: &Frame) -> f32 {
        let [one, other, ..] = self.bound.weights.of(vertex).0 else { return 0.0 };
        let matrices = frame.palettes()[self.bound.skin_index].matrices();
        let turn = |slot: u16| Transform::from_affine(&matrices[usize::from(slot)]).0.rotation;
        let between: Quat = turn(*one).conjugate() * turn(*other);
        let axes = [one, other].into_iter().flat_map(|&slot| &self.axes[usize::from(slot)]);
        let twist = |axis: &Vec3| 2.0 * between.xyz().dot(*axis).abs().atan2(between.w.abs());
        axes.map(twist).fold(0.0, f32::max)
    }
}
