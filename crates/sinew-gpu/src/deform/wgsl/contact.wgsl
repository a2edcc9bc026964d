// Contact skinning: dual quaternions in two phases, then each vertex of a limb is moved to its distance from its own bone and
// kept on its side of the planes between bones. The twin of `sinew::deform::reference::contact` and of its palette.

struct Sum {
    // The rotation of the strongest joint: the others are taken on its hemisphere.
    pivot: vec4<f32>,
    strongest: u32,
    real: vec4<f32>,
    dual: vec4<f32>,
    stretch: Rows,
}

fn start(joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    var out: Sum;
    out.pivot = real_of(joint);
    out.strongest = slot;
    return add(out, joint, pose, slot, weight);
}

fn add(sum: Sum, joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    let real = real_of(joint);
    let signed = signed_weight(real, sum.pivot, weight);
    var out = sum;
    out.real += real * signed;
    out.dual += dual_of(joint) * signed;
    if (stretched_pose) {
        out.stretch = stretched_by(sum.stretch, pose, slot, weight);
    }
    return out;
}

fn finish(sum: Sum, bound: Bound, rest: Vertex) -> Vertex {
    let own = own_part(sum.real);
    var real = sum.real;
    var dual = sum.dual;
    if (own > 0.0) {
        real += sum.pivot * own;
        dual += dual_of(joint_of(pose_in_hand, sum.strongest)) * own;
    }
    let inverse = inverseSqrt(dot(real, real));
    real *= inverse;
    dual *= inverse;
    let stretched = stretched_pose;
    var point = rest.position;
    if (stretched) {
        point = place(sum.stretch, point);
    }
    let moved = 2.0 * (dual.xyz * real.w - real.xyz * dual.w + cross(real.xyz, dual.xyz));
    var position = turn(real, point) + moved;
    if ((bound.contact.x >> 16u) > 0u) {
        position = folded(bound.contact, rest.position, position);
    }
    return turn_vertex(real, sum.stretch, stretched, position, rest);
}

const NO_BONE: u32 = 0xffffu;
const BONE_WORDS: u32 = 9u;

// A bone as it lies behind the planes of the mesh.
struct Bone {
    head: vec3<f32>,
    tail: vec3<f32>,
    // The bone before in the low half, the bone after in the high half.
    neighbors: u32,
    gates: vec2<f32>,
}

fn bone_number(at: u32) -> f32 {
    return bitcast<f32>(mesh[at]);
}

fn bone_of(slot: u32) -> Bone {
    let at = job.contact_bones + BONE_WORDS * slot;
    let head = vec3(bone_number(at), bone_number(at + 1u), bone_number(at + 2u));
    let tail = vec3(bone_number(at + 3u), bone_number(at + 4u), bone_number(at + 5u));
    return Bone(head, tail, mesh[at + 6u], vec2(bone_number(at + 7u), bone_number(at + 8u)));
}

// A bone in the pose: where it begins, its direction, and its length, zero for a bone without one.
struct Line {
    head: vec3<f32>,
    tail: vec3<f32>,
    axis: vec3<f32>,
    length: f32,
}

fn line_of(bone: Bone, rows: Rows) -> Line {
    let head = place(rows, bone.head);
    let tail = place(rows, bone.tail);
    let along = tail - head;
    let length = sqrt(dot(along, along));
    return Line(head, tail, along / max(length, TINY), length);
}

fn matrix_at(slot: u32) -> Rows {
    return rows_at(pose_at(pose_in_hand) + job.matrices + 3u * slot);
}

fn rotation_at(slot: u32) -> vec4<f32> {
    return poses[pose_at(pose_in_hand) + job.dual_quats + 2u * slot];
}

// The smallest number that is not denormal.
const TINY: f32 = 1.1754944e-38;

struct End {
    normal: vec3<f32>,
    height: f32,
    rest_normal: vec3<f32>,
    rest_height: f32,
    strength: f32,
    bend: f32,
    half_twist: vec2<f32>,
}

// The end at which `neighbor` follows: `outward` is -1 at the head and 1 at the tail.
fn end_of(own: Line, rows: Rows, slot: u32, neighbor: u32, gate: f32, outward: f32) -> End {
    var out: End;
    out.half_twist = vec2(1.0, 0.0);
    if (neighbor == NO_BONE || gate <= 0.0) {
        return out;
    }
    let bone = bone_of(neighbor);
    let next = line_of(bone, matrix_at(neighbor));
    let rest_offset = through(rows, bone.tail - bone.head);
    let rest_length = sqrt(dot(rest_offset, rest_offset));
    let rest = rest_offset / max(rest_length, TINY);
    let sum = own.axis + next.axis;
    let rest_sum = own.axis + rest;
    let sum_length = sqrt(dot(sum, sum));
    let rest_sum_length = sqrt(dot(rest_sum, rest_sum));
    if (next.length <= 0.0 || sum_length <= TINY || rest_sum_length <= TINY) {
        return out;
    }
    let joint = select(next.head, own.head, outward < 0.0);
    let own_joint = select(own.tail, own.head, outward < 0.0);
    out.normal = sum * (outward / sum_length);
    out.height = dot(out.normal, joint - own.head);
    out.rest_normal = rest_sum * (outward / rest_sum_length);
    out.rest_height = dot(out.rest_normal, own_joint - own.head);
    out.bend = 0.5 * clamp(1.0 - dot(rest, next.axis), 0.0, 2.0);
    out.strength = gate * smoothstep(-1.0, -0.875, dot(own.axis, next.axis)) * min(4.0 * out.bend, 1.0);
    out.half_twist = half_twist(rotation_at(slot), rotation_at(neighbor), own.axis);
    return out;
}

