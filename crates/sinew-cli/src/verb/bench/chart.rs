//! `sinew bench --chart`: linear blend skinning against a plain loop and a memory copy, as a picture.

use super::rounds::RoundRecord;
use sinew_view::bar_chart::{Bar, BarChart};
use sinew_view::palette::series_color;
use sinew_view::picture::Picture;

/// Baselines and kernels of one character, positions and normals in packed order, as bars of their speed.
pub(super) fn draw(records: &[RoundRecord], character: &str) -> Picture {
    let title = format!("Linear blend skinning of {character}");
    let subtitle =
        "Speed relative to a plain loop; positions and unit normals, one thread. Higher is faster.";
    let bars = records.iter().filter_map(|record| bar(record, character)).collect();
    BarChart { bars, ..BarChart::new(title, subtitle) }.draw()
}

fn bar(record: &RoundRecord, character: &str) -> Option<Bar> {
    let parts: Vec<&str> = record.name.split('/').collect();
    let [step, method, "pn", of, level] = parts[..] else { return None };
    let (label, series) = match (step, method) {
        ("baseline", "plain-glam") => ("plain loop".to_owned(), 1),
        ("baseline", "copy") => ("memory copy".to_owned(), 2),
        ("deform", "linear") => (format!("Sinew, {level}"), 0),
        _ => return None,
    };
    let speed = record.speedup_vs_plain.filter(|_| of == character)?;
    let caption = format!("{speed:.1}× ({:.2} ns per vertex)", record.ns_per_item);
    Some(Bar { label, value: speed as f32, caption, color: series_color(series) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, speedup_vs_plain: Option<f64>) -> RoundRecord {
        RoundRecord {
            name: name.into(),
            ns_per_item: 1.0,
            gb_per_sec: None,
            copy_fraction: None,
            speedup_vs_plain,
        }
    }

    #[test]
    fn only_packed_positions_and_normals_of_the_character_become_bars() {
        let is_bar = |name: &str| bar(&record(name, Some(2.0)), "figure").is_some();
        assert!(is_bar("deform/linear/pn/figure/avx2") && is_bar("baseline/copy/pn/figure/scalar"));
        assert!(!is_bar("deform/linear/pn/figure/avx2/file") && !is_bar("deform/linear/p/figure/avx2"));
        assert!(!is_bar("deform/linear/pn/random/avx2") && !is_bar("deform/cor/pn/figure/avx2"));
        assert!(bar(&record("deform/linear/pn/figure/avx2", None), "figure").is_none());
    }
}
