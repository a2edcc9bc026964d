//! The rotation nearest to a matrix, for any matrix.

use glam::{DMat3, DQuat};

/// The rotation nearest to `linear`, by the smallest sum of squared differences of elements.
///
/// It is the eigenvector of the largest eigenvalue of Davenport's symmetric 4×4 matrix: from the characteristic polynomial
/// if one rotation is clearly the nearest, otherwise by Jacobi rotations. Unlike an iteration over inverses it needs no
/// special case for singular or mirroring matrices: a plane is completed to a rotation, a mirroring matrix gets the nearest
/// rotation, and a matrix without a unique one (zero, or a point reflection) gets one of the nearest. If an element is not
/// finite, the result is the identity.
pub fn nearest_rotation(linear: DMat3) -> DQuat {
    let largest = linear.to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs()));
    if !linear.is_finite() || largest == 0.0 {
        return DQuat::IDENTITY;
    }
    let (x, y, z) = (linear.x_axis / largest, linear.y_axis / largest, linear.z_axis / largest);
    // Row and column order w, x, y, z. The largest eigenvalue belongs to the nearest rotation.
    let mut a = [
        [x.x + y.y + z.z, y.z - z.y, z.x - x.z, x.y - y.x],
        [y.z - z.y, x.x - y.y - z.z, y.x + x.y, z.x + x.z],
        [z.x - x.z, y.x + x.y, y.y - x.x - z.z, z.y + y.z],
        [x.y - y.x, z.x + x.z, z.y + y.z, z.z - x.x - y.y],
    ];
    let squares = x.length_squared() + y.length_squared() + z.length_squared();
    let triple = x.dot(y.cross(z));
    let [w, x, y, z] = top_vector(&a, squares, triple).unwrap_or_else(|| {
        let vectors = diagonalize(&mut a);
        let top = (1..4).fold(0, |best, i| if a[i][i] > a[best][best] { i } else { best });
        [0, 1, 2, 3].map(|row: usize| vectors[row][top])
    });
    let rotation = DQuat::from_xyzw(x, y, z, w).normalize();
    if rotation.is_finite() { rotation } else { DQuat::IDENTITY }
}

/// The relative length of the vector below which another eigenvalue is so close that the fast path loses precision.
const CLEAR: f64 = 1e-4;
/// The rounding error of the characteristic polynomial at a root.
const ROUNDING: f64 = 1e-14;

/// The eigenvector of the largest eigenvalue, or `None` if another eigenvalue is too close.
///
/// `squares` and `triple` are the sum of squared entries and the determinant of the 3×3 matrix that `a` comes from: they
/// are coefficients of the characteristic polynomial `λ⁴ − 2 squares λ² − 8 triple λ + det a`, whose roots are all real, so
/// Newton's method comes down from above without overshooting.
fn top_vector(a: &[[f64; 4]; 4], squares: f64, triple: f64) -> Option<[f64; 4]> {
    let (c2, c1) = (-2.0 * squares, -8.0 * triple);
    let c0 = dot4(&a[0], &cross4(&a[1], &a[2], &a[3]));
    let mut top = (3.0 * squares).sqrt();
    let mut is_found = false;
    for _ in 0..40 {
        let value = ((top * top + c2) * top + c1) * top + c0;
        // The remainder is rounding. At a double root the slope is too, so a further step could lead anywhere.
        if value <= ROUNDING * squares * squares {
            is_found = true;
            break;
        }
        top -= value / ((4.0 * top * top + 2.0 * c2) * top + c1);
    }
    if !(is_found && top.is_finite()) {
        return None;
    }
    // The vector perpendicular to three rows; the three rows that span the largest volume are the most accurate.
    let triples = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
    let vectors = triples.map(|rows| (perpendicular(a, top, rows), rows));
    let (longest, rows) = vectors.into_iter().max_by(|(a, _), (b, _)| dot4(a, a).total_cmp(&dot4(b, b)))?;
    let length_squared = dot4(&longest, &longest);
    if length_squared.sqrt() <= CLEAR * squares * squares.sqrt() {
        return None;
    }
    // A nearby root costs Newton's root precision; the Rayleigh quotient is twice as accurate as the vector.
    let turned: [f64; 4] = std::array::from_fn(|row| dot4(&a[row], &longest));
    Some(perpendicular(a, dot4(&longest, &turned) / length_squared, rows))
}

