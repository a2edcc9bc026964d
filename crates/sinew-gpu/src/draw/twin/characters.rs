//! A character deformed on the GPU looks like the same character deformed on the CPU.

use std::sync::Arc;

use sinew::{Frame, Method, Wrap};
use sinew_view::camera::{CameraLens, Orbit};
use sinew_view::stage::{BoneLook, Stage, StageOptions, StageTextures};

use super::super::RenderTarget;
use super::{agree_pictures, on_device, software};
use crate::deform::{CharacterJobs, CharacterPose, Kernels};

const SIDE: u32 = 220;

#[test]
fn a_layer_draws_the_vertices_that_the_gpu_deformed() {
    on_device(|bench| {
        let figure = Arc::new(sinew_samples::figure());
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
            agree_pictures(&format!("gpu-{method}"), &got, &software(&want, SIDE, SIDE));
        }
    });
}
