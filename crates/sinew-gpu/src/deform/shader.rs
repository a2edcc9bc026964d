//! The WGSL text of kernels, assembled from parts.

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
    /// Joints that fit into workgroup memory, twice; zero if palettes are read from their buffer.
    pub(super) palette: u32,
}

/// The WGSL text of a kernel.
pub(super) fn source(key: &KernelKey) -> String {
    let layout = &key.layout;
    let GpuMethod { joint_source, source, .. } = key.method;
    let bound = match (key.method.has_moments, layout.influences) {
        (true, _) => String::new(),
        (false, Influences::Lists) => include_str!("wgsl/lists.wgsl").to_owned(),
        (false, Influences::Fixed { .. }) => fixed(layout),
    };
    let palette = match key.palette {
        0 => include_str!("wgsl/palette_direct.wgsl"),
        _ => include_str!("wgsl/palette_shared.wgsl"),
    };
    let positions = match layout.quads() {
        true => include_str!("wgsl/quads.wgsl"),
        false => include_str!("wgsl/positions.wgsl"),
    };
    [
        constants(key).as_str(),
        include_str!("wgsl/job.wgsl"),
        include_str!("wgsl/directions.wgsl"),
        &raw(key),
        include_str!("wgsl/stretch.wgsl"),
        joint_source,
        palette,
        source,
        &bound,
        positions,
        include_str!("wgsl/muscles.wgsl"),
        include_str!("wgsl/main.wgsl"),
        &entry(key),
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

/// A vertex as it lies in memory, and how its streams are read out of that.
///
/// Reading and decoding are apart, so that all of a thread's vertices can be on their way before the first is looked at.
fn raw(key: &KernelKey) -> String {
    let layout = &key.layout;
    let lists = key.method.has_moments || layout.influences == Influences::Lists;
    let words = layout.words();
    let mut out = String::from("struct Raw {\n    quad: vec4<u32>,\n    first: u32,\n    end: u32,\n");
    for w in 0..words {
        let _ = writeln!(out, "    w{w}: u32,");
    }
    out.push_str("}\n\nfn read_raw(v: u32) -> Raw {\n    var out: Raw;\n");
    if layout.quads() {
        out.push_str("    out.quad = quads[v];\n");
    }
    if lists {
        out.push_str("    out.first = lists[v];\n    out.end = lists[v + 1u];\n");
    }
    for w in 0..words {
        let _ = writeln!(out, "    out.w{w} = word({w}u, v);");
    }
    out.push_str("    return out;\n}\n\nfn vertex_of(raw: Raw) -> Vertex {\n    var out: Vertex;\n");
    let three = |first: u32| format!("three(raw.w{first}, raw.w{}, raw.w{})", first + 1, first + 2);
    if layout.quads() {
        out.push_str(
            "    out.position = bitcast<vec3<f32>>(raw.quad.xyz);\n    out.normal = unfold(raw.quad.w);\n",
        );
    } else {
        let _ = writeln!(out, "    out.position = {};", three(MeshLayout::POSITION));
        if layout.normals {
            let _ = writeln!(out, "    out.normal = {};", three(MeshLayout::NORMAL));
        }
    }
    let tangent = layout.tangent();
    if layout.tangents && layout.compact {
        let _ = writeln!(
            out,
            "    let side = select(1.0, -1.0, (raw.w{tangent} & 0x10000u) != 0u);\n    \
             out.tangent = vec4(unfold(raw.w{tangent} & 0xfffeffffu), side);"
        );
    } else if layout.tangents {
        let _ =
            writeln!(out, "    out.tangent = vec4({}, bitcast<f32>(raw.w{}));", three(tangent), tangent + 3);
    }
    out.push_str("    return out;\n}\n");
    if key.method.has_centers {
        let center = three(if key.method.has_moments { layout.mush_pivot() } else { layout.center() });
        let _ = writeln!(out, "\nfn center_of(raw: Raw) -> vec3<f32> {{\n    return {center};\n}}");
    }
    out
}

/// How the influences of a fixed layout are read, and added up one after the other: no loop, so that everything stays
/// in registers.
fn fixed(layout: &MeshLayout) -> String {
    let Influences::Fixed { count, slot_bits, unorm16 } = layout.influences else { return String::new() };
    let first = layout.influence();
    let mut out = String::from("fn move_vertex(raw: Raw, pose: u32, half: u32, rest: Vertex) -> Vertex {\n");
    for word in 0..layout.influences.words() {
        let _ = writeln!(out, "    let b{word} = raw.w{};", first + word);
    }
    for k in 0..count {
        let _ = writeln!(out, "    let slot{k} = {};", field(k * slot_bits, slot_bits));
    }
    for k in 1..count {
        let weight = match unorm16 {
            true => format!("f32({}) * (1.0 / 65535.0)", field(count * slot_bits + (k - 1) * 16, 16)),
            false => format!("bitcast<f32>(b{})", (count * slot_bits).div_ceil(32) + k - 1),
        };
        let _ = writeln!(out, "    let weight{k} = {weight};");
    }
    let others: Vec<String> = (1..count).map(|k| format!("weight{k}")).collect();
    let rest = if others.is_empty() { "0.0".to_owned() } else { others.join(" + ") };
    let _ = writeln!(out, "    let weight0 = 1.0 - ({rest});");
    let _ = writeln!(out, "    var sum = start(joint_of(half, pose, slot0), pose, slot0, weight0);");
    for k in 1..count {
        let _ = writeln!(out, "    sum = add(sum, joint_of(half, pose, slot{k}), pose, slot{k}, weight{k});");
    }
    out.push_str("    return finish(sum, pose, raw, rest);\n}\n");
    out
}

/// The entry point: reads all vertices of the thread, then goes through the poses.
fn entry(key: &KernelKey) -> String {
    let mut out = String::new();
    if key.palette > 0 {
        out.push_str("fn stage(pose: u32, half: u32, local: u32) {\n");
        for step in 0..key.palette.div_ceil(key.workgroup) {
            let _ = writeln!(out, "    stage_one(pose, half, local + {}u);", step * key.workgroup);
        }
        out.push_str("}\n\n");
    }
    let span = key.workgroup * key.vertices_per_thread;
    let _ = write!(
        out,
        "@compute @workgroup_size(WORKGROUP)\n\
         fn deform(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {{\n    \
         let last = job.vertices - 1u;\n    let v0 = group.x * {span}u + local;\n"
    );
    for k in 1..key.vertices_per_thread {
        let _ = writeln!(out, "    let v{k} = v0 + {}u;", k * key.workgroup);
    }
    for k in 0..key.vertices_per_thread {
        let _ = writeln!(out, "    let raw{k} = read_raw(min(v{k}, last));");
    }
    out.push_str("    let first = group.y * job.poses_per_thread;\n");
    out.push_str("    let end = min(first + job.poses_per_thread, job.poses);\n    var half = 0u;\n");
    if key.palette > 0 {
        out.push_str("    stage(first, 0u, local);\n    workgroupBarrier();\n");
    }
    out.push_str("    for (var pose = first; pose < end; pose++) {\n");
    if key.palette > 0 {
        out.push_str(
            "        if (pose + 1u < end) {\n            stage(pose + 1u, 1u - half, local);\n        }\n",
        );
    }
    if key.method.method.needs_dual_quats() {
        out.push_str("        take_pose(pose);\n");
    }
    for k in 0..key.vertices_per_thread {
        let _ = writeln!(out, "        work(raw{k}, v{k}, pose, half);");
    }
    if key.palette > 0 {
        out.push_str("        workgroupBarrier();\n");
    }
    out.push_str("        half = 1u - half;\n    }\n}\n");
    out
}

/// `bits` bits from `bit` on, out of the words `b0`, `b1` and so on.
fn field(bit: u32, bits: u32) -> String {
    let (word, shift) = (bit / 32, bit % 32);
    let low = format!("extractBits(b{word}, {shift}u, {}u)", bits.min(32 - shift));
    if shift + bits <= 32 {
        return low;
    }
    let (kept, over) = (32 - shift, shift + bits - 32);
    format!("({low} | (extractBits(b{}, 0u, {over}u) << {kept}u))", word + 1)
}

#[cfg(test)]
mod tests {
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
        methods.flat_map(move |method| {
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
                        muscles: tangents,
                    };
                    let palette = if compact { 0 } else { 64 };
                    let (workgroup, vertices_per_thread) = if tangents { (64, 1) } else { (32, 4) };
                    KernelKey { method, layout, morph_stride, workgroup, vertices_per_thread, palette }
                })
            })
        })
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
        assert!(count > 400, "{count}");
    }

    /// A file that no kernel contains would pass naga unread.
    #[test]
    fn every_file_of_the_folder_is_in_some_kernel() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/deform/wgsl");
        let all: Vec<String> = every_key().map(|key| source(&key)).collect();
        let vertex_path = super::super::vertex_path::source(8);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let used = all.iter().chain([&vertex_path]).any(|kernel| kernel.contains(&text));
            assert!(used, "{} is in no kernel", path.display());
        }
    }

    #[test]
    fn fields_that_cross_words_are_put_together() {
        assert_eq!(field(12, 12), "extractBits(b0, 12u, 12u)");
        assert_eq!(field(24, 12), "(extractBits(b0, 24u, 8u) | (extractBits(b1, 0u, 4u) << 8u))");
    }
}
