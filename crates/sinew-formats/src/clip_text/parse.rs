//! Reads clips from text.

use super::{ClipTextError, ClipTextFault, HEADER, MAX_BYTES, write::rest_rotation};
use sinew::naming::{Labels, unquoted, without_comment};
use sinew::{
    Channel, Character, Clip, ClipEvent, ClipKind, ClipParts, Curve, CurveError, Interpolation, JointId,
    MetaChannel, MetaCurve,
    glam::{EulerRot, Quat, Vec3},
};

/// Reads the clips of a text for `character`.
///
/// # Errors
/// If a line is malformed, a joint does not exist, or keys do not form a clip. The error has the line number.
pub fn parse(text: &str, character: &Character) -> Result<Vec<Clip>, ClipTextError> {
    if text.len() > MAX_BYTES {
        return Err(ClipTextError { line: 1, fault: ClipTextFault::TooLong { bytes: text.len() } });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skeleton = character.skeleton();
    let joints = Labels::new(skeleton.joints().map(|joint| skeleton.name(joint)));
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, without_comment(line).trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty());
    let (line, header) = lines.next().unwrap_or((1, ""));
    if header != HEADER {
        let fault = ClipTextFault::BadHeader { text: header.chars().take(80).collect() };
        return Err(ClipTextError { line, fault });
    }
    let mut reader = ClipReader { character, joints, clips: Vec::new(), clip: None, channel: None };
    let mut last = line;
    for (line, content) in lines {
        reader.line(line, content)?;
        last = line;
    }
    reader.end_clip(last)?;
    Ok(reader.clips)
}

/// What the keys of a channel are.
#[derive(Clone, Debug)]
enum KeyTarget {
    Translation(JointId),
    Rotation(JointId),
    Degrees(JointId),
    Scale(JointId),
    Morphs { first_slot: usize, count: usize },
    ScalarMeta(String),
    VectorMeta(String),
    RotationMeta(String),
}

impl KeyTarget {
    /// How many numbers make one value, and how many values a key has.
    fn size(&self) -> (usize, usize) {
        match self {
            Self::Translation(_) | Self::Scale(_) | Self::Degrees(_) | Self::VectorMeta(_) => (3, 1),
            Self::Rotation(_) | Self::RotationMeta(_) => (4, 1),
            Self::ScalarMeta(_) => (1, 1),
            Self::Morphs { count, .. } => (1, *count),
        }
    }
}

/// A channel whose keys are being read.
struct OpenChannel {
    line: usize,
    target: KeyTarget,
    interpolation: Interpolation,
    times: Vec<f32>,
    numbers: Vec<f32>,
}

struct ClipReader<'a> {
    character: &'a Character,
    joints: Labels<'a>,
    clips: Vec<Clip>,
    /// The clip that is being read, with the line that started it.
    clip: Option<(usize, ClipParts)>,
    channel: Option<OpenChannel>,
}

