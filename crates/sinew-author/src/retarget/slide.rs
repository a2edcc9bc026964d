//! How vertices that touch the ground slide over it.

use sinew::glam::Vec3;

/// How much planted feet or hands slide over the ground, measured on the vertices that touch it.
///
/// In each frame these are the vertices within 0.5 % of the character's height above the lowest one of the foot or hand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactSlide {
    /// The mean speed over all frames of contacts.
    pub mean_meters_per_sec: f32,
    /// The largest speed between two frames of a contact.
    pub worst_meters_per_sec: f32,
    /// The largest distance that a vertex moves from where it touched the ground first, while it touches it.
    pub worst_drift_meters: f32,
}

/// A vertex this far above the lowest one touches the ground, as a fraction of the height of the character.
const TOUCHING: f32 = 0.005;

/// Measures frame by frame.
#[derive(Debug)]
pub(super) struct SlideMeter {
    up: Vec3,
    touching_meters: f32,
    before: Vec<Vec3>,
    /// Where each vertex touched the ground first; `None` while it does not touch it.
    touched_at: Vec<Option<Vec3>>,
    way_meters: f64,
    secs: f64,
    slide: ContactSlide,
}

impl SlideMeter {
    pub(super) fn new(vertices: usize, up: Vec3, height_meters: f32) -> Self {
        Self {
            up,
            touching_meters: TOUCHING * height_meters,
            before: Vec::with_capacity(vertices),
            touched_at: vec![None; vertices],
            way_meters: 0.0,
            secs: 0.0,
            slide: ContactSlide::default(),
        }
    }

    /// Forgets the contact before.
    pub(super) fn lift(&mut self) {
        self.before.clear();
        self.touched_at.fill(None);
    }

    /// Adds a frame of a contact, `secs` after the one before. Returns how far the touching vertices moved over the ground.
    pub(super) fn push(&mut self, places: &[Vec3], secs: f32) -> Vec3 {
        let height = |p: &Vec3| p.dot(self.up);
        let lowest = places.iter().map(height).fold(f32::INFINITY, f32::min);
        let flat = |v: Vec3| v - self.up * v.dot(self.up);
        let (mut sum, mut count, mut nearest) = (Vec3::ZERO, 0, (f32::INFINITY, Vec3::ZERO));
        for (vertex, place) in places.iter().enumerate() {
            let above = height(place) - lowest;
            let step = self.before.get(vertex).map(|before| flat(*place - *before));
            if above < nearest.0 {
                nearest = (above, step.unwrap_or_default());
            }
            let was = self.touched_at[vertex];
            self.touched_at[vertex] = (above <= self.touching_meters).then(|| was.unwrap_or(*place));
            if let (Some(step), Some(first), Some(_)) = (step, was, self.touched_at[vertex]) {
                (sum, count) = (sum + step, count + 1);
                let drift = flat(*place - first).length();
                self.slide.worst_drift_meters = self.slide.worst_drift_meters.max(drift);
            }
        }
        // Where no vertex touches in both frames, the foot rolls, and the lowest one stands for it.
        let step = if count > 0 { sum / count as f32 } else { nearest.1 };
        if !self.before.is_empty() && secs > 0.0 {
            let way = step.length();
            self.slide.worst_meters_per_sec = self.slide.worst_meters_per_sec.max(way / secs);
            (self.way_meters, self.secs) = (self.way_meters + f64::from(way), self.secs + f64::from(secs));
        }
        self.before.clear();
        self.before.extend_from_slice(places);
        step
    }

    pub(super) fn finish(mut self) -> ContactSlide {
        if self.secs > 0.0 {
            self.slide.mean_meters_per_sec = (self.way_meters / self.secs) as f32;
        }
        self.slide
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_vertices_on_the_ground_slide() {
        let mut meter = SlideMeter::new(2, Vec3::Y, 1.0);
        for step in 0..5_u8 {
            let x = f32::from(step) * 0.1;
            // The first vertex stands, the second is above it and swings.
            meter.push(&[Vec3::ZERO, Vec3::new(x, 0.1, 0.0)], 0.1);
        }
        assert_eq!(meter.finish(), ContactSlide::default());
    }

    #[test]
    fn slides_are_measured_within_contacts() {
        let mut meter = SlideMeter::new(1, Vec3::Y, 1.0);
        for start in [0.0_f32, 7.0] {
            meter.lift();
            for step in 0..4_u8 {
                meter.push(&[Vec3::new(start + f32::from(step) * 0.02, 0.0, 0.0)], 0.1);
            }
        }
        let slide = meter.finish();
        assert!((slide.mean_meters_per_sec - 0.2).abs() < 1e-5, "{slide:?}");
        assert!((slide.worst_drift_meters - 0.06).abs() < 1e-5, "{slide:?}");
    }
}
