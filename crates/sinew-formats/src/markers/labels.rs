//! Labels as a capture needs them.

use std::collections::{HashMap, HashSet};

/// `labels` without space at the ends, none empty and no two equal, with a note for what changed.
pub(super) fn unique(labels: impl IntoIterator<Item = String>, notes: &mut Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut next_number: HashMap<String, usize> = HashMap::new();
    let (mut unnamed, mut repeated) = (0, 0);
    for (index, label) in labels.into_iter().enumerate() {
        let mut label = label.trim().to_owned();
        if label.is_empty() {
            unnamed += 1;
            label = format!("*{index}");
        }
        if taken.contains(&label) {
            repeated += 1;
            // Counting on from the last number keeps a file of equal labels from taking quadratic time.
            let number = next_number.entry(label.clone()).or_insert(2);
            while taken.contains(&format!("{label}_{number}")) {
                *number += 1;
            }
            label = format!("{label}_{number}");
        }
        taken.insert(label.clone());
        out.push(label);
    }
    if unnamed > 0 {
        notes.push(format!("{unnamed} markers have no label: they are called * and their number"));
    }
    if repeated > 0 {
        notes.push(format!("{repeated} markers repeat a label: a number is added to it"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_unique_and_the_notes_say_so() {
        let mut notes = vec![];
        let given = ["a", " a ", "", "a_2", "a"].map(str::to_owned);
        assert_eq!(unique(given, &mut notes), ["a", "a_2", "*2", "a_2_2", "a_3"]);
        assert_eq!(notes.len(), 2);
        let many = unique(vec!["x".to_owned(); 20_000], &mut notes);
        assert_eq!(many.last().map(String::as_str), Some("x_20000"));
    }
}
