//! The deformation methods that the GPU supports, and what their kernels need.

use sinew::Method;

/// A method with its WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GpuMethod {
    pub(super) method: Method,
    /// How a joint is read from the pose.
    pub(super) joint_source: &'static str,
    /// How influences are blended and applied to a vertex.
    pub(super) source: &'static str,
    /// Bytes of a joint in workgroup memory.
    pub(super) joint_bytes: u32,
    /// True where every vertex has a center that it turns about.
    pub(super) has_centers: bool,
    /// True where smoothed moments take the place of skin weights.
    pub(super) has_moments: bool,
    /// True where only the strongest influence of a vertex is read.
    pub(super) is_rigid: bool,
}

impl GpuMethod {
    /// The GPU's version of `method`, or `None` where there is no kernel.
    pub(super) const fn of(method: Method) -> Option<Self> {
        let matrix = include_str!("wgsl/joint_matrix.wgsl");
        let turning = include_str!("wgsl/joint_turning.wgsl");
        let linear = Self {
            method,
            joint_source: matrix,
            source: include_str!("wgsl/linear.wgsl"),
            joint_bytes: 48,
            has_centers: false,
            has_moments: false,
            is_rigid: false,
        };
        match method {
            Method::Rigid => Some(Self { source: include_str!("wgsl/rigid.wgsl"), is_rigid: true, ..linear }),
            Method::Linear => Some(linear),
            Method::DualQuat => Some(Self {
                joint_source: include_str!("wgsl/joint_dual_quat.wgsl"),
                source: include_str!("wgsl/dual_quat.wgsl"),
                joint_bytes: 32,
                ..linear
            }),
            Method::Cor => Some(Self {
                joint_source: turning,
                source: include_str!("wgsl/cor.wgsl"),
                joint_bytes: 64,
                has_centers: true,
                ..linear
            }),
            Method::Ddm => Some(Self {
                joint_source: turning,
                source: include_str!("wgsl/ddm.wgsl"),
                joint_bytes: 64,
                has_centers: true,
                has_moments: true,
                ..linear
            }),
            Method::Slerp | Method::DeltaMush => None,
        }
    }
}
