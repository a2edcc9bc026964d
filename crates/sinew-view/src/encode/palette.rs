//! One palette for all frames of an animation: equal colors stay equal from frame to frame, so nothing
//! flickers and unchanged areas take no space.

use crate::color::{Color, Oklab};
use crate::glam::Vec3;
use crate::picture::Picture;

/// Bits per channel in the color table: fine enough to keep the steps of a soft gradient.
const BITS: u32 = 7;
const CELLS: usize = 1 << (3 * BITS);

/// Up to 256 colors, and the nearest of them for each cell of the color table.
#[derive(Debug)]
pub(super) struct ColorTable {
    /// Palette colors as sRGB bytes.
    pub(super) colors: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

/// The mean of all colors in one cell.
#[derive(Clone, Copy)]
struct Swatch {
    cell: usize,
    lab: Vec3,
    weight: f32,
}

impl ColorTable {
    /// The palette that shows all frames best, with at most `limit` (up to 256) colors.
    pub(super) fn of(frames: &[Picture], limit: usize) -> Self {
        let swatches = count(frames);
        let mut centers = cut(&swatches, limit.clamp(1, 256));
        for _ in 0..6 {
            settle(&swatches, &mut centers);
        }
        let mut nearest = vec![0; CELLS];
        for swatch in &swatches {
            nearest[swatch.cell] = closest(&centers, swatch.lab) as u8;
        }
        let colors = centers
            .iter()
            .map(|lab| {
                let rgb = Oklab { l: lab.x, a: lab.y, b: lab.z }.to_linear();
                let [r, g, b, _] = Color::from_rgb(rgb).to_srgb8();
                [r, g, b]
            })
            .collect();
        Self { colors, nearest }
    }