/// The vector perpendicular to three rows of `a − value · I`.
fn perpendicular(a: &[[f64; 4]; 4], value: f64, rows: [usize; 3]) -> [f64; 4] {
    let [i, j, k] = rows.map(|row| {
        let mut less = a[row];
        less[row] -= value;
        less
    });
    cross4(&i, &j, &k)
}

fn dot4(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// The vector perpendicular to three, as long as the volume they span.
fn cross4(a: &[f64; 4], b: &[f64; 4], c: &[f64; 4]) -> [f64; 4] {
    let minor = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
    let (xy, xz, xw, yz, yw, zw) =
        (minor(0, 1), minor(0, 2), minor(0, 3), minor(1, 2), minor(1, 3), minor(2, 3));
    [
        a[1] * zw - a[2] * yw + a[3] * yz,
        -(a[0] * zw - a[2] * xw + a[3] * xz),
        a[0] * yw - a[1] * xw + a[3] * xy,
        -(a[0] * yz - a[1] * xz + a[2] * xy),
    ]
}

/// Turns a symmetric matrix into its eigenvalues on the diagonal and returns the eigenvectors as columns.
fn diagonalize(a: &mut [[f64; 4]; 4]) -> [[f64; 4]; 4] {
    let mut vectors =
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    // Convergence is quadratic: five or six sweeps reach the last bit.
    for _ in 0..12 {
        let off: f64 =
            (0..4).flat_map(|p| (p + 1..4).map(move |q| (p, q))).map(|(p, q)| a[p][q] * a[p][q]).sum();
        if off < 1e-32 {
            break;
        }
        for p in 0..3 {
            for q in p + 1..4 {
                rotate(a, &mut vectors, p, q);
            }
        }
    }
    vectors
}

/// One Jacobi rotation that makes `a[p][q]` zero.
fn rotate(a: &mut [[f64; 4]; 4], vectors: &mut [[f64; 4]; 4], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = if theta >= 0.0 { 1.0 } else { -1.0 } / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for row in a.iter_mut().chain(vectors.iter_mut()) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (upper, lower) = (a[p], a[q]);
    a[p] = std::array::from_fn(|column| c * upper[column] - s * lower[column]);
    a[q] = std::array::from_fn(|column| s * upper[column] + c * lower[column]);
}

/// Decomposes `linear` into a symmetric stretch followed by a rotation: `linear = rotation · stretch`.
///
/// If `linear` mirrors, the mirroring is part of the stretch, which is then negative definite. Unlike a mirror across one
/// axis, that choice is the same for all joints of a character that is mirrored as a whole.
pub fn polar(linear: DMat3) -> (DQuat, DMat3) {
    let sign = if linear.determinant() < 0.0 { -1.0 } else { 1.0 };
    let rotation = nearest_rotation(linear * sign);
    let stretch = DMat3::from_quat(rotation).transpose() * linear;
    (rotation, (stretch + stretch.transpose()) * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use proptest::prelude::*;

    fn quat() -> impl Strategy<Value = DQuat> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_filter_map("too short", |v| {
            DQuat::from_array(v).length_squared().gt(&1e-3).then(|| DQuat::from_array(v).normalize())
        })
    }

    fn off(a: DMat3, b: DMat3) -> f64 {
        (a - b).to_cols_array().iter().fold(0.0, |m, e| m.max(e.abs()))
    }

    proptest! {
        #[test]
        fn a_product_of_rotation_and_stretch_comes_apart_again(
            r in quat(), axes in quat(), s in [0.01..9.0_f64, 0.01..9.0, 0.01..9.0], mirror in any::<bool>(),
        ) {
            let turn = DMat3::from_quat(axes);
            let sign = if mirror { -1.0 } else { 1.0 };
            let stretch = turn * DMat3::from_diagonal(DVec3::from(s) * sign) * turn.transpose();
            let (rotation, got) = polar(DMat3::from_quat(r) * stretch);
            prop_assert!(off(DMat3::from_quat(rotation), DMat3::from_quat(r)) < 1e-9);
            prop_assert!(off(got, stretch) < 1e-9);
        }

        #[test]
        fn turns_near_a_half_and_nearly_flat_stretches_lose_only_what_the_matrix_does(
            axis in quat(), short in -9.0..0.0_f64, axes in quat(),
            thin in [-9.0..0.0_f64, -9.0..0.0], mirror in any::<bool>(),
        ) {
            // Half a turn but for 1e-9 to 1 radian: the quaternion's real part is as small as can be.
            let axis = (axis * DVec3::X).normalize();
            let r = DQuat::from_axis_angle(axis, std::f64::consts::PI - 10_f64.powf(short));
            let (wide, narrow) = (thin[0].max(thin[1]), thin[0].min(thin[1]));
            let smallest = 10_f64.powf(narrow) * if mirror { -0.5 } else { 1.0 };
            let s = DVec3::new(1.0, 10_f64.powf(wide), smallest);
            let turn = DMat3::from_quat(axes);
            let stretch = turn * DMat3::from_diagonal(s) * turn.transpose();
            let got = nearest_rotation(DMat3::from_quat(r) * stretch);
            // What resists a turn about the long axis is the sum of the other two; rounding of the entries is over that.
            let radians = 2.0 * (got - r).length().min((got + r).length());
            let allowed = 1e-12 + 1e-14 / (s.y + s.z);
            prop_assert!(radians < allowed, "off by {radians:e}, allowed {allowed:e}");
        }

        #[test]
        fn flattened_matrices_still_give_a_unit_rotation_that_rebuilds_them(
            r in quat(), axes in quat(), s in [0.1..9.0_f64, 0.1..9.0], flat in 1..4_usize,
        ) {
            let turn = DMat3::from_quat(axes);
            let diagonal = match flat { 1 => [s[0], s[1], 0.0], 2 => [s[0], 0.0, 0.0], _ => [0.0; 3] };
            let linear = DMat3::from_quat(r) * turn * DMat3::from_diagonal(diagonal.into()) * turn.transpose();
            let (rotation, stretch) = polar(linear);
            prop_assert!((rotation.length() - 1.0).abs() < 1e-12);
            prop_assert!(off(DMat3::from_quat(rotation) * stretch, linear) < 1e-9);
        }
    }

    #[test]
    fn the_quick_way_and_the_sure_way_agree() {
        let (mut quick, mut compared) = (0, 0);
        for step in 0..500 {
            let t = f64::from(step);
            let column =
                |k: f64| DVec3::new((t * 1.3 + k).sin(), (t * 2.1 + 2.0 * k).cos(), (t * 0.7 - k).sin());
            let m = DMat3::from_cols(column(0.0), column(1.0), column(2.5) * (t * 0.11).sin());
            let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
            let mut a = [
                [x.x + y.y + z.z, y.z - z.y, z.x - x.z, x.y - y.x],
                [y.z - z.y, x.x - y.y - z.z, y.x + x.y, z.x + x.z],
                [z.x - x.z, y.x + x.y, y.y - x.x - z.z, z.y + y.z],
                [x.y - y.x, z.x + x.z, z.y + y.z, z.z - x.x - y.y],
            ];
            let squares = x.length_squared() + y.length_squared() + z.length_squared();
            let found = top_vector(&a, squares, x.dot(y.cross(z)));
            let vectors = diagonalize(&mut a);
            let top = (1..4).fold(0, |best, i| if a[i][i] > a[best][best] { i } else { best });
            if let Some(found) = found {
                let sure = [0, 1, 2, 3].map(|row: usize| vectors[row][top]);
                let cosine = dot4(&found, &sure) / dot4(&found, &found).sqrt();
                assert!(cosine.abs() > 1.0 - 1e-10, "step {step}: {cosine}");
                quick += 1;
            }
            compared += 1;
        }
        assert!(quick * 2 > compared, "only {quick} of {compared} went the quick way");
    }

    #[test]
    fn the_nearest_rotation_to_a_mirror_is_a_rotation() {
        let mirror = DMat3::from_diagonal(DVec3::new(3.0, 2.0, -1.0));
        let r = DMat3::from_quat(nearest_rotation(mirror));
        assert!(off(r, DMat3::IDENTITY) < 1e-12, "the smallest axis is the one to drop: {r}");
    }

    #[test]
    fn numbers_of_any_size_are_fine_and_not_a_number_is_the_identity() {
        let r = DQuat::from_rotation_y(2.0);
        for size in [1e-300, 1e-30, 1e30, 1e150] {
            assert!(nearest_rotation(DMat3::from_quat(r) * size).dot(r).abs() > 1.0 - 1e-12);
        }
        assert_eq!(nearest_rotation(DMat3::ZERO * f64::NAN), DQuat::IDENTITY);
    }
}
