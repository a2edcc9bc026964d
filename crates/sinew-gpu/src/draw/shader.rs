//! Shader modules and their WGSL sources.

const FRAME: &str = include_str!("frame.wgsl");
const MATERIAL: &str = include_str!("material.wgsl");
const LIGHT: &str = include_str!("light.wgsl");
const SURFACE: &str = include_str!("surface.wgsl");
const MESH: &str = include_str!("mesh.wgsl");
const CROWD: &str = include_str!("crowd.wgsl");
const LINES: &str = include_str!("lines.wgsl");
const SHADOW_MAP: &str = include_str!("shadow_map.wgsl");
const GROUND_SHADOW: &str = include_str!("ground_shadow.wgsl");
const BACKDROP: &str = include_str!("backdrop.wgsl");
const PICK: &str = include_str!("pick.wgsl");
const BLIT: &str = include_str!("blit.wgsl");

/// A shader module of the pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shader {
    Mesh,
    Crowd,
    Lines,
    ShadowMap,
    GroundShadow,
    Backdrop,
    Pick,
    Blit,
}

impl Shader {
    fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Mesh => &[FRAME, MATERIAL, LIGHT, SURFACE, MESH],
            Self::Crowd => &[FRAME, MATERIAL, LIGHT, SURFACE, CROWD],
            Self::Lines => &[FRAME, MATERIAL, LINES],
            Self::ShadowMap => &[FRAME, SHADOW_MAP],
            Self::GroundShadow => &[GROUND_SHADOW],
            Self::Backdrop => &[BACKDROP],
            Self::Pick => &[FRAME, PICK],
            Self::Blit => &[BLIT],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Mesh => "sinew mesh",
            Self::Crowd => "sinew crowd",
            Self::Lines => "sinew lines",
            Self::ShadowMap => "sinew shadow map",
            Self::GroundShadow => "sinew ground shadow",
            Self::Backdrop => "sinew backdrop",
            Self::Pick => "sinew pick",
            Self::Blit => "sinew blit",
        }
    }

    /// Creates the module on a device.
    pub(super) fn module(self, device: &wgpu::Device) -> wgpu::ShaderModule {
        device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(self.name()),
            source: wgpu::ShaderSource::Wgsl(self.parts().concat().into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Shader; 8] = [
        Shader::Mesh,
        Shader::Crowd,
        Shader::Lines,
        Shader::ShadowMap,
        Shader::GroundShadow,
        Shader::Backdrop,
        Shader::Pick,
        Shader::Blit,
    ];

    #[test]
    #[allow(clippy::panic, reason = "the error names the place")]
    fn every_shader_is_valid() {
        for shader in ALL {
            let source = shader.parts().concat();
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|e| panic!("{}: {}", shader.name(), e.emit_to_string(&source)));
            // Plain WebGPU without extensions.
            let mut validator = naga::valid::Validator::new(
                naga::valid::ValidationFlags::all(),
                naga::valid::Capabilities::empty(),
            );
            validator
                .validate(&module)
                .unwrap_or_else(|e| panic!("{}: {}", shader.name(), e.emit_to_string(&source)));
        }
    }

    #[test]
    fn every_file_of_the_folder_is_part_of_a_shader() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/draw");
        let mut files = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "wgsl") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(
                    ALL.iter().any(|shader| shader.parts().contains(&text.as_str())),
                    "{}",
                    path.display()
                );
                files += 1;
            }
        }
        assert!(files >= 12, "{files}");
    }
}
