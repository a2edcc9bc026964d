//! Directions on an octahedron that is unfolded into a square.
//!
//! The middle of the square is the +X direction and its corners are -X. Coordinates count from 0 to an even maximum,
//! with the centre in the middle; the inner diamond is the half in front.

use super::DracoError;
use super::bytes::Bytes;

/// A square of a given resolution.
#[derive(Debug, Clone, Copy)]
pub(super) struct Octahedron {
    /// The number of steps along a side, odd.
    steps: i32,
}

impl Octahedron {
    /// A square with `bits` bits for each coordinate.
    pub(super) fn with_bits(bits: u32) -> Result<Self, DracoError> {
        if !(2..=30).contains(&bits) {
            return Err(DracoError::Count {
                what: "number of bits of a normal",
                value: bits.into(),
                limit: 30,
            });
        }
        Ok(Self { steps: (1 << bits) - 1 })
    }

    /// Reads the resolution that the corrections were made for.
    pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<Self, DracoError> {
        let steps = bytes.u32()?;
        // The centre follows, which the steps already tell.
        bytes.i32()?;
        if steps.is_multiple_of(2) {
            return Err(DracoError::Malformed {
                what: "the number of steps of a normal is even",
                index: steps as usize,
            });
        }
        Self::with_bits(u32::BITS - steps.leading_zeros())
    }

    /// The largest coordinate.
    fn max(self) -> i32 {
        self.steps - 1
    }

    fn center(self) -> i32 {
        self.max() / 2
    }

    /// The value that `correction` makes of `predicted`, both coordinates on the square.
    ///
    /// The correction was made after turning the square so that the prediction lies in the lower left of the inner
    /// diamond; this turns there, adds, and turns back.
    pub(super) fn apply(self, predicted: [i32; 2], correction: [i32; 2]) -> [i32; 2] {
        let center = i64::from(self.center());
        let mut at = predicted.map(|coordinate| i64::from(coordinate) - center);
        let folded = at[0].abs() + at[1].abs() > center;
        if folded {
            at = flip_halves(at, center);
        }
        let turns = if is_lower_left(at) { 0 } else { turns_to_lower_left(at) };
        let at = turn(at, turns);
        let mut sum =
            [self.wrapped(at[0] + i64::from(correction[0])), self.wrapped(at[1] + i64::from(correction[1]))];
        sum = turn(sum, (4 - turns) % 4);
        if folded {
            sum = flip_halves(sum, center);
        }
        // Only corrections that no encoder writes leave the square, and then any value will do.
        sum.map(|coordinate| (coordinate + center) as i32)
    }

    fn wrapped(self, coordinate: i64) -> i64 {
        let (center, steps) = (i64::from(self.center()), i64::from(self.steps));
        if coordinate > center {
            coordinate - steps
        } else if coordinate < -center {
            coordinate + steps
        } else {
            coordinate
        }
    }

    /// The square's coordinates of a direction given as any integer vector, turned around if `flip`.
    pub(super) fn coordinates(self, direction: [i64; 3], flip: bool) -> [i32; 2] {
        let mut at = self.scaled(direction);
        if flip {
            at = at.map(|coordinate| -coordinate);
        }
        let (max, center) = (self.max(), self.center());
        let [x, y, z] = at;
        let [s, t] = if x >= 0 {
            [y + center, z + center]
        } else {
            [if y < 0 { z.abs() } else { max - z.abs() }, if z < 0 { y.abs() } else { max - y.abs() }]
        };
        self.canonical(s, t)
    }

    /// The vector scaled so that its coordinates sum to the centre, signs aside.
    fn scaled(self, direction: [i64; 3]) -> [i32; 3] {
        let center = i128::from(self.center());
        let [x, y, z] = direction.map(i128::from);
        let sum = x.abs() + y.abs() + z.abs();
        if sum == 0 {
            return [self.center(), 0, 0];
        }
        let (x, y) = (x * center / sum, y * center / sum);
        let rest = center - x.abs() - y.abs();
        let z = if z >= 0 { rest } else { -rest };
        // All three are at most the centre, which fits.
        [x as i32, y as i32, z as i32]
    }