impl ClipReader<'_> {
    fn line(&mut self, line: usize, content: &str) -> Result<(), ClipTextError> {
        let (word, rest) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
        let rest = rest.trim_start();
        if word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
            return self.key(content).map_err(|fault| ClipTextError { line, fault });
        }
        self.end_channel()?;
        if word == "clip" {
            self.end_clip(line)?;
        }
        self.statement(line, word, rest).map_err(|fault| ClipTextError { line, fault })
    }

    fn statement(&mut self, line: usize, word: &str, rest: &str) -> Result<(), ClipTextFault> {
        if word == "clip" {
            let name = only_name(rest).ok_or(ClipTextFault::BadForm { form: "clip \"NAME\"" })?;
            self.clip = Some((line, ClipParts { name, ..ClipParts::default() }));
            return Ok(());
        }
        let (_, parts) = self.clip.as_mut().ok_or(ClipTextFault::NoClip)?;
        match word {
            "duration" => parts.duration_secs = Some(number(rest)?),
            "additive" => parts.kind = ClipKind::Additive,
            "event" => parts.events.push(event(rest)?),
            "joint" => self.channel = Some(joint_channel(line, rest, &self.joints)?),
            "slots" => self.channel = Some(morph_channel(line, rest)?),
            "meta" => self.channel = Some(meta_channel(line, rest)?),
            _ => {
                let text = format!("{word} {rest}").chars().take(80).collect();
                return Err(ClipTextFault::UnknownLine { text });
            }
        }
        Ok(())
    }

    fn key(&mut self, content: &str) -> Result<(), ClipTextFault> {
        let channel = self.channel.as_mut().ok_or(ClipTextFault::NoChannel)?;
        let (numbers_per_value, values) = channel.target.size();
        let wanted = numbers_per_value * values * channel.interpolation.elements_per_key();
        let mut words = content.split_whitespace();
        channel.times.push(number(words.next().unwrap_or_default())?);
        let before = channel.numbers.len();
        for word in words {
            channel.numbers.push(number(word)?);
        }
        let count = channel.numbers.len() - before;
        if count != wanted {
            return Err(ClipTextFault::WrongCount { count, wanted });
        }
        Ok(())
    }

    /// Adds the channel that was being read to its clip.
    fn end_channel(&mut self) -> Result<(), ClipTextError> {
        let (Some(channel), Some((_, parts))) = (self.channel.take(), self.clip.as_mut()) else {
            return Ok(());
        };
        let line = channel.line;
        if channel.times.is_empty() {
            return Err(ClipTextError { line, fault: ClipTextFault::NoKeys });
        }
        channel.add_to(parts, self.character).map_err(|e| ClipTextError { line, fault: e.into() })
    }

    fn end_clip(&mut self, line: usize) -> Result<(), ClipTextError> {
        self.end_channel()?;
        let Some((start, parts)) = self.clip.take() else { return Ok(()) };
        let line = start.min(line);
        let clip = Clip::from_parts(parts).map_err(|e| ClipTextError { line, fault: e.into() })?;
        self.clips.push(clip);
        Ok(())
    }
}

impl OpenChannel {
    fn add_to(self, parts: &mut ClipParts, character: &Character) -> Result<(), CurveError> {
        let Self { target, interpolation, times, numbers, .. } = self;
        let vectors = || numbers.as_chunks::<3>().0.iter().map(|&v| Vec3::from_array(v)).collect();
        let rotations = || numbers.as_chunks::<4>().0.iter().map(|&q| Quat::from_array(q)).collect();
        match target {
            KeyTarget::Translation(joint) => {
                let curve = Curve::new(times, vectors(), interpolation)?;
                parts.channels.push(Channel::Translation { joint, curve });
            }
            KeyTarget::Scale(joint) => {
                let curve = Curve::new(times, vectors(), interpolation)?;
                parts.channels.push(Channel::Scale { joint, curve });
            }
            KeyTarget::Rotation(joint) => {
                let curve = Curve::new(times, rotations(), interpolation)?;
                parts.channels.push(Channel::Rotation { joint, curve });
            }
            KeyTarget::Degrees(joint) => {
                let rest = rest_rotation(character, joint, parts.kind);
                let angles = numbers.as_chunks::<3>().0.iter();
                let keys = angles.map(|&[x, y, z]| {
                    let [x, y, z] = [x, y, z].map(f32::to_radians);
                    (rest * Quat::from_euler(EulerRot::XYZ, x, y, z)).normalize()
                });
                let curve = Curve::new(times, keys.collect(), interpolation)?;
                parts.channels.push(Channel::Rotation { joint, curve });
            }
            KeyTarget::Morphs { first_slot, count } => {
                let curve = Curve::with_width(count, times, numbers, interpolation)?;
                parts.channels.push(Channel::Morphs { first_slot, curve });
            }
            KeyTarget::ScalarMeta(name) => {
                let curve = MetaCurve::Scalar(Curve::new(times, numbers, interpolation)?);
                parts.metas.push(MetaChannel { name, curve });
            }
            KeyTarget::VectorMeta(name) => {
                let curve = MetaCurve::Vector(Curve::new(times, vectors(), interpolation)?);
                parts.metas.push(MetaChannel { name, curve });
            }
            KeyTarget::RotationMeta(name) => {
                let curve = MetaCurve::Rotation(Curve::new(times, rotations(), interpolation)?);
                parts.metas.push(MetaChannel { name, curve });
            }
        }
        Ok(())
    }
}

