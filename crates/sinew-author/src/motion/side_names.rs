//! Names with a side of the body.

/// The words for the two sides, in the capitalizations of rigs.
const WORDS: [(&str, &str); 3] = [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")];

/// `name` with its side exchanged, or `None` if it has no side.
///
/// Recognizes the words left and right in any case (`LeftArm`, `arm_left`, `footfall.left`), and the letters l and r between
/// separators (`hand_l`, `hand.L.001`, `Bip01 R Thigh`, `L_Foot`). `bright` and `uplefted` have no side.
///
/// ```
/// use sinew_author::motion::other_side;
/// assert_eq!(other_side("mixamorig:LeftUpLeg").as_deref(), Some("mixamorig:RightUpLeg"));
/// assert_eq!(other_side("upper_arm.R").as_deref(), Some("upper_arm.L"));
/// assert_eq!(other_side("spine"), None);
/// ```
#[must_use]
pub fn other_side(name: &str) -> Option<String> {
    for (left, right) in WORDS {
        for (word, other) in [(left, right), (right, left)] {
            if let Some(at) = find_word(name, word) {
                return Some(exchanged(name, at, word.len(), other));
            }
        }
    }
    let at = name.char_indices().position(|(at, letter)| is_side_letter(name, at, letter))?;
    let (at, letter) = name.char_indices().nth(at)?;
    let other = match letter {
        'l' => "r",
        'r' => "l",
        'L' => "R",
        _ => "L",
    };
    Some(exchanged(name, at, 1, other))
}

fn exchanged(name: &str, at: usize, length: usize, other: &str) -> String {
    format!("{}{other}{}", &name[..at], &name[at + length..])
}

/// The position of `word` in `name` as a separate word, not as part of a longer one.
fn find_word(name: &str, word: &str) -> Option<usize> {
    let starts_large = word.starts_with(char::is_uppercase);
    let is_all_large = word.chars().all(char::is_uppercase);
    let fits = |at: &usize| {
        let before = name[..*at].chars().next_back();
        let after = name[at + word.len()..].chars().next();
        let joined_before = before.is_some_and(|c| {
            if is_all_large { c.is_uppercase() } else { c.is_alphabetic() && !starts_large }
        });
        let joined_after =
            after.is_some_and(|c| if is_all_large { c.is_uppercase() } else { c.is_lowercase() });
        !joined_before && !joined_after
    };
    name.match_indices(word).map(|(at, _)| at).find(fits)
}

fn is_side_letter(name: &str, at: usize, letter: char) -> bool {
    let before = name[..at].chars().next_back();
    let after = name[at + letter.len_utf8()..].chars().next();
    let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    matches!(letter, 'l' | 'r' | 'L' | 'R')
        && is_apart(before)
        && is_apart(after)
        && (before.is_some() || after.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_the_spellings_of_rigs() {
        for (one, other) in [
            ("LeftArm", "RightArm"),
            ("mixamorig:LeftHandIndex1", "mixamorig:RightHandIndex1"),
            ("arm_left", "arm_right"),
            ("leftArm", "rightArm"),
            ("ARM_LEFT_01", "ARM_RIGHT_01"),
            ("footfall.left", "footfall.right"),
            ("hand_l", "hand_r"),
            ("hand.L.001", "hand.R.001"),
            ("Bip01 L Thigh", "Bip01 R Thigh"),
            ("L_Foot", "R_Foot"),
            ("b_LeftLeg_020", "b_RightLeg_020"),
        ] {
            assert_eq!(other_side(one).as_deref(), Some(other));
            assert_eq!(other_side(other).as_deref(), Some(one));
        }
    }

    #[test]
    fn other_words_have_no_side() {
        for name in ["", "l", "bright", "Lefty", "uplefted", "spine", "tail_1", "ball", "Röhre.lr", "roll"] {
            assert_eq!(other_side(name), None, "{name}");
        }
    }
}
