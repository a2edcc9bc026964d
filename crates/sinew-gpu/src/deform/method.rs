//! The deformation methods that the GPU supports, and what their kernels need.

use sinew::Method;

/// Text that continues the error "METHOD does not run on the GPU"; empty if there is nothing to suggest.
pub(crate) fn rejection_hint(method: Method) -> &'static str {
    GpuMethod::of(method).map_or("", |on_gpu| on_gpu.rejection_hint)
}

/// A deformation method and the WGSL that implements it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GpuMethod {
    pub(super) method: Method,
    /// How a joint is read from the pose.
    pub(super) joint_source: &'static str,
    /// How influences are blended and applied to a vertex.
    pub(super) source: &'static str,
    /// Rows of four numbers of a joint in workgroup memory.
    pub(super) joint_rows: u32,
    /// True if every vertex rotates about its own center.
    pub(super) has_centers: bool,
    /// True if smoothed moments replace the skin weights.
    pub(super) has_moments: bool,
    /// True if vertices are moved by their contact data.
    pub(super) has_contacts: bool,
    /// True if only the strongest influence of a vertex is read.
    pub(super) is_rigid: bool,
    /// Continues the error for a mesh whose precomputed data the kernel cannot read; empty if it reads every mesh.
    pub(super) rejection_hint: &'static str,
}

impl GpuMethod {
    /// The GPU implementation of `method`, or `None` if there is no kernel.
    pub(super) const fn of(method: Method) -> Option<Self> {
        let matrix = include_str!("wgsl/joint_matrix.wgsl");
        let turning = include_str!("wgsl/joint_turning.wgsl");
        let linear = Self {
            method,
            joint_source: matrix,
            source: include_str!("wgsl/linear.wgsl"),
            joint_rows: 3,
            has_centers: false,
            has_moments: false,
            has_contacts: false,
            is_rigid: false,
            rejection_hint: "",
        };
        match method {
            Method::Rigid => Some(Self { source: include_str!("wgsl/rigid.wgsl"), is_rigid: true, ..linear }),
            Method::Linear => Some(linear),
            Method::DualQuat => Some(Self {
                joint_source: include_str!("wgsl/joint_dual_quat.wgsl"),
                source: include_str!("wgsl/dual_quat.wgsl"),
                joint_rows: 2,
                rejection_hint: " on a mesh with a blend map",
                ..linear
            }),
            Method::Contact => Some(Self {
                joint_source: include_str!("wgsl/joint_dual_quat.wgsl"),
                source: include_str!("wgsl/contact.wgsl"),
                joint_rows: 2,
                has_contacts: true,
                ..linear
            }),
            Method::Cor => Some(Self {
                joint_source: turning,
                source: include_str!("wgsl/cor.wgsl"),
                joint_rows: 4,
                has_centers: true,
                ..linear
            }),
            Method::Ddm => Some(Self {
                joint_source: turning,
                source: include_str!("wgsl/ddm.wgsl"),
                joint_rows: 4,
                has_centers: true,
                has_moments: true,
                rejection_hint: " with second moments; make it with first moments or pivots only",
                ..linear
            }),
            Method::Slerp | Method::DeltaMush => None,
        }
    }
}