fn joint_channel(line: usize, rest: &str, joints: &Labels<'_>) -> Result<OpenChannel, ClipTextFault> {
    let form = ClipTextFault::BadForm { form: "joint \"NAME\" PROPERTY INTERPOLATION" };
    let (name, rest) = unquoted(rest).ok_or(form.clone())?;
    let [property, interpolation] = words(rest).ok_or(form)?;
    let Some(&index) = joints.find(&name).first() else {
        let hint = joints.hint(&name);
        return Err(ClipTextFault::UnknownJoint { joint: name, hint });
    };
    // The index is below the number of joints, which is a u16.
    let joint = JointId(index as u16);
    let interpolation = interpolation_of(interpolation)?;
    let target = match property {
        "translation" => KeyTarget::Translation(joint),
        "rotation" => KeyTarget::Rotation(joint),
        "degrees" if interpolation != Interpolation::Cubic => KeyTarget::Degrees(joint),
        "scale" => KeyTarget::Scale(joint),
        other => {
            let (what, value) = ("a property", other.to_owned());
            let wanted = "translation, rotation, scale, or degrees with step or linear keys";
            return Err(ClipTextFault::UnknownWord { what, value, wanted });
        }
    };
    Ok(OpenChannel::new(line, target, interpolation))
}

fn morph_channel(line: usize, rest: &str) -> Result<OpenChannel, ClipTextFault> {
    let form = ClipTextFault::BadForm { form: "slots FIRST COUNT INTERPOLATION" };
    let [first, count, interpolation] = words(rest).ok_or(form.clone())?;
    // A number of 32 bits cannot overflow the sizes of a key.
    let whole = |word: &str| word.parse::<u32>().ok().and_then(|n| usize::try_from(n).ok());
    let (Some(first_slot), Some(count @ 1..=65_535)) = (whole(first), whole(count)) else {
        return Err(form);
    };
    Ok(OpenChannel::new(line, KeyTarget::Morphs { first_slot, count }, interpolation_of(interpolation)?))
}

fn meta_channel(line: usize, rest: &str) -> Result<OpenChannel, ClipTextFault> {
    let form = ClipTextFault::BadForm { form: "meta \"NAME\" KIND INTERPOLATION" };
    let (name, rest) = unquoted(rest).ok_or(form.clone())?;
    let [kind, interpolation] = words(rest).ok_or(form)?;
    let target = match kind {
        "scalar" => KeyTarget::ScalarMeta(name),
        "vector" => KeyTarget::VectorMeta(name),
        "rotation" => KeyTarget::RotationMeta(name),
        other => {
            let (what, value, wanted) = ("a kind", other.to_owned(), "scalar, vector or rotation");
            return Err(ClipTextFault::UnknownWord { what, value, wanted });
        }
    };
    Ok(OpenChannel::new(line, target, interpolation_of(interpolation)?))
}

impl OpenChannel {
    fn new(line: usize, target: KeyTarget, interpolation: Interpolation) -> Self {
        Self { line, target, interpolation, times: Vec::new(), numbers: Vec::new() }
    }
}

fn event(rest: &str) -> Result<ClipEvent, ClipTextFault> {
    let form = ClipTextFault::BadForm { form: "event TIME \"NAME\" [\"PAYLOAD\"]" };
    let (time, rest) = rest.split_once(char::is_whitespace).ok_or(form.clone())?;
    let (name, rest) = unquoted(rest.trim_start()).ok_or(form.clone())?;
    let payload = match rest.trim() {
        "" => None,
        text => Some(only_name(text).ok_or(form)?),
    };
    Ok(ClipEvent { time_secs: number(time)?, name, payload })
}

fn interpolation_of(word: &str) -> Result<Interpolation, ClipTextFault> {
    Ok(match word {
        "step" => Interpolation::Step,
        "linear" => Interpolation::Linear,
        "cubic" => Interpolation::Cubic,
        other => {
            let (what, value, wanted) = ("the interpolation", other.to_owned(), "step, linear or cubic");
            return Err(ClipTextFault::UnknownWord { what, value, wanted });
        }
    })
}

fn number(word: &str) -> Result<f32, ClipTextFault> {
    let number = word.parse().ok().filter(|n: &f32| n.is_finite());
    number.ok_or_else(|| ClipTextFault::BadNumber { value: word.chars().take(80).collect() })
}

/// A quoted name and nothing else.
fn only_name(text: &str) -> Option<String> {
    unquoted(text).filter(|(_, rest)| rest.trim().is_empty()).map(|(name, _)| name)
}

/// The words of `text`, if there are exactly `N`.
fn words<const N: usize>(text: &str) -> Option<[&str; N]> {
    let mut words = text.split_whitespace();
    let mut out = [""; N];
    for place in &mut out {
        *place = words.next()?;
    }
    words.next().is_none().then_some(out)
}
