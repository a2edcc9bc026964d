use crate::color::Color;
use crate::geometry::Geometry;
use crate::glam::Vec3;
use crate::layer::{Depth, LineStroke, MeshLayer};
use crate::paint::Paint;

/// A bone as an octahedron, thick near its head and pointed at its tail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneGlyph {
    /// Position of the bone's joint in world space.
    pub head: Vec3,
    /// Position of the next joint in world space.
    pub tail: Vec3,
    /// A direction across the bone, usually an axis of its joint, so that twist is visible.
    pub side: Vec3,
    /// The id that picking reports, usually the joint's index.
    pub id: u32,
    /// Color of the bone.
    pub color: Color,
}

/// Proportions and lines of bones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneStyle {
    /// Half thickness as a fraction of the bone's length.
    pub thickness: f32,
    /// Largest half thickness in meters, so that long bones stay slender.
    pub max_thickness: f32,
    /// Radius of the ball at each joint as a fraction of the half thickness; 0 draws none.
    pub ball: f32,
    /// Lines along the edges of the octahedron.
    pub edges: Option<LineStroke>,
    /// Line along each bone's silhouette.
    pub outline: Option<LineStroke>,
    /// Whether bones show through the skin.
    pub depth: Depth,
}

impl Default for BoneStyle {
    fn default() -> Self {
        let ink = Color::linear(0.012, 0.014, 0.02);
        Self {
            thickness: 0.09,
            max_thickness: f32::INFINITY,
            ball: 0.62,
            edges: Some(LineStroke { width_px: 1.1, color: ink.with_alpha(0.75) }),
            outline: Some(LineStroke { width_px: 2.2, color: ink }),
            depth: Depth::XRay { hidden_opacity: 0.94 },
        }
    }
}

/// Two layers: the octahedra of all bones, and the balls at their joints.
///
/// Triangles carry their bone's id. Bones without length or with an end that is not finite are left out.
pub fn bone_layers(bones: &[BoneGlyph], style: &BoneStyle) -> [MeshLayer; 2] {
    let (mut diamonds, mut balls) = (Solids::default(), Solids::default());
    for bone in bones {
        let Some(along) = (bone.tail - bone.head).try_normalize() else { continue };
        let length = (bone.tail - bone.head).length();
        let radius = (length * style.thickness).min(style.max_thickness);
        diamonds.add_diamond(bone, along, radius);
        if style.ball > 0.0 {
            balls.add_ball(bone, radius * style.ball);
        }
    }
    let mut diamonds = diamonds.into_layer("bones");
    diamonds.wire = style.edges;
    [diamonds, balls.into_layer("joints")].map(|mut layer| {
        layer.outline = style.outline;
        layer.depth = style.depth;
        layer.casts_shadow = false;
        layer.gloss = 0.25;
        layer
    })
}

/// [`bone_layers`] for selected bones: with a white line around the dark one, so that they stand out on any skin. Whatever
/// its color, one of the two has a contrast of at least 4.5 to it.
pub fn highlight_layers(bones: &[BoneGlyph], style: &BoneStyle) -> [MeshLayer; 4] {
    // Pure black and white: no other pair has this contrast to every color between.
    let outline = style.outline.map(|outline| LineStroke { color: Color::linear(0.0, 0.0, 0.0), ..outline });
    let [mut diamonds, mut balls] = bone_layers(bones, &BoneStyle { outline, ..*style });
    let around = |layer: &MeshLayer| {
        let mut halo = layer.clone();
        let ink_px = style.outline.map_or(0.0, |outline| outline.width_px);
        halo.outline = Some(LineStroke { width_px: ink_px + 4.0, color: Color::WHITE });
        halo.depth = Depth::XRay { hidden_opacity: 1.0 };
        halo.pickable = false;
        halo
    };
    let halos = [around(&diamonds), around(&balls)];
    diamonds.depth = Depth::XRay { hidden_opacity: 1.0 };
    balls.depth = diamonds.depth;
    // At equal depth the first layer wins, so the dark line stays inside the white one.
    let [first, second] = halos;
    [diamonds, balls, first, second]
}

#[derive(Default)]
struct Solids {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    colors: Vec<Color>,
    ids: Vec<u32>,
}

