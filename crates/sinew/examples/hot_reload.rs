//! A running crowd continues with the clips of a file that changed on disk.
//!
//! `cargo run --example hot_reload`

use sinew::{
    Character, CharacterParts, Clip, Wrap,
    instance::{Archetype, Instance, InstanceScratch, update_all},
};
use sinew_formats::{read_file, write_file};
use std::{error::Error, path::Path, sync::Arc};

/// A crowd and what its instances share.
struct Crowd {
    archetype: Archetype,
    instances: Vec<Instance>,
    scratch: InstanceScratch,
}

impl Crowd {
    fn load(path: &Path) -> Result<Self, Box<dyn Error>> {
        let archetype = Archetype::new(read_file(path)?.character);
        let walk = archetype.find_motion("walk").ok_or("there is no walk")?;
        let mut instances: Vec<Instance> = (0..100).map(|_| archetype.new_instance()).collect();
        for (n, instance) in instances.iter_mut().enumerate() {
            instance.play(&archetype, walk, Wrap::Loop)?;
            instance.seek(n as f64 * 0.1);
        }
        Ok(Self { scratch: InstanceScratch::new(&archetype), archetype, instances })
    }

    /// Reads the file again. A file that is broken leaves the crowd as it is: the caller shows the error and goes on.
    fn reload(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        let archetype = Archetype::new(read_file(path)?.character);
        for instance in &mut self.instances {
            let report = instance.rebind(&self.archetype, &archetype)?;
            for clip in report.missing_clips {
                println!("clip {clip:?} is gone");
            }
        }
        (self.scratch, self.archetype) = (InstanceScratch::new(&archetype), archetype);
        Ok(())
    }

    fn step(&mut self, secs: f32) {
        update_all(&self.archetype, &mut self.instances, secs, &mut self.scratch, |_, _| {});
    }

    fn walk_secs(&self, nth: usize) -> Option<f32> {
        Some(self.instances[nth].controller().clip()?.playback().clip_time_secs())
    }
}

/// The figure with a walk of twice its length, as an artist might save it.
fn slower_walk(figure: &Character) -> Result<Character, Box<dyn Error>> {
    let slow = |clip: &Arc<Clip>| -> Result<Arc<Clip>, Box<dyn Error>> {
        let twice = Some(clip.duration_secs() * 2.0);
        Ok(if clip.name() == "walk" {
            Arc::new(Clip::clone(clip).with_duration(twice)?)
        } else {
            clip.clone()
        })
    };
    let clips = figure.clips().iter().map(slow).collect::<Result<_, _>>()?;
    Ok(Character::new(CharacterParts { clips, ..figure.clone().into_parts() })?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("sinew-hot-reload-{}.sinew", std::process::id()));
    let figure = sinew_samples::figure();
    write_file(&path, &figure)?;
    let mut crowd = Crowd::load(&path)?;
    (0..30).for_each(|_| crowd.step(1.0 / 60.0));
    let before = crowd.walk_secs(3);

    write_file(&path, &slower_walk(&figure)?)?;
    crowd.reload(&path)?;
    println!("instance 3 walks at {before:?} s before and {:?} s after the reload", crowd.walk_secs(3));
    assert_eq!(before, crowd.walk_secs(3));
    crowd.step(1.0 / 60.0);
    std::fs::remove_file(&path)?;
    Ok(())
}
