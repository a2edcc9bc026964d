//! Kernels and references side by side.

use crate::{
    difference::{worse, worst},
    outputs::{DeformedOutputs, Directions},
    subject::{METHODS, PosedSubject, body, poses},
};
use sinew::{
    DeformScratch, Mesh, Method, Streams, deform,
    deform::{
        blocks::{PackedSkin, VertexOrder},
        kernel::PoseScratch,
    },
    glam::Vec3,
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
    poses: Vec<PosedSubject>,
    in_file_order: PackedSkin,
    in_packed_order: PackedSkin,
    scratch: PoseScratch,
    out: Streams,
}

impl Check {
    /// Makes all of it, for the best level of this build.
    ///
    /// # Errors
    /// Where the built-in figure is not what this crate takes it for.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let figure = sinew_samples::figure();
        let mesh = body(&figure)?;
        let level = simd::best();
        let method_names: Result<_, _> = METHODS.iter().map(|m| CString::new(m.name())).collect();
        Ok(Self {
            level,
            level_name: CString::new(level.name())?,
            method_names: method_names?,
            poses: poses(&figure)?,
            in_file_order: PackedSkin::new(&mesh, VertexOrder::File)?,
            in_packed_order: PackedSkin::new(&mesh, VertexOrder::Packed)?,
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

    /// The worst difference of a method's kernels from its reference: over poses, orders, streams, and buffers
    /// interleaved or separate.
    pub(crate) fn difference(&self, method: usize) -> Result<f32, Box<dyn Error>> {
        let method = *METHODS.get(method).ok_or("no such method")?;
        let (mut scratch, mut got) = (PoseScratch::default(), Streams::default());
        let mut all = 0.0;
        for posed in &self.poses {
            let want = self.reference(method, posed)?;
            let pose = posed.for_kernel(method).ok_or("no such kernel")?;
            for skin in [&self.in_file_order, &self.in_packed_order] {
                let moved = DeformedOutputs { skin, level: self.level, pose };
                let vertex_of_output = skin.vertex_of_output();
                for directions in Directions::ALL {
                    directions.make_room(skin.output_count(), &mut got);
                    moved.interleaved(&mut scratch, &mut got)?;
                    all = worse(all, worst(&got, &want, &vertex_of_output));
                    directions.make_room(skin.output_count(), &mut got);
                    moved.separate(&mut scratch, &mut got)?;
                    all = worse(all, worst(&got, &want, &vertex_of_output));
                }
            }
        }
        Ok(all)
    }

    fn reference(&self, method: Method, posed: &PosedSubject) -> Result<Streams, Box<dyn Error>> {
        let binding = posed.for_reference(&self.mesh).ok_or("the mesh has no weights")?;
        let mut out = Streams::of_mesh(&self.mesh);
        deform::reference::deform(
            method,
            (&self.mesh).into(),
            &binding,
            &mut DeformScratch::default(),
            out.as_surface_mut(),
        )?;
        Ok(out)
    }

    /// Positions by the kernel of a method, in the mesh's order.
    pub(crate) fn deform(&mut self, method: usize, pose: usize) -> Result<&[Vec3], Box<dyn Error>> {
        let method = *METHODS.get(method).ok_or("no such method")?;
        let posed = self.poses.get(pose).ok_or("no such pose")?;
        let pose = posed.for_kernel(method).ok_or("no such kernel")?;
        let skin = &self.in_file_order;
        Directions::None.make_room(skin.output_count(), &mut self.out);
        DeformedOutputs { skin, level: self.level, pose }.interleaved(&mut self.scratch, &mut self.out)?;
        Ok(&self.out.positions)
    }

    /// Deforms positions and normals by the first pose, again and again, and counts.
    pub(crate) fn run(&mut self, method: usize, order: VertexOrder, rounds: usize) -> usize {
        let posed = self.poses.first().zip(METHODS.get(method));
        let Some(pose) = posed.and_then(|(posed, &method)| posed.for_kernel(method)) else { return 0 };
        let skin = match order {
            VertexOrder::File => &self.in_file_order,
            VertexOrder::Packed => &self.in_packed_order,
        };
        Directions::Normals.make_room(skin.output_count(), &mut self.out);
        let moved = DeformedOutputs { skin, level: self.level, pose };
        let mut round = || moved.interleaved(&mut self.scratch, &mut self.out);
        (0..rounds).take_while(|_| round().is_ok()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_agree_with_references_on_the_host_too() {
        let check = Check::new().unwrap();
        assert!(Method::ALL.into_iter().filter(|method| method.has_kernel()).eq(METHODS));
        for (index, method) in METHODS.iter().enumerate() {
            let worst = check.difference(index).unwrap();
            println!("{} {method}: {worst:e}", check.level.name());
            // Directions that come from differences of points a centimeter apart, in a figure of two meters.
            let smooths = matches!(method, Method::DeltaMush | Method::Ddm);
            assert!(worst <= if smooths { 1e-4 } else { 1e-5 }, "{method} differs by {worst:e}");
        }
        assert!(check.difference(METHODS.len()).is_err());
    }

    #[test]
    fn runs_are_counted_and_leave_deformed_vertices() {
        let mut check = Check::new().unwrap();
        assert_eq!(check.run(0, VertexOrder::Packed, 3), 3);
        assert!(check.out.normals.iter().all(|n| n.is_normalized()));
        assert_eq!(check.run(METHODS.len(), VertexOrder::File, 3), 0);
    }
}
