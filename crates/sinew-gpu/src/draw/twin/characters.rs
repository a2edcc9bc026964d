//! A character deformed on the GPU looks like the same character deformed on the CPU.

use std::sync::Arc;

use sinew::{Character, Frame, Influence, Method, Weights, Wrap};
use sinew_view::camera::{CameraLens, Orbit};
use sinew_view::stage::{BoneLook, Stage, StageOptions, StageTextures};

use super::super::RenderTarget;
use super::{agree_pictures, on_device, software};
use crate::deform::{CharacterJobs, CharacterPose, Kernels};

const SIDE: u32 = 220;

/// The figure with forearms that displace the skin of the upper arms, as muscles do.
fn strong_figure() -> Character {
    let mut parts = sinew_samples::figure().into_parts();
    let slot = |name: &str| parts.skins[0].slot_of(parts.skeleton.find(name).unwrap()).unwrap();
    let pairs = ["L", "R"].map(|side| (slot(&format!("upper_arm.{side}")), slot(&format!("forearm.{side}"))));
    let mesh = &parts.meshes[0];
    let weights = mesh.weights().unwrap();
    let vertex = |v: usize| {
        let muscle =
            move |&(bone, slot): &(u16, u16)| Influence { slot, weight: 0.2 * weights.weight_of(v, bone) };
        pairs.iter().map(muscle).collect::<Vec<_>>()
    };
    let vertices = (0..weights.vertex_count()).map(vertex);
    let muscled = Weights::clone(weights).with_muscle_weights(weights.slot_count(), vertices).unwrap();
    let precomputed = mesh.precomputed().clone();
    parts.meshes[0] =
        Arc::new(sinew::Mesh::clone(mesh).with_weights(Arc::new(muscled), precomputed).unwrap());
    Character::new(parts).unwrap()
}

#[test]
fn a_layer_draws_the_vertices_that_the_gpu_deformed() {
    layer_draws_what_the_gpu_deformed("gpu", sinew_samples::figure());
}

#[test]
fn a_layer_draws_muscles_that_swell_on_the_gpu() {
    layer_draws_what_the_gpu_deformed("gpu-muscles", strong_figure());
}

fn layer_draws_what_the_gpu_deformed(name: &str, figure: Character) {
    on_device(|bench| {
        let figure = Arc::new(figure);
        let (device, queue) = (&bench.gpu.device, &bench.gpu.queue);
        let mut kernels = Kernels::new(device).unwrap();
        for method in [Method::Linear, Method::DualQuat] {
            // Ground and shadows are fitted to the scene's own vertices, which are at rest in one of the scenes.
            let options = StageOptions { bones: BoneLook::Plain, ground: false, ..StageOptions::default() };
            let stage = Stage::new(&figure, &StageTextures::none(), options);
            let mut frame = Frame::new(figure.clone());
            frame.deform(method).unwrap();
            let camera = stage.camera(&frame, Orbit::THREE_QUARTER, CameraLens::default());
            let clip = &figure.clips()[1];
            frame.sample(clip, clip.duration_secs() * 0.4, Wrap::Loop);
            frame.update_palettes(method);
            // The skin of this scene is at rest: its deformed vertices are on the GPU.
            let mut scene = stage.scene(&frame, camera).unwrap();
            scene.lights.shadow = 0.0;

            let mut jobs = CharacterJobs::new(device, &mut kernels, &figure, method).unwrap();
            jobs.set(queue, &CharacterPose::of(&frame)).unwrap();
            let target = RenderTarget::new(device, bench.renderer.options(), SIDE, SIDE).unwrap();
            bench.renderer.prepare(device, queue, &scene, target.size()).unwrap();
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            jobs.dispatch(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
            let taken = (0..scene.layers.len()).filter_map(|layer| Some((layer, stage.source_of(layer)?)));
            for (layer, (instance, first)) in taken {
                let deformed = jobs.deformed(instance).unwrap();
                assert!(bench.renderer.take_points(&mut encoder, layer, deformed, first));
            }
            bench.renderer.draw(&mut encoder, &target);
            let got = target.read(device, queue, encoder).unwrap().wait(device).unwrap();

            frame.deform(method).unwrap();
            let mut want = stage.scene(&frame, camera).unwrap();
            want.lights.shadow = 0.0;
            agree_pictures(&format!("{name}-{method}"), &got, &software(&want, SIDE, SIDE));
        }
    });
}