impl Solids {
    fn add_diamond(&mut self, bone: &BoneGlyph, along: Vec3, radius: f32) {
        let across = bone.side - along * bone.side.dot(along);
        let side = across.try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
        let other = along.cross(side);
        let length = (bone.tail - bone.head).length();
        let waist = bone.head + along * (radius * 1.1).min(length * 0.4);
        let corners = [
            bone.head,
            waist + side * radius,
            waist + other * radius,
            waist - side * radius,
            waist - other * radius,
            bone.tail,
        ];
        let faces = [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [5, 1, 2], [5, 2, 3], [5, 3, 4], [5, 4, 1]];
        self.add(&corners, &faces, bone);
    }

    /// A sphere of rings and slices with smooth normals.
    fn add_ball(&mut self, bone: &BoneGlyph, radius: f32) {
        const RINGS: u32 = 8;
        const SLICES: u32 = 12;
        let mut corners = Vec::new();
        let mut faces = Vec::new();
        for ring in 0..=RINGS {
            let (sin_ring, cos_ring) = (std::f32::consts::PI * ring as f32 / RINGS as f32).sin_cos();
            for slice in 0..SLICES {
                let (sin, cos) = (std::f32::consts::TAU * slice as f32 / SLICES as f32).sin_cos();
                let normal = Vec3::new(sin_ring * cos, cos_ring, sin_ring * sin);
                corners.push(bone.head + normal * radius);
                self.normals.push(normal);
                if ring < RINGS {
                    let [a, b] = [slice, (slice + 1) % SLICES].map(|column| ring * SLICES + column);
                    faces.extend([[a, b, a + SLICES], [b, b + SLICES, a + SLICES]]);
                }
            }
        }
        self.add(&corners, &faces, bone);
    }

    fn add(&mut self, corners: &[Vec3], faces: &[[u32; 3]], bone: &BoneGlyph) {
        let Ok(first) = u32::try_from(self.positions.len()) else { return };
        self.positions.extend(corners);
        self.triangles.extend(faces.iter().map(|face| face.map(|corner| first + corner)));
        self.colors.extend(faces.iter().map(|_| bone.color));
        self.ids.extend(faces.iter().map(|_| bone.id));
    }

    fn into_layer(self, name: &str) -> MeshLayer {
        let build = || {
            let mut geometry = Geometry::new(self.positions, self.triangles)?;
            if !self.normals.is_empty() {
                geometry = geometry.with_normals(self.normals)?;
            }
            MeshLayer::new(geometry, Paint::Faces(self.colors.into()))?.with_face_ids(self.ids)
        };
        let mut layer = build().expect("glyphs are built with matching streams");
        layer.name = name.to_owned();
        layer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bone(head: Vec3, tail: Vec3) -> BoneGlyph {
        BoneGlyph { head, tail, side: Vec3::X, id: 9, color: Color::WHITE }
    }

    #[test]
    fn a_bone_is_closed_and_faces_outwards() {
        let [diamonds, balls] =
            bone_layers(&[bone(Vec3::ZERO, Vec3::new(0.3, 2.0, 0.1))], &BoneStyle::default());
        assert_eq!((diamonds.geometry().positions().len(), diamonds.geometry().triangles().len()), (6, 8));
        for layer in [diamonds, balls] {
            let positions = layer.geometry().positions();
            let volume: f32 = layer
                .geometry()
                .triangles()
                .iter()
                .map(|face| {
                    let [a, b, c] = face.map(|vertex| positions[vertex as usize]);
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            assert!(volume > 0.0, "{}", layer.name);
            assert_eq!(layer.face_id(0), Some(9));
        }
    }

    #[test]
    fn bones_without_length_or_not_finite_are_left_out() {
        let bones = [bone(Vec3::ONE, Vec3::ONE), bone(Vec3::NAN, Vec3::ONE), bone(Vec3::ZERO, Vec3::Y)];
        let [diamonds, _] = bone_layers(&bones, &BoneStyle::default());
        assert_eq!(diamonds.geometry().triangles().len(), 8);
    }

    #[test]
    fn a_side_direction_along_the_bone_still_gives_a_solid() {
        let [diamonds, _] = bone_layers(&[bone(Vec3::ZERO, Vec3::X)], &BoneStyle::default());
        assert!(diamonds.geometry().positions().iter().all(|position| position.is_finite()));
    }
}