    /// Where the rim of the square has two coordinates for one direction, the one that encoders use.
    fn canonical(self, s: i32, t: i32) -> [i32; 2] {
        let (max, center) = (self.max(), self.center());
        let mirrored = |coordinate: i32| 2 * center - coordinate;
        if (s == 0 && (t == 0 || t == max)) || (s == max && t == 0) {
            [max, max]
        } else if (s == 0 && t > center) || (s == max && t < center) {
            [s, mirrored(t)]
        } else if (t == max && s < center) || (t == 0 && s > center) {
            [mirrored(s), t]
        } else {
            [s, t]
        }
    }

    /// The unit vector at a place on the square.
    pub(super) fn unit_vector(self, [s, t]: [i32; 2]) -> [f32; 3] {
        let scale = 2.0 / self.max() as f32;
        let (mut y, mut z) = (s as f32 * scale - 1.0, t as f32 * scale - 1.0);
        let x = 1.0 - y.abs() - z.abs();
        // Behind the diamond x is negative, and the corner folds over.
        let fold = (-x).max(0.0);
        y += if y < 0.0 { fold } else { -fold };
        z += if z < 0.0 { fold } else { -fold };
        let squared = x * x + y * y + z * z;
        if squared < 1e-6 {
            return [0.0; 3];
        }
        let inverse = 1.0 / squared.sqrt();
        [x * inverse, y * inverse, z * inverse]
    }
}

/// Exchanges the inner diamond with the four corners of the square.
fn flip_halves([s, t]: [i64; 2], center: i64) -> [i64; 2] {
    let (sign_s, sign_t) = if s >= 0 && t >= 0 {
        (1, 1)
    } else if s <= 0 && t <= 0 {
        (-1, -1)
    } else {
        (if s > 0 { 1 } else { -1 }, if t > 0 { 1 } else { -1 })
    };
    let (corner_s, corner_t) = (sign_s * center, sign_t * center);
    let (s, t) = (2 * s - corner_s, 2 * t - corner_t);
    let (s, t) = if sign_s == sign_t { (-t, -s) } else { (t, s) };
    [(s + corner_s) / 2, (t + corner_t) / 2]
}

fn is_lower_left([s, t]: [i64; 2]) -> bool {
    (s == 0 && t == 0) || (s < 0 && t <= 0)
}

/// The quarter turns that bring a place into the lower left.
fn turns_to_lower_left([s, t]: [i64; 2]) -> u32 {
    match (s.signum(), t.signum()) {
        (0, 0) | (-1, 0 | -1) => 0,
        (0 | 1, -1) => 1,
        (1, _) => 2,
        _ => 3,
    }
}

fn turn([s, t]: [i64; 2], turns: u32) -> [i64; 2] {
    match turns {
        1 => [t, -s],
        2 => [-s, -t],
        3 => [-t, s],
        _ => [s, t],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_axes_at_the_middle_the_edges_and_the_corner() {
        let octahedron = Octahedron::with_bits(4).unwrap();
        let cases = [
            ([9, 0, 0], [7, 7], [1.0, 0.0, 0.0]),
            ([-9, 0, 0], [14, 14], [-1.0, 0.0, 0.0]),
            ([0, 3, 0], [14, 7], [0.0, 1.0, 0.0]),
            ([0, 0, -3], [7, 0], [0.0, 0.0, -1.0]),
        ];
        for (direction, place, unit) in cases {
            assert_eq!(octahedron.coordinates(direction, false), place);
            assert_eq!(octahedron.unit_vector(place), unit);
        }
    }

    #[test]
    fn a_zero_correction_keeps_every_place_that_encoders_use() {
        let octahedron = Octahedron::with_bits(3).unwrap();
        for s in 0..=6 {
            for t in 0..=6 {
                // The rim has two places for one direction, and the correction may change to the other.
                let used = octahedron.canonical(s, t);
                assert_eq!(octahedron.apply(used, [0, 0]), used);
            }
        }
    }
}
