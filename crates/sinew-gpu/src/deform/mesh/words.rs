//! The words of a mesh, as its buffers hold them.

use super::super::{
    fold::{fold, fold_tangent},
    layout::{Influences, MeshLayout},
};
use sinew::{ContactData, Influence, Mesh, glam::Vec3};

/// Position and folded normal of every vertex.
pub(super) fn quads(mesh: &Mesh) -> Vec<u32> {
    let vertices = mesh.positions().iter().zip(mesh.normals());
    vertices.flat_map(|(p, n)| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits(), fold(*n)]).collect()
}

/// The bones of contact skinning: both ends, the slots of the neighbors, and the gates.
pub(super) fn contact_words(contact: &ContactData) -> Vec<u32> {
    let bones = contact.parts().bones.iter();
    let words = bones.flat_map(|bone| {
        let ([a, b, c], [d, e, f]) = (bone.head.to_array(), bone.tail.to_array());
        let neighbors = u32::from(bone.before) | u32::from(bone.after) << 16;
        let [a, b, c, d, e, f, g, h] = [a, b, c, d, e, f, bone.gates[0], bone.gates[1]].map(f32::to_bits);
        [a, b, c, d, e, f, neighbors, g, h]
    });
    words.collect()
}

/// Every word of every vertex, plane by plane.
pub(super) fn planes(mesh: &Mesh, layout: &MeshLayout, plane: u32) -> Vec<u32> {
    let plane = plane as usize;
    let mut out = vec![0; plane * layout.words() as usize];
    let mut put = |word: u32, vertex: usize, value: u32| out[word as usize * plane + vertex] = value;
    let put_three = |word: u32, list: &[Vec3], put: &mut dyn FnMut(u32, usize, u32)| {
        for (vertex, value) in list.iter().enumerate() {
            (word..).zip(value.to_array()).for_each(|(w, n)| put(w, vertex, n.to_bits()));
        }
    };
    if !layout.quads() {
        put_three(MeshLayout::POSITION, mesh.positions(), &mut put);
    }
    if layout.normals && !layout.quads() {
        put_three(MeshLayout::NORMAL, mesh.normals(), &mut put);
    }
    if layout.tangents {
        for (v, tangent) in mesh.tangents().iter().enumerate() {
            if layout.compact {
                put(layout.tangent(), v, fold_tangent(tangent.truncate(), tangent.w));
            } else {
                (layout.tangent()..).zip(tangent.to_array()).for_each(|(w, n)| put(w, v, n.to_bits()));
            }
        }
    }
    if let (Some(weights), Influences::Fixed { count, slot_bits, unorm16 }) =
        (mesh.weights(), layout.influences)
    {
        let mut words = Vec::new();
        for v in 0..mesh.positions().len() {
            let (slots, weights) = weights.of(v);
            fixed_words(slots, weights, count, slot_bits, unorm16, &mut words);
            (layout.influence()..).zip(&words).for_each(|(w, &bits)| put(w, v, bits));
        }
    }
    if let Some(centers) = &mesh.precomputed().centers {
        put_three(layout.center(), centers.positions(), &mut put);
    }
    if let (true, Some(contact)) = (layout.contacts, &mesh.precomputed().contact) {
        let two = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
        for (v, vertex) in contact.parts().vertices.iter().enumerate() {
            put(layout.contact(), v, two(vertex.bone, vertex.mask));
            put(layout.contact() + 1, v, two(vertex.radius, vertex.beyond[0]));
            put(layout.contact() + 2, v, two(vertex.beyond[1], 0));
        }
    }
    if let (true, Some(mush)) = (layout.mush_pivots, &mesh.precomputed().direct_mush) {
        put_three(layout.mush_pivot(), &mush.parts().pivots, &mut put);
    }
    out
}

