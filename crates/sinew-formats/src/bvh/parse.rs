//! From bytes to a [`Bvh`].

use super::{Bvh, BvhChannel, BvhJoint, is_usable, words::Words};
use crate::ReadError;
use sinew::{Skeleton, glam::DVec3};

/// What a file has beside a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BvhNotes {
    /// Numbers after as many frames as the file says it has. They are left out, as other programs do.
    pub surplus_numbers: usize,
}

impl Bvh {
    /// Reads a BVH file from memory.
    ///
    /// Words may be separated by any space and lines ended in any way; keywords are read in any case. Memory grows with the bytes
    /// that are there, not with what they promise.
    ///
    /// # Errors
    /// Where the text breaks the format; the error says in which line and what was met.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_noting(bytes).map(|(bvh, _)| bvh)
    }

    /// As [`Bvh::parse`], with what was left out.
    ///
    /// # Errors
    /// As [`Bvh::parse`].
    pub fn parse_noting(bytes: &[u8]) -> Result<(Self, BvhNotes), ReadError> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        // Only names can hold anything but ASCII, and some are in old encodings.
        let text = String::from_utf8_lossy(bytes);
        let mut parser = Parser { words: Words::new(&text), joints: Vec::new(), channel_count: 0 };
        parser.expect("HIERARCHY")?;
        parser.hierarchy()?;
        let (frame_secs, values) = parser.motion()?;
        let notes = BvhNotes { surplus_numbers: parser.surplus()? };
        let bvh = Self::new(parser.joints, frame_secs, values);
        Ok((bvh.map_err(|e| ReadError::invalid("the motion", e))?, notes))
    }
}

/// True where bytes begin like a BVH file.
pub(crate) fn is_bvh(bytes: &[u8]) -> bool {
    const FIRST: &[u8] = b"HIERARCHY";
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    text.get(..FIRST.len()).is_some_and(|word| word.eq_ignore_ascii_case(FIRST))
}

struct Parser<'a> {
    words: Words<'a>,
    joints: Vec<BvhJoint>,
    channel_count: usize,
}

/// A joint whose closing brace has not come yet.
struct Open {
    joint: usize,
    has_offset: bool,
    has_channels: bool,
}

impl<'a> Parser<'a> {
    /// An error in the line of the next word.
    fn error(&mut self, what: impl Into<String>) -> ReadError {
        ReadError::invalid(format!("line {}", self.words.line()), what.into())
    }

