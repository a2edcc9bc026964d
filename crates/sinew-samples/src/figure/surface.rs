//! Builds the whole mesh from half sheets: mirroring, splitting at color seams, triangulation.

use super::sheet::{GarmentSheet, SheetColor, SheetRow};
use super::skeleton::{COUNT, FIRST_LEFT, HALF, mirrored, twin};
use glam::{Vec3, Vec4};
use sinew::{Influence, Mesh, MeshParts, Primitive, Topology, Weights};
use std::{collections::HashMap, sync::Arc};

/// The maximum number of influences of a vertex.
const MAX_INFLUENCES: usize = 4;
/// Smaller weights are dropped: they cost time and have no visible effect.
const MIN_WEIGHT: f32 = 0.008;

/// The whole mesh of `sheets` and their mirror images.
pub(super) fn mesh(name: &str, sheets: Vec<GarmentSheet>) -> Mesh {
    let mut out = FigureMesh::default();
    for mut sheet in sheets {
        sheet.face_outwards();
        out.add(&sheet);
    }
    let (vertices, indices) = (out.positions.len() as u32, out.indices.len() as u32);
    let (weights, _) = Weights::new(COUNT, out.influences).expect("rows are finite and within the skin");
    Mesh::new(MeshParts {
        name: name.into(),
        positions: out.positions,
        normals: out.normals,
        colors: out.colors,
        indices: out.indices,
        primitives: vec![Primitive {
            vertices: 0..vertices,
            indices: 0..indices,
            topology: Topology::Triangles,
            material: Some(0),
        }],
        weights: Some(Arc::new(weights)),
        ..MeshParts::default()
    })
    .expect("streams are made together and are equally long")
}

#[derive(Default)]
struct FigureMesh {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    colors: Vec<Vec4>,
    influences: Vec<Vec<Influence>>,
    indices: Vec<u32>,
}

impl FigureMesh {
    fn add(&mut self, sheet: &GarmentSheet) {
        let normals = sheet.normals();
        // One vertex for each color that meets at a point, so that seams stay sharp.
        let mut left: HashMap<(usize, [u32; 3]), u32> = HashMap::new();
        let mut triangles = Vec::with_capacity(sheet.faces.len() * 2);
        for face in &sheet.faces {
            let key = face.color.map(f32::to_bits);
            let vertices: Vec<u32> = face
                .loop_of()
                .iter()
                .map(|&point| {
                    *left.entry((point, key)).or_insert_with(|| {
                        let row = &sheet.weights[point];
                        self.vertex(
                            sheet.points[point],
                            normals[point],
                            face.color,
                            influences(row, sheet.points[point].x),
                        )
                    })
                })
                .collect();
            triangles.extend(self.split(&vertices));
        }
        self.mirror(&triangles);
    }

    fn vertex(&mut self, position: Vec3, normal: Vec3, color: SheetColor, influences: Vec<Influence>) -> u32 {
        self.positions.push(position);
        self.normals.push(normal);
        self.colors.push(Vec3::from(color).extend(1.0));
        self.influences.push(influences);
        self.positions.len() as u32 - 1
    }

    /// Triangles of a face; a quad is cut along its shorter diagonal.
    fn split(&self, vertices: &[u32]) -> Vec<[u32; 3]> {
        let at = |v: u32| self.positions[v as usize];
        match *vertices {
            [a, b, c] => vec![[a, b, c]],
            [a, b, c, d] if at(a).distance_squared(at(c)) <= at(b).distance_squared(at(d)) => {
                vec![[a, b, c], [a, c, d]]
            }
            [a, b, c, d] => vec![[a, b, d], [b, c, d]],
            _ => Vec::new(),
        }
    }

    /// Writes the triangles of the left half and their mirror image.
    fn mirror(&mut self, triangles: &[[u32; 3]]) {
        let mut image: HashMap<u32, u32> = HashMap::new();
        let mut right = Vec::with_capacity(triangles.len());
        for triangle in triangles {
            self.indices.extend(triangle);
            let [a, b, c] = triangle.map(|v| *image.entry(v).or_insert_with(|| self.mirror_vertex(v)));
            right.push([a, c, b]);
        }
        self.indices.extend(right.as_flattened());
    }

    fn mirror_vertex(&mut self, vertex: u32) -> u32 {
        let v = vertex as usize;
        if self.positions[v].x == 0.0 {
            return vertex;
        }
        let influences =
            self.influences[v].iter().map(|i| Influence { slot: twin(i.slot.into()) as u16, ..*i });
        self.positions.push(mirrored(self.positions[v]));
        self.normals.push(mirrored(self.normals[v]));
        self.colors.push(self.colors[v]);
        self.influences.push(influences.collect());
        self.positions.len() as u32 - 1
    }
}

/// The strongest joints of a row. On the middle plane, left weights are split evenly with the right twin.
fn influences(row: &SheetRow, x: f32) -> Vec<Influence> {
    let mut strongest: Vec<(usize, f32)> = row.iter().copied().enumerate().filter(|w| w.1 > 0.0).collect();
    strongest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut kept: Vec<(usize, f32)> = Vec::with_capacity(MAX_INFLUENCES);
    for (joint, weight) in strongest {
        let shared = x == 0.0 && (FIRST_LEFT..HALF).contains(&joint);
        // A pair is kept or dropped together.
        let (count, weight) = if shared { (2, weight * 0.5) } else { (1, weight) };
        if weight >= MIN_WEIGHT && kept.len() + count <= MAX_INFLUENCES {
            kept.push((joint, weight));
            kept.extend(shared.then(|| (twin(joint), weight)));
        }
    }
    let sum: f32 = kept.iter().map(|i| i.1).sum();
    kept.into_iter().map(|(joint, weight)| Influence { slot: joint as u16, weight: weight / sum }).collect()
}
