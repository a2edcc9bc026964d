//! Rotations with signs that are followed in time.

use super::Frame;
use crate::palette::RotationHistory;

impl Frame {
    /// Evaluates the dual quaternions of the current pose, with the signs of [`Frame::follow_rotations`] if it was called.
    pub(super) fn update_dual_quats(&mut self) {
        let skins = self.dual_quats.iter_mut().zip(&self.palettes).zip(self.character.skins());
        for ((dual_quats, palette), skin) in skins {
            dual_quats.update(skin, palette);
        }
        if self.is_followed {
            let skins = self.dual_quats.iter_mut().zip(&self.followed);
            skins.for_each(|(dual_quats, history)| history.repeat(dual_quats));
        }
    }

    /// Lets joints turn past 180 degrees without a jump: methods that blend rotations take them in this pose with the signs
    /// that follow those of the last call. `histories` has one entry for each skin and belongs to one instance.
    ///
    /// Call it once per frame, after the pose is sampled and edited and springs are stepped, and before
    /// [`Frame::deform`]. [`RotationHistory`] has the limits.
    ///
    /// # Panics
    /// If `histories` has another number of entries than the character has skins.
    pub fn follow_rotations(&mut self, histories: &mut [RotationHistory]) {
        let (count, wanted) = (histories.len(), self.character.skins().len());
        assert!(count == wanted, "there are {count} histories of rotations for {wanted} skins");
        self.update();
        self.is_followed = false;
        self.update_dual_quats();
        let skins = self.dual_quats.iter_mut().zip(self.character.skins());
        for ((dual_quats, skin), history) in skins.zip(histories.iter_mut()) {
            history.follow(self.character.skeleton(), skin, dual_quats);
        }
        self.followed.iter_mut().zip(histories).for_each(|(kept, history)| kept.clone_from(history));
        self.is_followed = true;
    }
}