/// The words of one vertex's influences; empty places repeat the strongest joint with no weight.
fn fixed_words(
    slots: &[u16],
    weights: &[f32],
    count: u32,
    slot_bits: u32,
    unorm16: bool,
    out: &mut Vec<u32>,
) {
    out.clear();
    out.resize(Influences::Fixed { count, slot_bits, unorm16 }.words() as usize, 0);
    let mut put_bits = |bit: u32, value: u32| {
        let wide = u64::from(value) << (bit % 32);
        let word = (bit / 32) as usize;
        out[word] |= wide as u32;
        if let (Some(next), high @ 1..) = (out.get_mut(word + 1), (wide >> 32) as u32) {
            *next |= high;
        }
    };
    let places = || 0..count as usize;
    for (k, bit) in places().zip((0..).step_by(slot_bits as usize)) {
        put_bits(bit, u32::from(slots.get(k).copied().unwrap_or(slots[0])));
    }
    if unorm16 {
        let steps = unorm16_steps(weights);
        for (k, bit) in places().skip(1).zip((count * slot_bits..).step_by(16)) {
            put_bits(bit, u32::from(steps.get(k).copied().unwrap_or(0)));
        }
    } else {
        let first = (count * slot_bits).div_ceil(32) as usize;
        for k in places().skip(1) {
            out[first + k - 1] = weights.get(k).map_or(0, |w| w.to_bits());
        }
    }
}

/// Weights in steps of 1/65535 that sum to 65535: each rounded down, what is missing given to the largest fractions.
pub(in crate::deform) fn unorm16_steps(weights: &[f32]) -> Vec<u16> {
    let exact: Vec<f64> = weights.iter().map(|w| f64::from(*w) * 65535.0).collect();
    let mut steps: Vec<u16> = exact.iter().map(|e| e.floor() as u16).collect();
    let given: u32 = steps.iter().map(|s| u32::from(*s)).sum();
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()).then(a.cmp(b)));
    order.iter().take(65535_u32.saturating_sub(given) as usize).for_each(|&k| steps[k] += 1);
    steps
}

/// Where each vertex's entries begin, then slot and weight of every influence; slots are counted from `first_slot`.
pub(super) fn lists_of<I>(vertices: usize, first_slot: u16, influences: impl Fn(usize) -> I) -> Vec<u32>
where
    I: ExactSizeIterator<Item = Influence>,
{
    let mut out = vec![0; vertices + 1];
    let mut count = 0;
    for v in 0..vertices {
        let entries = influences(v);
        count += entries.len() as u32;
        out[v + 1] = count;
        out.extend(entries.flat_map(|i| [u32::from(i.slot - first_slot), i.weight.to_bits()]));
    }
    out
}

/// Target, position, and the directions that the layout has.
pub(super) fn morph_stride(layout: &MeshLayout) -> u32 {
    4 + 3 * (u32::from(layout.normals) + u32::from(layout.tangents))
}

/// Where each vertex's entries begin, then every shape's part in it.
pub(super) fn morph_lists(mesh: &Mesh, layout: &MeshLayout) -> Vec<u32> {
    let mut entries: Vec<Vec<u32>> = vec![Vec::new(); mesh.positions().len()];
    for (number, target) in mesh.morphs().targets().iter().enumerate() {
        for (place, &vertex) in target.vertices.iter().enumerate() {
            let of =
                |list: &[Vec3]| list.get(place).copied().unwrap_or(Vec3::ZERO).to_array().map(f32::to_bits);
            let entry = &mut entries[vertex as usize];
            entry.push(number as u32);
            entry.extend(of(&target.positions));
            if layout.normals {
                entry.extend(of(&target.normals));
            }
            if layout.tangents {
                entry.extend(of(&target.tangents));
            }
        }
    }
    let stride = morph_stride(layout) as usize;
    let firsts = entries.iter().scan(0, |sum, e| {
        *sum += (e.len() / stride) as u32;
        Some(*sum)
    });
    [0].into_iter().chain(firsts).chain(entries.iter().flatten().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_sum_to_all_of_them_and_no_weight_moves_by_more_than_one() {
        for weights in [vec![1.0], vec![0.5, 0.5], vec![0.4, 0.3, 0.2, 0.1], vec![1.0 / 7.0; 7]] {
            let steps = unorm16_steps(&weights);
            assert_eq!(steps.iter().map(|s| u32::from(*s)).sum::<u32>(), 65535);
            for (step, weight) in steps.iter().zip(&weights) {
                assert!((f32::from(*step) / 65535.0 - weight).abs() < 1.0 / 65535.0);
            }
        }
    }

    #[test]
    fn four_compact_influences_take_three_words_and_fill_them() {
        let mut words = Vec::new();
        fixed_words(&[0xabc, 0x123, 0x456, 0x789], &[0.4, 0.3, 0.2, 0.1], 4, 12, true, &mut words);
        assert_eq!(words.len(), 3);
        assert_eq!(words[0], 0x5612_3abc);
        assert_eq!(words[1] & 0xffff, 0x7894);
    }
}
