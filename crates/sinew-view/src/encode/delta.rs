//! The changed area between two frames.

/// A rectangle in pixels of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// The smallest rectangle around all differing places of two frames of the given width, or `None`.
pub(super) fn changed<T: PartialEq>(before: &[T], after: &[T], width: usize) -> Option<Area> {
    let mut bounds: Option<[usize; 4]> = None;
    for (row, (old, new)) in before.chunks_exact(width).zip(after.chunks_exact(width)).enumerate() {
        let Some(first) = (0..width).find(|&column| old[column] != new[column]) else { continue };
        let last = (0..width).rfind(|&column| old[column] != new[column]).unwrap_or(first);
        let [left, right, top, _] = bounds.unwrap_or([first, last, row, row]);
        bounds = Some([left.min(first), right.max(last), top, row]);
    }
    bounds.map(|[left, right, top, bottom]| Area {
        left,
        top,
        width: right - left + 1,
        height: bottom - top + 1,
    })
}

impl Area {
    /// The part of a frame inside the area, row by row.
    pub(super) fn cut<T: Copy>(self, frame: &[T], width: usize) -> Vec<T> {
        (self.top..self.top + self.height)
            .flat_map(|row| &frame[row * width + self.left..][..self.width])
            .copied()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_smallest_rectangle() {
        let before = [0; 20];
        let mut after = before;
        after[6] = 1;
        after[13] = 1;
        let area = changed(&before, &after, 5).unwrap();
        assert_eq!(area, Area { left: 1, top: 1, width: 3, height: 2 });
        assert_eq!(area.cut(&after, 5), [1, 0, 0, 0, 0, 1]);
        assert_eq!(changed(&before, &before, 5), None);
    }
}
