// Weighted sums of matrices. Calls of `fma` would keep the compiler from leaving out sums with zero.

fn weighted(m: Rows, weight: f32) -> Rows {
    return Rows(m.x * weight, m.y * weight, m.z * weight);
}

fn with_weighted(sum: Rows, m: Rows, weight: f32) -> Rows {
    return Rows(sum.x + m.x * weight, sum.y + m.y * weight, sum.z + m.z * weight);
}
