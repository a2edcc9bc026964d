//! Reads skins: joint lists and inverse bind matrices.

use super::{GltfReader, nodes::NodeOrder};
use crate::{
    ReadError,
    gltf::json::{self, component},
    report::FindingCode,
};
use sinew::glam::{Affine3A, Mat4};
use sinew::{ExtrasOwner, JointId, Skeleton, Skin};

impl GltfReader<'_> {
    pub(super) fn skins(&mut self, skeleton: &Skeleton, order: &NodeOrder) -> Result<Vec<Skin>, ReadError> {
        let root = self.root;
        let mut skins = Vec::with_capacity(root.skins.len());
        for (index, skin) in root.skins.iter().enumerate() {
            self.keep_extras(ExtrasOwner::Skin(index), skin.extras.as_ref());
            skins.push(self.skin(index, skin, skeleton, order)?);
        }
        Ok(skins)
    }

    fn skin(
        &mut self,
        index: usize,
        skin: &json::Skin,
        skeleton: &Skeleton,
        order: &NodeOrder,
    ) -> Result<Skin, ReadError> {
        let place = format!("skins[{index}]");
        let joints_place = format!("{place}.joints");
        let joints: Vec<JointId> =
            skin.joints.iter().map(|&n| order.joint(&joints_place, n)).collect::<Result<_, _>>()?;
        let binds = match skin.inverse_bind_matrices {
            Some(accessor) => self.binds(&place, accessor, joints.len())?,
            None => {
                self.report.add(FindingCode::InverseBindsMissing, &place, "identity matrices are used");
                vec![Affine3A::IDENTITY; joints.len()]
            }
        };
        let root = skin.skeleton.map(|n| order.joint(&format!("{place}.skeleton"), n)).transpose()?;
        let fail = |e| ReadError::invalid(&place, e);
        let skin = Skin::new(skin.name.clone().unwrap_or_default(), skeleton, joints, binds).map_err(fail)?;
        skin.with_root(skeleton, root).map_err(fail)
    }

    fn binds(&mut self, place: &str, accessor: usize, joints: usize) -> Result<Vec<Affine3A>, ReadError> {
        let place = format!("{place}.inverseBindMatrices");
        let elements = self.buffers.elements(&place, accessor, &mut self.report)?;
        if elements.component_type != component::F32 {
            return Err(ReadError::invalid(place, "matrices must be floats"));
        }
        let matrices = elements.vectors::<16>(&place)?;
        if matrices.len() < joints {
            return Err(ReadError::invalid(
                place,
                format!("{} matrices for {joints} joints", matrices.len()),
            ));
        }
        let mut projective = 0;
        let binds = matrices[..joints].iter().map(|m| {
            let last_row = [m[3], m[7], m[11], m[15] - 1.0];
            projective += usize::from(last_row.iter().any(|e| e.abs() > 1e-4));
            Affine3A::from_mat4(Mat4::from_cols_array(m))
        });
        let binds = binds.collect();
        if projective > 0 {
            let detail = format!("{projective} matrices with a last row other than 0 0 0 1");
            self.report.add(FindingCode::BindNotAffine, place, detail);
        }
        Ok(binds)
    }
}
