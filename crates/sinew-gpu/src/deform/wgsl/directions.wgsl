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
