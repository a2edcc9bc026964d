//! The WGSL text of kernels, assembled from parts.

mod entry;
mod vertex;

use super::{
    layout::{Influences, MeshLayout},
    method::GpuMethod,
};
use std::fmt::Write;

/// Everything that the text of a kernel depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct KernelKey {
    pub(super) method: GpuMethod,
    pub(super) layout: MeshLayout,
    /// Words per entry of a morph target, zero where the mesh has none.
    pub(super) morph_stride: u32,
    pub(super) workgroup: u32,
    pub(super) vertices_per_thread: u32,
    /// True if a thread deforms its vertices by several poses.
    pub(super) several_poses: bool,
    /// Joints that fit into workgroup memory; zero if palettes are read from their buffer.
    pub(super) palette: u32,
}

/// The WGSL text of a kernel.
pub(super) fn source(key: &KernelKey) -> String {
    let layout = &key.layout;
    let palette = match key.palette {
        0 => include_str!("wgsl/palette_direct.wgsl"),
        _ => include_str!("wgsl/palette_shared.wgsl"),
    };
    let positions = match layout.quads() {
        true => include_str!("wgsl/quads.wgsl"),
        false => include_str!("wgsl/positions.wgsl"),
    };
    let sum = match (key.method.has_moments, layout.influences) {
        (true, _) => String::new(),
        (false, Influences::Lists) => include_str!("wgsl/lists.wgsl").to_owned(),
        (false, Influences::Fixed { .. }) => vertex::fixed_sum(layout),
    };
    [
        constants(key).as_str(),
        include_str!("wgsl/job.wgsl"),
        include_str!("wgsl/rows.wgsl"),
        include_str!("wgsl/directions.wgsl"),
        include_str!("wgsl/transforms.wgsl"),
        &vertex::vertex(key),
        include_str!("wgsl/stretch.wgsl"),
        include_str!("wgsl/signs.wgsl"),
        key.method.joint_source,
        palette,
        key.method.source,
        &sum,
        positions,
        include_str!("wgsl/muscles.wgsl"),
        include_str!("wgsl/main.wgsl"),
        &entry::entry(key),
    ]
    .join("\n")
}

fn constants(key: &KernelKey) -> String {
    let layout = &key.layout;
    let mut out = String::new();
    for (name, value) in
        [("MORPH_STRIDE", key.morph_stride), ("WORKGROUP", key.workgroup), ("PALETTE", key.palette)]
    {
        let _ = writeln!(out, "const {name}: u32 = {value}u;");
    }
    let switches = [
        ("NORMALS", layout.normals),
        ("TANGENTS", layout.tangents),
        ("COMPACT", layout.compact),
        ("QUADS", layout.quads()),
        ("MORPHS", key.morph_stride > 0),
        ("MUSCLES", layout.muscles),
    ];
    for (name, value) in switches {
        let _ = writeln!(out, "const {name}: bool = {value};");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::normals::{self, NormalKey};
    use super::*;
    use sinew::Method;

    /// Every kernel that a mesh can ask for: each method, each way to keep influences, each set of streams.
    fn every_key() -> impl Iterator<Item = KernelKey> {
        let fixed = |count, slot_bits, unorm16| Influences::Fixed { count, slot_bits, unorm16 };
        let influences: Vec<Influences> = (1..=8)
            .flat_map(|n| [fixed(n, 16, false), fixed(n, 12, true), fixed(n, 16, true)])
            .chain([Influences::Lists])
            .collect();
        let methods = Method::ALL.into_iter().filter_map(GpuMethod::of);
        let keys = methods.flat_map(move |method| {
            influences.clone().into_iter().flat_map(move |influences| {
                [
                    (false, false, false, 0),
                    (true, false, false, 7),
                    (true, true, false, 10),
                    (true, true, true, 0),
                ]
                .map(|(normals, tangents, compact, morph_stride)| {
                    let layout = MeshLayout {
                        normals,
                        tangents,
                        compact,
                        influences,
                        centers: true,
                        mush_pivots: true,
                        contacts: true,
                        muscles: tangents,
                    };
                    let palette = if compact { 0 } else { 64 };
                    let (workgroup, vertices_per_thread) = if tangents { (64, 1) } else { (32, 4) };
                    KernelKey {
                        method,
                        layout,
                        morph_stride,
                        workgroup,
                        vertices_per_thread,
                        several_poses: false,
                        palette,
                    }
                })
            })
        });
        keys.flat_map(|key| [key, KernelKey { several_poses: true, ..key }])
    }

    #[test]
    fn every_kernel_passes_naga() {
        let mut count = 0;
        for key in every_key() {
            let text = source(&key);
            let module = naga::front::wgsl::parse_str(&text)
                .unwrap_or_else(|e| panic!("{key:?}: {}\n{text}", e.emit_to_string(&text)));
            let (flags, capabilities) =
                (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
            let checked = naga::valid::Validator::new(flags, capabilities).validate(&module);
            assert!(checked.is_ok(), "{key:?}: {:?}", checked.err());
            count += 1;
        }
        assert!(count > 900, "{count}");
    }

    #[test]
    fn every_kernel_of_normals_passes_naga() {
        for (tangents, compact) in [(false, false), (false, true), (true, false), (true, true)] {
            let text = normals::source(NormalKey { tangents, compact });
            let module =
                naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)));
            let (flags, capabilities) =
                (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
            let checked = naga::valid::Validator::new(flags, capabilities).validate(&module);
            assert!(checked.is_ok(), "tangents {tangents}, compact {compact}: {:?}", checked.err());
        }
    }

    /// A file that no kernel contains would pass naga unread.
    #[test]
    fn every_file_of_the_folder_is_in_some_kernel() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/deform/wgsl");
        let all: Vec<String> = every_key().map(|key| source(&key)).collect();
        let vertex_path = super::super::vertex_path::source(8);
        let normals = normals::source(NormalKey { tangents: true, compact: false });
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let used = all.iter().chain([&vertex_path, &normals]).any(|kernel| kernel.contains(&text));
            assert!(used, "{} is in no kernel", path.display());
        }
    }
}
