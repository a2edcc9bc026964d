//! Cursors: the keys of the latest sample.

/// The latest key of each channel of a clip, so that the next sample needs no search.
///
/// Keep one for each clip that an instance plays. It only saves time: a new cursor, or one of another clip, gives the same
/// bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClipCursor {
    keys: Vec<u32>,
}

impl ClipCursor {
    /// A cursor at the start with room for `channels` searched channels, so that the first sample allocates nothing.
    ///
    /// That is the number of a [`Clip`](crate::Clip)'s channels, or
    /// [`CompactClip::keyed_channel_count`](crate::CompactClip::keyed_channel_count).
    pub fn with_room(channels: usize) -> Self {
        Self { keys: vec![0; channels] }
    }

    /// The latest key of each of `count` channels.
    pub(super) fn hints(&mut self, count: usize) -> &mut [u32] {
        if self.keys.len() < count {
            self.keys.resize(count, 0);
        }
        &mut self.keys[..count]
    }
}