// Cosine and sine of half the angle by which `to` turns against `from` about `axis`.
fn half_twist(from_quat: vec4<f32>, to: vec4<f32>, axis: vec3<f32>) -> vec2<f32> {
    let cosine = dot(from_quat, to);
    let vector = to.xyz * from_quat.w - from_quat.xyz * to.w - cross(to.xyz, from_quat.xyz);
    let twist = vec2(cosine, dot(vector, axis));
    let length = sqrt(dot(twist, twist));
    if (length < 1e-6) {
        return vec2(1.0, 0.0);
    }
    return twist * (select(1.0, -1.0, cosine < 0.0 && !followed_pose) / length);
}

fn stored(number: u32) -> f32 {
    return f32(number) * (1.0 / 65535.0);
}

fn folded(contact: vec3<u32>, rest: vec3<f32>, place_: vec3<f32>) -> vec3<f32> {
    let slot = contact.x & 0xffffu;
    let mask = stored(contact.x >> 16u);
    let radius = stored(contact.y & 0xffffu);
    let beyond = vec2(stored(contact.y >> 16u), stored(contact.z & 0xffffu));
    let bone = bone_of(slot);
    let rows = matrix_at(slot);
    let line = line_of(bone, rows);
    if (line.length <= 0.0) {
        return place_;
    }
    let head = end_of(line, rows, slot, bone.neighbors & 0xffffu, bone.gates.x, -1.0);
    let tail = end_of(line, rows, slot, bone.neighbors >> 16u, bone.gates.y, 1.0);
    if (head.strength <= 0.0 && tail.strength <= 0.0) {
        return place_;
    }
    let own = place(rows, rest) - line.head;
    let along = dot(own, line.axis);
    let flat_away = own - line.axis * along;
    let past = along - clamp(along, 0.0, line.length);
    let distance = sqrt(dot(flat_away, flat_away) + past * past);
    let away = twisted(head.half_twist, tail.half_twist, beyond, line.axis, flat_away);
    let direction = away / max(sqrt(dot(away, away)), TINY);
    let inner = vec2(head.strength, tail.strength)
        * smoothstep(vec2(-0.1), vec2(0.15), vec2(dot(direction, head.normal), dot(direction, tail.normal)));
    let from_head = place_ - line.head;
    let at = dot(from_head, line.axis);
    var side = from_head - line.axis * at;
    side += (away - side) * (1.0 - (1.0 - inner.x) * (1.0 - inner.y));
    let on_bone = clamp(at, 0.0, line.length);
    let offset = side + line.axis * (at - on_bone);
    let length = max(sqrt(dot(offset, offset)), 1e-6 * distance + TINY);
    let pull = radius * (1.0 - (1.0 - head.strength) * (1.0 - tail.strength));
    var moved = line.axis * on_bone + offset * (1.0 + pull * (distance / length - 1.0));
    moved -= head.normal * (inner.x * excess(head, own, moved, max(along, 0.0), distance));
    moved -= tail.normal * (inner.y * excess(tail, own, moved, max(line.length - along, 0.0), distance));
    let change = (moved - from_head) * mask;
    return place_ + change * min(1.5 * distance / max(sqrt(dot(change, change)), TINY), 1.0);
}

fn twisted(head: vec2<f32>, tail: vec2<f32>, beyond: vec2<f32>, axis: vec3<f32>, away: vec3<f32>) -> vec3<f32> {
    let own = 1.0 - beyond.x - beyond.y;
    let half = vec2(own, 0.0) + beyond.x * head + beyond.y * tail;
    let squared = max(dot(half, half), TINY);
    let cosine = (half.x * half.x - half.y * half.y) / squared;
    let sine = 2.0 * half.x * half.y / squared;
    return away * cosine + cross(axis, away) * sine;
}

// How much farther than at rest `moved` is beyond the plane of `end`; smooth and never negative.
fn excess(end: End, own: vec3<f32>, moved: vec3<f32>, from_end: f32, distance: f32) -> f32 {
    let at_rest = max(dot(own, end.rest_normal) - end.rest_height, 0.0);
    let beyond = dot(moved, end.normal) - end.height + 0.03 * from_end - at_rest;
    let width = 0.06 * distance * end.bend;
    return 0.5 * (beyond + sqrt(beyond * beyond + width * width));
}
