//! Skeletons and skins in a cooked file.

use sinew::{
    Joint, JointId, ScaleInheritance, Skeleton, Skin, Transform,
    bytes::{ByteReader, ByteWriter, BytesError},
    glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A},
};

/// Stands for a root: no joint has this index.
const NO_JOINT: u16 = u16::MAX;

pub(super) fn write(skeleton: &Skeleton, out: &mut ByteWriter) {
    let joints = || skeleton.joints();
    let parents: Vec<u16> =
        joints().map(|j| skeleton.parent(j).map_or(NO_JOINT, |parent| parent.0)).collect();
    out.list(&parents);
    out.list(&joints().map(|j| skeleton.rest(j).translation).collect::<Vec<Vec3>>());
    out.list(&joints().map(|j| skeleton.rest(j).rotation).collect::<Vec<Quat>>());
    out.list(&joints().map(|j| skeleton.rest(j).scale).collect::<Vec<Vec3>>());
    let is_compensated = |j| u8::from(skeleton.scale_inheritance(j) == ScaleInheritance::Compensated);
    out.list(&joints().map(is_compensated).collect::<Vec<u8>>());
    joints().for_each(|joint| out.text(skeleton.name(joint)));
}

pub(super) fn read(from: &mut ByteReader<'_>) -> Result<Skeleton, String> {
    let shown = |error: BytesError| error.to_string();
    let parents: Vec<u16> = from.list().map_err(shown)?;
    let (translations, rotations): (Vec<Vec3>, Vec<Quat>) =
        (from.list().map_err(shown)?, from.list().map_err(shown)?);
    let (scales, compensated): (Vec<Vec3>, &[u8]) =
        (from.list().map_err(shown)?, from.byte_list().map_err(shown)?);
    let lists = [translations.len(), rotations.len(), scales.len(), compensated.len()];
    if let Some(count) = lists.into_iter().find(|count| *count != parents.len()) {
        return Err(format!("{} joints have a list of {count} entries", parents.len()));
    }
    let mut joints = Vec::with_capacity(parents.len());
    for (at, parent) in parents.into_iter().enumerate() {
        joints.push(Joint {
            name: from.text().map_err(shown)?.to_owned(),
            parent: (parent != NO_JOINT).then_some(JointId(parent)),
            rest: Transform { translation: translations[at], rotation: rotations[at], scale: scales[at] },
        });
    }
    let skeleton = Skeleton::new(joints).map_err(|e| e.to_string())?;
    if compensated.iter().all(|kind| *kind == 0) {
        return Ok(skeleton);
    }
    let kind = |(joint, kind): (JointId, &u8)| match kind {
        0 => Ok((joint, ScaleInheritance::Full)),
        1 => Ok((joint, ScaleInheritance::Compensated)),
        other => Err(format!("joint {}: there is no scale inheritance {other}", joint.0)),
    };
    let kinds = skeleton.joints().zip(compensated).map(kind).collect::<Result<Vec<_>, _>>()?;
    Ok(skeleton.with_scale_inheritance(kinds))
}

pub(super) fn write_skin(skin: &Skin, out: &mut ByteWriter) {
    out.text(skin.name());
    out.u16(skin.root().map_or(NO_JOINT, |root| root.0));
    out.list(&skin.joints().iter().map(|joint| joint.0).collect::<Vec<u16>>());
    out.list(&skin.joint_from_mesh().iter().map(columns).collect::<Vec<[f32; 12]>>());
}

pub(super) fn read_skin(from: &mut ByteReader<'_>, skeleton: &Skeleton) -> Result<Skin, String> {
    let mut parts = || {
        let (name, root) = (from.text()?.to_owned(), from.u16()?);
        let joints: Vec<JointId> = from.list_of(|joint: &u16| JointId(*joint))?;
        let binds: Vec<Affine3A> = from.list_of(affine)?;
        Ok((name, (root != NO_JOINT).then_some(JointId(root)), joints, binds))
    };
    let (name, root, joints, binds) = parts().map_err(|e: BytesError| e.to_string())?;
    let skin = Skin::new(name, skeleton, joints, binds).map_err(|e| e.to_string())?;
    skin.with_root(skeleton, root).map_err(|e| e.to_string())
}

fn columns(matrix: &Affine3A) -> [f32; 12] {
    matrix.to_cols_array()
}

fn affine(n: &[f32; 12]) -> Affine3A {
    let column = |at: usize| Vec3A::new(n[at], n[at + 1], n[at + 2]);
    Affine3A { matrix3: Mat3A::from_cols(column(0), column(3), column(6)), translation: column(9) }
}
