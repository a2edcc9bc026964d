// Normals and tangents: unit vectors, and two of them folded into a word.

// No direction at all: a pair that folding never gives.
const NO_DIRECTION: u32 = 0x80008000u;
const LARGEST_FINITE: f32 = 3.4028234e38;
// The sizes whose reciprocals are normal numbers.
const SMALLEST_SIZE: f32 = 1.2e-38;
const LARGEST_SIZE: f32 = 8e37;

// The direction of v, or zero where it has none.
fn unit_or_zero(v: vec3<f32>) -> vec3<f32> {
    let square = dot(v, v);
    if (square > 1e-30 && square < 1e30) {
        return v * inverseSqrt(square);
    }
    // Tiny and huge vectors under- and overflow when squared: scaling by the largest entry first keeps them.
    let magnitude = abs(v);
    let largest = max(magnitude.x, max(magnitude.y, magnitude.z));
    if (!(largest > 0.0 && largest <= LARGEST_FINITE)) {
        return vec3(0.0);
    }
    return normalize(v / largest);
}

// What a direction is written as: folding does not ask for its length, so compact streams do without.
fn finished(v: vec3<f32>) -> vec3<f32> {
    if (COMPACT) {
        return v;
    }
    return unit_or_zero(v);
}

// Adding this to a number below 2²² leaves the nearest whole number in its low bits.
const NEAREST: f32 = 12582912.0;

// An octahedron unfolded onto a square: two signed numbers of 16 bits a direction of any length that has a reciprocal.
//
// There is one division, no branch, and no conversion from a float to an integer, which takes several times as long as
// an addition.
fn fold(v: vec3<f32>) -> u32 {
    let size = abs(v.x) + abs(v.y) + abs(v.z);
    let flat = v.xy * (1.0 / size);
    let beyond = with_sign(1.0 - abs(flat.yx), flat);
    let chosen = select(flat, beyond, v.z < 0.0);
    let steps = bitcast<vec2<u32>>(fma(chosen, vec2(32767.0), vec2(NEAREST)));
    let packed = (steps.x & 0xffffu) | (steps.y << 16u);
    return select(NO_DIRECTION, packed, size > SMALLEST_SIZE && size < LARGEST_SIZE);
}

// A direction that was folded; of unit length only where shapes are added to it, since nothing else asks for it.
fn unfold(packed: u32) -> vec3<f32> {
    if ((packed & 0xfffeffffu) == NO_DIRECTION) {
        return vec3(0.0);
    }
    let flat = unpack2x16snorm(packed);
    let z = 1.0 - abs(flat.x) - abs(flat.y);
    let direction = vec3(flat - with_sign(vec2(max(-z, 0.0)), flat), z);
    if (MORPHS) {
        return normalize(direction);
    }
    return direction;
}

// Numbers with the signs of others; where those are zero either sign folds to the same direction.
fn with_sign(size: vec2<f32>, sign: vec2<f32>) -> vec2<f32> {
    let signs = bitcast<vec2<u32>>(sign) & vec2(0x80000000u);
    return bitcast<vec2<f32>>(bitcast<vec2<u32>>(size) | signs);
}

// A normal through the inverse transpose of the linear part of rows, but for a positive factor: the products x·(n × z),
// y·(z × n) and n·(x × y) are those with the cofactors, for two cross products instead of three.
fn through_cofactors(rows: Rows, normal: vec3<f32>) -> vec3<f32> {
    let xy = cross(rows.x.xyz, rows.y.xyz);
    let zn = cross(rows.z.xyz, normal);
    let turned = vec3(dot(rows.y.xyz, zn), -dot(rows.x.xyz, zn), dot(xy, normal));
    return select(turned, -turned, dot(xy, rows.z.xyz) < 0.0);
}

fn is_mirrored(rows: Rows) -> bool {
    return dot(cross(rows.x.xyz, rows.y.xyz), rows.z.xyz) < 0.0;
}

fn through(rows: Rows, direction: vec3<f32>) -> vec3<f32> {
    return vec3(dot(rows.x.xyz, direction), dot(rows.y.xyz, direction), dot(rows.z.xyz, direction));
}

fn place(rows: Rows, point: vec3<f32>) -> vec3<f32> {
    let p = vec4(point, 1.0);
    return vec3(dot(rows.x, p), dot(rows.y, p), dot(rows.z, p));
}

// A direction turned by a unit quaternion.
fn turn(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let c = 2.0 * cross(q.xyz, v);
    return v + q.w * c + cross(q.xyz, c);
}

// The vertex moved by rows.
fn transform_vertex(rows: Rows, rest: Vertex) -> Vertex {
    var out: Vertex;
    out.position = place(rows, rest.position);
    if (NORMALS) {
        out.normal = finished(through_cofactors(rows, rest.normal));
    }
    if (TANGENTS) {
        let w = select(rest.tangent.w, -rest.tangent.w, is_mirrored(rows));
        out.tangent = vec4(finished(through(rows, rest.tangent.xyz)), w);
    }
    return out;
}

// The vertex at position, its directions through a stretch and then a rotation.
fn turn_vertex(rotation: vec4<f32>, stretch: Rows, stretched: bool, position: vec3<f32>, rest: Vertex) -> Vertex {
    var out: Vertex;
    out.position = position;
    if (NORMALS) {
        var normal = rest.normal;
        if (stretched) {
            normal = unit_or_zero(through_cofactors(stretch, normal));
        }
        out.normal = finished(turn(rotation, normal));
    }
    if (TANGENTS) {
        var tangent = rest.tangent;
        if (stretched) {
            let w = select(tangent.w, -tangent.w, is_mirrored(stretch));
            tangent = vec4(unit_or_zero(through(stretch, tangent.xyz)), w);
        }
        out.tangent = vec4(finished(turn(rotation, tangent.xyz)), tangent.w);
    }
    return out;
}
