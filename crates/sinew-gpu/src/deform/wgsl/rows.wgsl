// Weighted sums of matrices. `fma` rounds once and in one order, and a weight of zero changes no bit of a sum: vertices
// of equal weights stay together whatever other joints are listed with them.

fn weighted(m: Rows, weight: f32) -> Rows {
    return Rows(m.x * weight, m.y * weight, m.z * weight);
}

fn with_weighted(sum: Rows, m: Rows, weight: f32) -> Rows {
    let w = vec4(weight);
    return Rows(fma(m.x, w, sum.x), fma(m.y, w, sum.y), fma(m.z, w, sum.z));
}
