//! How a vertex lies in memory, and how it is decoded.

use super::KernelKey;
use crate::deform::layout::{Influences, MeshLayout};
use std::fmt::Write;

/// `Raw` and `read_raw`: a vertex as it lies in memory. `Bound` and `bound_of`: the vertex decoded, with its influences.
///
/// They are apart so that all of a thread's vertices can be on their way before the first is looked at; decoding depends
/// on no pose, so it is done once for all poses of a thread.
pub(super) fn vertex(key: &KernelKey) -> String {
    [raw(key), rest(&key.layout), bound(key)].join("\n")
}

/// True if the influences of a vertex are a piece of a list.
fn has_lists(key: &KernelKey) -> bool {
    key.method.has_moments || key.layout.influences == Influences::Lists
}

fn raw(key: &KernelKey) -> String {
    let layout = &key.layout;
    let words = layout.words();
    let mut out = String::from(
        "struct Raw {\n    quad: vec4<u32>,\n    first: u32,\n    end: u32,\n    muscles: Muscles,\n",
    );
    for w in 0..words {
        let _ = writeln!(out, "    w{w}: u32,");
    }
    out.push_str("}\n\nfn read_raw(v: u32) -> Raw {\n    var out: Raw;\n");
    if layout.quads() {
        out.push_str("    out.quad = quads[v];\n");
    }
    if has_lists(key) {
        out.push_str("    out.first = lists[v];\n    out.end = lists[v + 1u];\n");
    }
    if layout.muscles {
        out.push_str("    out.muscles = muscles_of(v);\n");
    }
    for w in 0..words {
        let _ = writeln!(out, "    out.w{w} = word({w}u, v);");
    }
    out.push_str("    return out;\n}\n");
    out
}

fn three(first: u32) -> String {
    format!("three(raw.w{first}, raw.w{}, raw.w{})", first + 1, first + 2)
}

fn rest(layout: &MeshLayout) -> String {
    let mut out = String::from("fn vertex_of(raw: Raw) -> Vertex {\n    var out: Vertex;\n");
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
    out
}

fn bound(key: &KernelKey) -> String {
    let layout = &key.layout;
    let mut fields = String::from("    rest: Vertex,\n    muscles: Muscles,\n");
    let mut body = String::from("    out.rest = vertex_of(raw);\n    out.muscles = raw.muscles;\n");
    if key.method.has_centers {
        let first = if key.method.has_moments { layout.mush_pivot() } else { layout.center() };
        fields.push_str("    center: vec3<f32>,\n");
        let _ = writeln!(body, "    out.center = {};", three(first));
    }
    if key.method.has_contacts {
        let first = layout.contact();
        fields.push_str("    contact: vec3<u32>,\n");
        let _ =
            writeln!(body, "    out.contact = vec3(raw.w{first}, raw.w{}, raw.w{});", first + 1, first + 2);
    }
    if has_lists(key) {
        fields.push_str("    first: u32,\n    end: u32,\n");
        body.push_str("    out.first = raw.first;\n    out.end = raw.end;\n");
    } else {
        fixed_influences(layout, &mut fields, &mut body);
    }
    format!(
        "struct Bound {{\n{fields}}}\n\nfn bound_of(raw: Raw) -> Bound {{\n    var out: Bound;\n{body}    return out;\n}}\n"
    )
}

/// Slots and weights of a fixed layout.
fn fixed_influences(layout: &MeshLayout, fields: &mut String, body: &mut String) {
    let Influences::Fixed { count, slot_bits, unorm16 } = layout.influences else { return };
    let first = layout.influence();
    for word in 0..layout.influences.words() {
        let _ = writeln!(body, "    let b{word} = raw.w{};", first + word);
    }
    for k in 0..count {
        let _ = writeln!(fields, "    slot{k}: u32,\n    weight{k}: f32,");
        let _ = writeln!(body, "    out.slot{k} = {};", field(k * slot_bits, slot_bits));
    }
    for k in 1..count {
        let weight = match unorm16 {
            true => format!("f32({}) * (1.0 / 65535.0)", field(count * slot_bits + (k - 1) * 16, 16)),
            false => format!("bitcast<f32>(b{})", (count * slot_bits).div_ceil(32) + k - 1),
        };
        let _ = writeln!(body, "    out.weight{k} = {weight};");
    }
    let others: Vec<String> = (1..count).map(|k| format!("out.weight{k}")).collect();
    let rest = if others.is_empty() { "0.0".to_owned() } else { others.join(" + ") };
    let _ = writeln!(body, "    out.weight0 = 1.0 - ({rest});");
}

/// How the influences of a fixed layout are added up: one after the other, without a loop, so that everything stays in
/// registers.
pub(super) fn fixed_sum(layout: &MeshLayout) -> String {
    let Influences::Fixed { count, .. } = layout.influences else { return String::new() };
    let joint = |k: u32| format!("joint_of(pose, bound.slot{k}), pose, bound.slot{k}, bound.weight{k}");
    let mut out = String::from("fn move_vertex(bound: Bound, pose: u32, rest: Vertex) -> Vertex {\n");
    let _ = writeln!(out, "    var sum = start({});", joint(0));
    for k in 1..count {
        let _ = writeln!(out, "    sum = add(sum, {});", joint(k));
    }
    out.push_str("    return finish(sum, bound, rest);\n}\n");
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

    #[test]
    fn fields_that_cross_words_are_put_together() {
        assert_eq!(field(12, 12), "extractBits(b0, 12u, 12u)");
        assert_eq!(field(24, 12), "(extractBits(b0, 24u, 8u) | (extractBits(b1, 0u, 4u) << 8u))");
    }
}
