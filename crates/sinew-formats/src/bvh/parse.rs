//! The parser from BVH text to a [`Bvh`].

use super::{Bvh, BvhChannel, BvhJoint, is_usable, words::Words};
use crate::{ReadError, names};
use sinew::{Skeleton, glam::DVec3};

/// Data of a file that was skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BvhNotes {
    /// The number of values after the declared frames, which are skipped as other programs do.
    pub surplus_numbers: usize,
}

impl Bvh {
    /// Reads a BVH file from memory.
    ///
    /// Any whitespace separates words, line ends can be of any kind, and keywords can be in any case. Memory is bounded by
    /// the size of the input, whatever counts it declares.
    ///
    /// # Errors
    /// When the text is malformed; the error names the line and the word.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_noting(bytes).map(|(bvh, _)| bvh)
    }

    /// As [`Bvh::parse`], and reports what was skipped.
    ///
    /// # Errors
    /// As [`Bvh::parse`].
    pub fn parse_noting(bytes: &[u8]) -> Result<(Self, BvhNotes), ReadError> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        // Only names can be other than ASCII, and some are in legacy encodings.
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

/// True when the bytes start like a BVH file.
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

/// A joint whose closing brace is still to come.
struct OpenJoint {
    joint: usize,
    has_offset: bool,
    has_channels: bool,
}

impl<'a> Parser<'a> {
    /// An error at the line of the next word.
    fn error(&mut self, what: impl Into<String>) -> ReadError {
        ReadError::invalid(format!("line {}", self.words.line()), what.into())
    }

    /// The next word; `wanted` names what is expected.
    fn word(&mut self, wanted: &str) -> Result<&'a str, ReadError> {
        match self.words.next() {
            Some(word) => Ok(word),
            None => Err(self.error(format!("expected {wanted}, got the end of the file"))),
        }
    }

    /// The error for an unexpected next word.
    fn unexpected(&mut self, wanted: &str) -> ReadError {
        match self.words.peek() {
            Some(word) => {
                let shown: String = word.chars().take(40).collect();
                self.error(format!("expected {wanted}, got {shown:?}"))
            }
            None => self.error(format!("expected {wanted}, got the end of the file")),
        }
    }

    fn expect(&mut self, keyword: &str) -> Result<(), ReadError> {
        if self.accept(keyword) { Ok(()) } else { Err(self.unexpected(keyword)) }
    }

    /// Consumes `keyword` if it is the next word.
    fn accept(&mut self, keyword: &str) -> bool {
        let is_next = self.words.peek().is_some_and(|w| w.eq_ignore_ascii_case(keyword));
        if is_next {
            self.words.next();
        }
        is_next
    }

    fn number(&mut self, wanted: &str) -> Result<f64, ReadError> {
        let usable = |word: &str| word.parse().ok().filter(|&number| is_usable(number));
        let Some(number) = self.words.peek().and_then(usable) else { return Err(self.unexpected(wanted)) };
        self.words.next();
        Ok(number)
    }

    fn vector(&mut self) -> Result<DVec3, ReadError> {
        let mut next = || self.number("a number of an OFFSET");
        Ok(DVec3::new(next()?, next()?, next()?))
    }

    /// Parses everything through the word MOTION. OpenJoint joints are a list, so depth does not consume stack.
    fn hierarchy(&mut self) -> Result<(), ReadError> {
        let mut open: Vec<OpenJoint> = Vec::new();
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
                    return Err(self.error("a joint must have one OFFSET, got a second"));
                }
                self.joints[top.joint].offset = self.vector()?;
            } else if self.accept("CHANNELS") {
                let is_late = self.joints.len() > top.joint + 1;
                if std::mem::replace(&mut top.has_channels, true) || is_late {
                    return Err(self.error("CHANNELS must appear once in a joint, before its children"));
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
                    return Err(self.error("a joint must have an OFFSET"));
                }
                self.words.next();
                open.pop();
            } else {
                return Err(self.unexpected("OFFSET, CHANNELS, JOINT, End Site or a closing brace"));
            }
        }
    }

    /// A joint's name and opening brace.
    fn open(&mut self, parent: Option<usize>) -> Result<OpenJoint, ReadError> {
        let joint = self.joints.len();
        if joint >= Skeleton::MAX_JOINTS {
            return Err(self.error(format!("there must be at most {} joints", Skeleton::MAX_JOINTS)));
        }
        // Control characters other than line breaks are not valid in names.
        let mut name = self.words.name().replace(char::is_control, " ").trim().to_owned();
        names::shorten(&mut name);
        self.expect("{")?;
        let (channels, end_sites) = (Vec::new(), Vec::new());
        self.joints.push(BvhJoint { name, parent, offset: DVec3::ZERO, channels, end_sites });
        Ok(OpenJoint { joint, has_offset: false, has_channels: false })
    }

    fn channels(&mut self, joint: usize) -> Result<(), ReadError> {
        let count = self.word("a number of channels")?;
        let Some(count) = count.parse::<usize>().ok().filter(|&n| n <= BvhChannel::ALL.len()) else {
            return Err(self.error(format!("the number of channels must be 0 to 6, got {count:?}")));
        };
        for _ in 0..count {
            let met = self.words.peek().unwrap_or_default();
            let found = BvhChannel::ALL.into_iter().find(|c| c.name().eq_ignore_ascii_case(met));
            let Some(channel) = found else { return Err(self.unexpected("a channel such as Xrotation")) };
            if self.joints[joint].channels.contains(&channel) {
                return Err(self.error(format!("the channel {channel} is duplicate in one joint")));
            }
            self.words.next();
            self.joints[joint].channels.push(channel);
        }
        self.channel_count += count;
        Ok(())
    }

    /// Parses an End Site after the word End.
    fn end_site(&mut self) -> Result<DVec3, ReadError> {
        // Some files name their End Sites.
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

    /// The time between frames in seconds and the values of all frames.
    fn motion(&mut self) -> Result<(f64, Vec<f64>), ReadError> {
        self.expect("Frames")?;
        self.accept(":");
        let count = self.words.peek().and_then(|w| w.parse::<usize>().ok());
        let Some(frames) = count else { return Err(self.unexpected("a number of frames")) };
        self.words.next();
        if !self.accept("FrameTime") {
            self.expect("Frame")?;
            self.expect("Time")?;
        }
        self.accept(":");
        let secs = self.number("a time between frames")?;
        if secs < 0.0 {
            return Err(self.error(format!("the time between frames must not be negative, got {secs} s")));
        }
        Ok((secs, self.frames(frames)?))
    }

    /// The number of values after the last frame. Files that were trimmed by hand have some.
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
        // A number takes two bytes with the space before it, so this is at most four times the size of the file.
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

/// Finds the first line that does not hold complete frames, for the error about missing numbers.
#[derive(Default)]
struct LineCounts {
    width: usize,
    line: usize,
    count: usize,
    odd: Option<(usize, usize)>,
}

impl LineCounts {
    /// Counts a number in `line`.
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