    /// The next word; `wanted` is what should stand there.
    fn word(&mut self, wanted: &str) -> Result<&'a str, ReadError> {
        match self.words.next() {
            Some(word) => Ok(word),
            None => Err(self.error(format!("the file ends where {wanted} should stand"))),
        }
    }

    /// Says that the next word is not what should stand there.
    fn met(&mut self, wanted: &str) -> ReadError {
        match self.words.peek() {
            Some(word) => {
                let shown: String = word.chars().take(40).collect();
                self.error(format!("{shown:?} stands where {wanted} should"))
            }
            None => self.error(format!("the file ends where {wanted} should stand")),
        }
    }

    fn expect(&mut self, keyword: &str) -> Result<(), ReadError> {
        if self.accept(keyword) { Ok(()) } else { Err(self.met(keyword)) }
    }

    /// Takes `keyword` where it is the next word.
    fn accept(&mut self, keyword: &str) -> bool {
        let is_next = self.words.peek().is_some_and(|w| w.eq_ignore_ascii_case(keyword));
        if is_next {
            self.words.next();
        }
        is_next
    }

    fn number(&mut self, wanted: &str) -> Result<f64, ReadError> {
        let usable = |word: &str| word.parse().ok().filter(|&number| is_usable(number));
        let Some(number) = self.words.peek().and_then(usable) else { return Err(self.met(wanted)) };
        self.words.next();
        Ok(number)
    }

    fn vector(&mut self) -> Result<DVec3, ReadError> {
        let mut next = || self.number("a number of an OFFSET");
        Ok(DVec3::new(next()?, next()?, next()?))
    }

    /// Everything up to and with the word MOTION. Open joints are a list, so a file may be as deep as it likes.
    fn hierarchy(&mut self) -> Result<(), ReadError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let Some(top) = open.last_mut() else {
                if !self.joints.is_empty() && self.accept("MOTION") {
                    return Ok(());
                }
                self.expect("ROOT")?;
                open.push(self.open(None)?);
                continue;
            };
            if self.accept("OFFSET") {
                if std::mem::replace(&mut top.has_offset, true) {
                    return Err(self.error("a joint has one OFFSET, this is the second"));
                }
                self.joints[top.joint].offset = self.vector()?;
            } else if self.accept("CHANNELS") {
                let is_late = self.joints.len() > top.joint + 1;
                if std::mem::replace(&mut top.has_channels, true) || is_late {
                    return Err(self.error("CHANNELS stand once in a joint, before the joints in it"));
                }
                self.channels(top.joint)?;
            } else if self.accept("JOINT") {
                let parent = top.joint;
                open.push(self.open(Some(parent))?);
            } else if self.accept("End") {
                let joint = top.joint;
                let end = self.end_site()?;
                self.joints[joint].end_sites.push(end);
            } else if self.words.peek() == Some("}") {
                if !top.has_offset {
                    return Err(self.error("a joint ends without an OFFSET"));
                }
                self.words.next();
                open.pop();
            } else {
                return Err(self.met("OFFSET, CHANNELS, JOINT, End Site or a closing brace"));
            }
        }
    }

    /// A joint's name and opening brace.
    fn open(&mut self, parent: Option<usize>) -> Result<Open, ReadError> {
        let joint = self.joints.len();
        if joint >= Skeleton::MAX_JOINTS {
            return Err(
                self.error(format!("this is joint {joint}, and {} is the most", Skeleton::MAX_JOINTS))
            );
        }
        // What is no line break can still be a character that no file should have.
        let name = self.words.name().replace(char::is_control, " ").trim().to_owned();
        self.expect("{")?;
        let (channels, end_sites) = (Vec::new(), Vec::new());
        self.joints.push(BvhJoint { name, parent, offset: DVec3::ZERO, channels, end_sites });
        Ok(Open { joint, has_offset: false, has_channels: false })
    }

    fn channels(&mut self, joint: usize) -> Result<(), ReadError> {
        let count = self.word("a number of channels")?;
        let Some(count) = count.parse::<usize>().ok().filter(|&n| n <= BvhChannel::ALL.len()) else {
            return Err(self.error(format!("{count:?} is no number of channels from 0 to 6")));
        };
        for _ in 0..count {
            let met = self.words.peek().unwrap_or_default();
            let found = BvhChannel::ALL.into_iter().find(|c| c.name().eq_ignore_ascii_case(met));
            let Some(channel) = found else { return Err(self.met("a channel such as Xrotation")) };
            if self.joints[joint].channels.contains(&channel) {
                return Err(self.error(format!("{channel} stands twice in one joint")));
            }
            self.words.next();
            self.joints[joint].channels.push(channel);
        }
        self.channel_count += count;
        Ok(())
    }

    /// What follows the word End.
    fn end_site(&mut self) -> Result<DVec3, ReadError> {
        // Some files give it a name.
        self.words.name();
        self.expect("{")?;
        self.expect("OFFSET")?;
        let offset = self.vector()?;
        if self.accept("CHANNELS") {
            self.expect("0")?;
        }
        self.expect("}")?;
        Ok(offset)
    }

    /// The time between frames and the numbers of all of them.
    fn motion(&mut self) -> Result<(f64, Vec<f64>), ReadError> {
        self.expect("Frames")?;
        self.accept(":");
        let count = self.words.peek().and_then(|w| w.parse::<usize>().ok());
        let Some(frames) = count else { return Err(self.met("a number of frames")) };
        self.words.next();
        if !self.accept("FrameTime") {
            self.expect("Frame")?;
            self.expect("Time")?;
        }
        self.accept(":");
        let secs = self.number("a time between frames")?;
        if secs < 0.0 {
            return Err(self.error(format!("frames cannot be {secs} s apart")));
        }
        Ok((secs, self.frames(frames)?))
    }

    /// How many numbers follow the last frame. Files that were cut by hand have some.
    fn surplus(&mut self) -> Result<usize, ReadError> {
        let mut count = 0;
        while self.words.peek().is_some() {
            self.number("nothing but numbers")?;
            count += 1;
        }
        Ok(count)
    }

    fn frames(&mut self, frames: usize) -> Result<Vec<f64>, ReadError> {
        let width = self.channel_count;
        let needed = frames.saturating_mul(width);
        // A number takes two bytes with the space before it: a file cannot make this larger than four times itself.
        let mut values = Vec::with_capacity(needed.min(self.words.bytes_left() / 2 + 1));
        let mut lines = LineCounts { width, ..LineCounts::default() };
        while values.len() < needed {
            lines.count(self.words.line());
            if self.words.peek().is_none() {
                let (frame, within) = (values.len() / width + 1, values.len() % width);
                let place = format!("frame {frame} of {frames} after {within} of {width} numbers");
                return Err(self.error(format!("the file ends in {place}{}", lines.hint())));
            }
            values.push(self.number("a number of a frame")?);
        }
        Ok(values)
    }
}

/// Finds the first line that holds no whole frames, to say so where numbers are missing.
#[derive(Default)]
struct LineCounts {
    width: usize,
    line: usize,
    count: usize,
    odd: Option<(usize, usize)>,
}

impl LineCounts {
    /// Notes a number in `line`.
    fn count(&mut self, line: usize) {
        if line != self.line {
            if !self.count.is_multiple_of(self.width) {
                self.odd.get_or_insert((self.line, self.count));
            }
            (self.line, self.count) = (line, 0);
        }
        self.count += 1;
    }

    fn hint(&self) -> String {
        match self.odd {
            Some((line, count)) => format!("; line {line} has {count} numbers"),
            None => String::new(),
        }
    }
}