    /// The palette index of a pixel of the frames that the palette was made for.
    pub(super) fn index(&self, pixel: [u8; 4]) -> u8 {
        self.nearest[cell_of(on_white(pixel))]
    }
}

/// GIF supports no partial alpha: transparent pixels are blended onto white.
fn on_white(pixel: [u8; 4]) -> [u8; 3] {
    let alpha = u32::from(pixel[3]);
    let mix = |value: u8| ((u32::from(value) * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
    [mix(pixel[0]), mix(pixel[1]), mix(pixel[2])]
}

fn cell_of(rgb: [u8; 3]) -> usize {
    rgb.iter().fold(0, |cell, &value| cell << BITS | usize::from(value >> (8 - BITS)))
}

/// Count and sum of the pixels in a cell.
#[derive(Clone, Copy)]
struct Tally {
    cell: usize,
    count: u64,
    sum: [u64; 3],
}

/// Every color in use, weighted by the square root of its frequency: large flat areas count more than specks, but do
/// not take the whole palette.
fn count(frames: &[Picture]) -> Vec<Swatch> {
    // Index of each cell in the list plus one; few of the two million cells are in use.
    let mut places = vec![0u32; CELLS];
    let mut tallies: Vec<Tally> = Vec::new();
    for pixel in frames.iter().flat_map(Picture::pixels) {
        let rgb = on_white(*pixel);
        let cell = cell_of(rgb);
        if places[cell] == 0 {
            tallies.push(Tally { cell, count: 0, sum: [0; 3] });
            places[cell] = u32::try_from(tallies.len()).unwrap_or(u32::MAX);
        }
        let tally = &mut tallies[places[cell] as usize - 1];
        tally.count += 1;
        for (sum, value) in tally.sum.iter_mut().zip(rgb) {
            *sum += u64::from(value);
        }
    }
    tallies.iter().map(Tally::swatch).collect()
}

impl Tally {
    fn swatch(&self) -> Swatch {
        let [r, g, b] = self.sum.map(|sum| ((sum + self.count / 2) / self.count).min(255) as u8);
        let lab = Oklab::from_linear(Color::srgb8(r, g, b).rgb());
        Swatch { cell: self.cell, lab: Vec3::new(lab.l, lab.a, lab.b), weight: (self.count as f32).sqrt() }
    }
}

/// Cuts the cloud of colors into boxes, always the one with the largest error along its longest side, and
/// returns their means.
fn cut(swatches: &[Swatch], limit: usize) -> Vec<Vec3> {
    let mut boxes = vec![Box3::of(swatches.to_vec())];
    while boxes.len() < limit {
        let worst = (0..boxes.len())
            .filter(|&index| boxes[index].swatches.len() > 1)
            .max_by(|&one, &other| boxes[one].error.total_cmp(&boxes[other].error));
        let Some(worst) = worst else { break };
        let (low, high) = boxes.swap_remove(worst).halves();
        boxes.extend([low, high]);
    }
    boxes.iter().map(|one| one.mean).collect()
}

struct Box3 {
    swatches: Vec<Swatch>,
    mean: Vec3,
    axis: usize,
    error: f32,
}

impl Box3 {
    fn of(swatches: Vec<Swatch>) -> Self {
        let total: f32 = swatches.iter().map(|swatch| swatch.weight).sum::<f32>().max(1e-9);
        let mean = swatches.iter().map(|swatch| swatch.lab * swatch.weight).sum::<Vec3>() / total;
        let spread: Vec3 =
            swatches.iter().map(|swatch| (swatch.lab - mean) * (swatch.lab - mean) * swatch.weight).sum();
        let axis = (0..3).max_by(|&one, &other| spread[one].total_cmp(&spread[other])).unwrap_or(0);
        Self { error: spread[axis], swatches, mean, axis }
    }

    fn halves(mut self) -> (Self, Self) {
        let axis = self.axis;
        // The cell breaks ties, so that the order never depends on the sort.
        self.swatches.sort_unstable_by(|one, other| {
            one.lab[axis].total_cmp(&other.lab[axis]).then(one.cell.cmp(&other.cell))
        });
        let middle = self.swatches.partition_point(|swatch| swatch.lab[axis] <= self.mean[axis]);
        let high = self.swatches.split_off(middle.clamp(1, self.swatches.len() - 1));
        (Self::of(self.swatches), Self::of(high))
    }
}

/// One round of k-means: every color moves to the mean of the swatches nearest to it.
fn settle(swatches: &[Swatch], centers: &mut [Vec3]) {
    let mut sums = vec![(Vec3::ZERO, 0.0f32); centers.len()];
    for swatch in swatches {
        let sum = &mut sums[closest(centers, swatch.lab)];
        *sum = (sum.0 + swatch.lab * swatch.weight, sum.1 + swatch.weight);
    }
    for (center, (sum, weight)) in centers.iter_mut().zip(sums) {
        if weight > 0.0 {
            *center = sum / weight;
        }
    }
}

fn closest(centers: &[Vec3], lab: Vec3) -> usize {
    let mut best = (f32::INFINITY, 0);
    for (index, center) in centers.iter().enumerate() {
        let distance = center.distance_squared(lab);
        if distance < best.0 {
            best = (distance, index);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colors_are_kept_exactly() {
        let mut picture = Picture::filled(8, 8, Color::hex(0x102030));
        picture.place(&Picture::filled(2, 2, Color::hex(0xff8040)), 3, 3);
        let palette = ColorTable::of(std::slice::from_ref(&picture), 255);
        for pixel in picture.pixels() {
            let shown = palette.colors[usize::from(palette.index(*pixel))];
            assert!(shown.iter().zip(pixel).all(|(&a, &b)| a.abs_diff(b) <= 1), "{shown:?} for {pixel:?}");
        }
    }

    #[test]
    fn a_gradient_of_thousands_of_colors_stays_close() {
        let pixels = (0..128 * 128).map(|i| [(i % 128) as u8 * 2, (i / 128) as u8 * 2, 90, 255]).collect();
        let picture = Picture::from_pixels(128, 128, pixels).unwrap();
        let palette = ColorTable::of(std::slice::from_ref(&picture), 255);
        assert_eq!(palette.colors.len(), 255);
        let error: f32 = picture
            .pixels()
            .iter()
            .map(|pixel| {
                let shown = palette.colors[usize::from(palette.index(*pixel))];
                (0..3).map(|i| f32::from(shown[i].abs_diff(pixel[i]))).fold(0.0, f32::max)
            })
            .sum();
        let mean = error / picture.pixels().len() as f32;
        assert!(mean < 8.0, "mean error {mean}");
    }
}
