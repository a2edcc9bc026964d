use super::*;
use crate::read_bytes;
use flate2::read::ZlibDecoder;
use sinew::{
    Aabb, Channel, Character, Clip, ClipKind, Curve, Frame, Interpolation, JointId, Method, Wrap,
    glam::{Affine3A, Vec3},
};
use std::{collections::BTreeMap, io::Read as _};

fn clip<'a>(character: &'a Character, name: &str) -> &'a Clip {
    character.find_clip(name).unwrap()
}

fn options() -> TextureOptions {
    TextureOptions { rate_hz: 10.0, ..TextureOptions::default() }
}

fn recorded(options: &TextureOptions) -> (Character, VertexAnimation) {
    let figure = sinew_samples::figure();
    let clips = [clip(&figure, "walk"), clip(&figure, "wave")];
    let vat = VertexAnimation::record(&figure, &clips, Method::Linear, options, &mut |_| {}).unwrap();
    (figure, vat)
}

fn file<'a>(files: &'a [crate::export::ExportedFile], suffix: &str) -> &'a [u8] {
    &files.iter().find(|file| file.suffix == suffix).unwrap_or_else(|| panic!("no file {suffix}")).bytes
}

/// An OpenEXR image as another program reads it: its size and its channels by name.
struct ReadExr {
    size: [usize; 2],
    channels: BTreeMap<String, Vec<f64>>,
}

/// The value of a number in half precision, by its definition.
fn half(bytes: &[u8]) -> f64 {
    let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    match exponent {
        0 => sign * mantissa * 2.0_f64.powi(-24),
        _ => sign * (1.0 + mantissa / 1024.0) * 2.0_f64.powi(exponent - 15),
    }
}

fn number(bytes: &[u8], at: usize) -> usize {
    i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

impl ReadExr {
    fn new(bytes: &[u8]) -> Self {
        assert_eq!(bytes[..8], [0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0]);
        let mut at = 8;
        let text = |at: &mut usize| {
            let length = bytes[*at..].iter().position(|&b| b == 0).unwrap();
            let text = String::from_utf8(bytes[*at..*at + length].to_vec()).unwrap();
            *at += length + 1;
            text
        };
        let mut attributes = BTreeMap::new();
        while bytes[at] != 0 {
            let name = text(&mut at);
            text(&mut at);
            let size = number(bytes, at);
            attributes.insert(name, bytes[at + 4..at + 4 + size].to_vec());
            at += 4 + size;
        }
        assert_eq!(attributes["compression"], [3]);
        let window = &attributes["dataWindow"];
        let size = [number(window, 8) + 1, number(window, 12) + 1];
        let (list, mut names) = (&attributes["channels"], Vec::new());
        for entry in list[..list.len() - 1].chunks(18) {
            names.push((char::from(entry[0]).to_string(), [0, 2, 4][number(entry, 2)]));
        }
        let mut channels: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for block in 0..size[1].div_ceil(16) {
            let start = number(bytes, at + 1 + 8 * block);
            assert_eq!(number(bytes, start), block * 16);
            let lines = 16.min(size[1] - block * 16);
            let raw_size = lines * size[0] * names.iter().map(|(_, bytes)| bytes).sum::<usize>();
            let raw = unpacked(&bytes[start + 8..start + 8 + number(bytes, start + 4)], raw_size);
            let mut rest = &raw[..];
            for _ in 0..lines {
                for (name, bytes) in &names {
                    let (line, after) = rest.split_at(size[0] * bytes);
                    let value = |b: &[u8]| match bytes {
                        2 => half(b),
                        _ => f64::from(f32::from_le_bytes(b.try_into().unwrap())),
                    };
                    channels.entry(name.clone()).or_default().extend(line.chunks(*bytes).map(value));
                    rest = after;
                }
            }
        }
        Self { size, channels }
    }

    fn texel(&self, column: usize, row: usize) -> Vec3 {
        let at = row * self.size[0] + column;
        let channel = |name: &str| self.channels[name][at] as f32;
        Vec3::new(channel("R"), channel("G"), channel("B"))
    }
}

fn unpacked(data: &[u8], raw_size: usize) -> Vec<u8> {
    if data.len() == raw_size {
        return data.to_vec();
    }
    let mut sums = Vec::new();
    ZlibDecoder::new(data).read_to_end(&mut sums).unwrap();
    for at in 1..sums.len() {
        sums[at] = sums[at - 1].wrapping_add(sums[at]).wrapping_sub(128);
    }
    let (even, odd) = sums.split_at(sums.len().div_ceil(2));
    (0..sums.len()).map(|at| if at % 2 == 0 { even[at / 2] } else { odd[at / 2] }).collect()
}

/// The vertices of the figure in a clip, deformed directly.
fn direct(figure: &Character, name: &str, time_secs: f32) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut frame = Frame::new(figure);
    frame.sample(figure.find_clip(name).unwrap(), time_secs, Wrap::Clamp);
    frame.deform(Method::Linear).unwrap();
    let visible = || figure.visible_instances().map(|instance| &frame.deformed()[instance]);
    (
        visible().flat_map(|streams| streams.positions.clone()).collect(),
        visible().flat_map(|streams| streams.normals.clone()).collect(),
    )
}

#[test]
fn the_files_hold_the_deformed_vertices_as_another_program_reads_them() {
    let (figure, vat) = recorded(&options());
    let files = vat.files("crowd").unwrap();
    let json: serde_json::Value = serde_json::from_slice(file(&files, ".json")).unwrap();
    let (positions, normals) =
        (ReadExr::new(file(&files, ".positions.exr")), ReadExr::new(file(&files, ".normals.exr")));
    assert_eq!(json["positions"]["file"], "crowd.positions.exr");
    assert_eq!(json["layout"]["width"], positions.size[0]);
    assert_eq!(json["layout"]["height"], positions.size[1]);

    // The mesh is read back from its file: its vertices know their texels.
    let mesh = read_bytes(file(&files, ".glb"), "crowd.glb").unwrap().character;
    let uv_set = json["uv_set"].as_u64().unwrap() as usize;
    let rows_per_frame = json["layout"]["rows_per_frame"].as_u64().unwrap() as usize;
    let (mut worst_mm, mut worst_degrees) = (0.0_f32, 0.0_f32);
    for entry in json["clips"].as_array().unwrap() {
        let (first, count) = (entry["first_frame"].as_u64().unwrap(), entry["frame_count"].as_u64().unwrap());
        let rate = entry["rate_hz"].as_f64().unwrap();
        for at in [0, count / 2, count - 1] {
            let time_secs = (at as f64 / rate) as f32;
            let (points, directions) = direct(&figure, entry["name"].as_str().unwrap(), time_secs);
            let mut vertex = 0;
            for part in mesh.meshes() {
                for (place, uv) in part.positions().iter().zip(&part.uv_sets()[uv_set]) {
                    let column = (uv.x * positions.size[0] as f32).floor() as usize;
                    let row = (uv.y * positions.size[1] as f32).floor() as usize;
                    let row = row + (first + at) as usize * rows_per_frame;
                    let stored = *place + positions.texel(column, row);
                    worst_mm = worst_mm.max(stored.distance(points[vertex]) * 1000.0);
                    let normal = normals.texel(column, row).normalize();
                    worst_degrees = worst_degrees.max(normal.angle_between(directions[vertex]).to_degrees());
                    vertex += 1;
                }
            }
            assert_eq!(vertex, points.len());
        }
    }
    // Half precision has 11 significant bits, and the walk moves vertices by up to 1.5 m.
    assert!(worst_mm > 0.01 && worst_mm < 0.9, "{worst_mm} mm");
    assert!(f64::from(worst_mm) <= vat.error().max_position_mm + 1e-3, "{worst_mm} {:?}", vat.error());
    assert!(worst_degrees < 0.1, "{worst_degrees} degrees");
}

#[test]
fn frames_of_several_clips_follow_each_other_and_end_with_their_clips() {
    let (figure, vat) = recorded(&options());
    let [walk, wave] = vat.clips() else { panic!("{:?}", vat.clips()) };
    assert_eq!((walk.first_frame, wave.first_frame), (0, walk.frame_count));
    let last = walk.time_secs((walk.frame_count - 1) as f32);
    assert!((last - clip(&figure, "walk").duration_secs()).abs() < 1e-6);
    assert_eq!(walk.frames_at(-1.0).0, 0);
    assert_eq!(
        wave.frames_at(1e9),
        (wave.first_frame + wave.frame_count - 1, wave.first_frame + wave.frame_count - 1, 0.0)
    );
    let (before, after, fraction) = walk.frames_at(1.5 / walk.rate_hz);
    assert_eq!((before, after), (1, 2));
    assert!((fraction - 0.5).abs() < 1e-4);
}

#[test]
fn single_precision_is_exact_and_half_precision_reports_what_it_loses() {
    let (figure, exact) = recorded(&TextureOptions { precision: TexelPrecision::Float, ..options() });
    // An offset and its place at rest add up with two roundings in single precision.
    assert!(exact.error().max_position_mm < 1e-3, "{:?}", exact.error());
    let (_, half) = recorded(&options());
    assert!((0.01..0.9).contains(&half.error().max_position_mm), "{:?}", half.error());
    assert!(half.error().rms_position_mm < half.error().max_position_mm);
    // Ten frames a second cut corners: that is the larger error.
    assert!(half.playback_error().max_position_mm > half.error().max_position_mm);
    let denser = TextureOptions { rate_hz: 60.0, precision: TexelPrecision::Float, ..options() };
    let walk = [clip(&figure, "walk")];
    let denser = VertexAnimation::record(&figure, &walk, Method::Linear, &denser, &mut |_| {}).unwrap();
    assert!(denser.playback_error().max_position_mm < exact.playback_error().max_position_mm / 9.0);
}

#[test]
fn bounds_hold_every_stored_vertex() {
    let (_, vat) = recorded(&options());
    let frames = 0..vat.positions().layout().frame_count() as usize;
    let all: Vec<Vec3> = frames
        .flat_map(|frame| (0..vat.vertex_count()).map(move |v| (frame, v)))
        .map(|(f, v)| vat.position_at(f, v))
        .collect();
    let bounds = vat.bounds().grown(1e-3);
    assert!(all.iter().all(|&point| bounds.contains(point)));
    let tight = Aabb::of_points(&all);
    assert!((tight.diagonal() - vat.bounds().diagonal()).abs() < 2e-3);
}

#[test]
fn raw_textures_are_rgba_from_the_top_without_a_header() {
    let (_, vat) = recorded(&TextureOptions { file: TextureFile::Raw, ..options() });
    let files = vat.files("crowd").unwrap();
    let bytes = file(&files, ".positions.bin");
    let layout = vat.positions().layout();
    assert_eq!(bytes.len(), (layout.width() * layout.height() * 8) as usize);
    let at = layout.texel(3, 77) * 8;
    let read: Vec<f64> = bytes[at..at + 8].chunks(2).map(half).collect();
    assert_eq!(read, vat.positions().get(3, 77).map(f64::from));
    assert_eq!(read[3], 1.0);
    let json: serde_json::Value = serde_json::from_slice(file(&files, ".json")).unwrap();
    assert_eq!(json["positions"]["format"], "rgba16f");
}

#[test]
fn normals_in_eight_bits_are_a_png_within_half_a_degree() {
    let options = TextureOptions { normals: NormalTexels::Unorm8, ..options() };
    let (_, vat) = recorded(&options);
    assert!((0.05..0.5).contains(&vat.error().max_normal_degrees), "{:?}", vat.error());
    let files = vat.files("crowd").unwrap();
    let png = file(&files, ".normals.png");
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    let (width, height) = (vat.positions().layout().width(), vat.positions().layout().height());
    assert_eq!(
        (png[16..20].to_vec(), png[20..24].to_vec()),
        (width.to_be_bytes().into(), height.to_be_bytes().into())
    );
    // The data follow a header of 33 bytes; each line has one byte for its filter.
    let length = u32::from_be_bytes(png[33..37].try_into().unwrap()) as usize;
    let mut lines = Vec::new();
    ZlibDecoder::new(&png[41..41 + length]).read_to_end(&mut lines).unwrap();
    assert_eq!(lines.len(), (height * (width * 3 + 1)) as usize);
    let x = f32::from(lines[1]) / 127.5 - 1.0;
    assert_eq!(x, vat.normals().unwrap().get(0, 0)[0]);
}

#[test]
fn stored_bone_matrices_skin_the_mesh_of_their_file() {
    let figure = sinew_samples::figure();
    let walk = clip(&figure, "walk");
    let bones = BoneAnimation::record(&figure, &[walk], &options(), &mut |_| {}).unwrap();
    let files = bones.files("crowd").unwrap();
    let json: serde_json::Value = serde_json::from_slice(file(&files, ".json")).unwrap();
    let texture = ReadExr::new(file(&files, ".bones.exr"));
    let mesh = read_bytes(file(&files, ".glb"), "crowd.glb").unwrap().character;
    assert!(mesh.clips().is_empty());
    let rows_per_frame = json["layout"]["rows_per_frame"].as_u64().unwrap() as usize;
    let matrix = |frame: usize, matrix: usize| {
        let row = |row: usize| {
            let element = 3 * matrix + row;
            let at = (frame * rows_per_frame + element / texture.size[0]) * texture.size[0]
                + element % texture.size[0];
            ["R", "G", "B", "A"].map(|channel| texture.channels[channel][at])
        };
        [row(0), row(1), row(2)]
    };
    let at = 4;
    let (points, _) = direct(&figure, "walk", bones.clips()[0].time_secs(at as f32));
    let (mut vertex, mut worst_mm) = (0, 0.0_f64);
    for part in json["parts"].as_array().unwrap() {
        let instance = &mesh.instances()[part["instance"].as_u64().unwrap() as usize];
        let first = part["first_matrix"].as_u64().unwrap() as usize;
        let surface = mesh.mesh_of(instance);
        for (index, place) in surface.positions().iter().enumerate() {
            let mut sum = [0.0_f64; 3];
            for influence in surface.weights().unwrap().influences(index) {
                let rows = matrix(at, first + usize::from(influence.slot));
                for (sum, row) in sum.iter_mut().zip(rows) {
                    let [x, y, z] = place.to_array().map(f64::from);
                    *sum += f64::from(influence.weight) * (row[0] * x + row[1] * y + row[2] * z + row[3]);
                }
            }
            let stored = Vec3::from(sum.map(|s| s as f32));
            worst_mm = worst_mm.max(f64::from(stored.distance(points[vertex])) * 1000.0);
            vertex += 1;
        }
    }
    assert_eq!(vertex, points.len());
    assert!(
        worst_mm > 0.01 && worst_mm <= bones.error().max_position_mm + 1e-3,
        "{worst_mm} {:?}",
        bones.error()
    );
    assert!(bones.error().max_position_mm < 2.0, "{:?}", bones.error());
    assert_ne!(bones.matrix_at(at, 1), Affine3A::IDENTITY);
}

#[test]
fn what_cannot_be_stored_is_refused_with_its_reason() {
    let figure = sinew_samples::figure();
    let record = |clips: &[&Clip], options: &TextureOptions| {
        VertexAnimation::record(&figure, clips, Method::Linear, options, &mut |_| {}).map(|_| ()).unwrap_err()
    };
    let walk = clip(&figure, "walk");
    assert!(matches!(record(&[], &options()), TextureBakeError::NoClip));
    for rate_hz in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9] {
        let options = TextureOptions { rate_hz, ..options() };
        assert!(matches!(record(&[walk], &options), TextureBakeError::BadRate { .. }));
    }
    let narrow = TextureOptions { columns: 1, ..options() };
    assert!(matches!(record(&[walk], &narrow), TextureBakeError::TooTall { .. }));
    let additive = walk.clone().with_kind(ClipKind::Additive);
    assert!(matches!(record(&[&additive], &options()), TextureBakeError::Additive { .. }));
    // Endless clips are refused before anything is deformed or allocated.
    let endless = Clip::empty("endless", 1e30).unwrap();
    assert!(matches!(record(&[&endless], &options()), TextureBakeError::TooTall { .. }));
    let mut parts = figure.parts().clone();
    parts.instances.clear();
    let bare = Character::new(parts).unwrap();
    let error = BoneAnimation::record(&bare, &[walk], &options(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, TextureBakeError::NothingVisible { .. }));
    let arm = sinew_samples::arm();
    let error = VertexAnimation::record(&arm, &[walk], Method::Linear, &options(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, TextureBakeError::Motion(_)));
}

#[test]
fn a_vertex_beyond_half_precision_is_refused_and_single_precision_holds_it() {
    let figure = sinew_samples::figure();
    let curve = Curve::new(vec![0.0], vec![Vec3::X * 1e6], Interpolation::Linear).unwrap();
    let away = Clip::new("far", vec![Channel::Translation { joint: JointId(0), curve }], vec![]).unwrap();
    let record = |precision| {
        let options = TextureOptions { precision, ..options() };
        let vertices = VertexAnimation::record(&figure, &[&away], Method::Linear, &options, &mut |_| {});
        let bones = BoneAnimation::record(&figure, &[&away], &options, &mut |_| {});
        (vertices.err(), bones.err())
    };
    let (vertices, bones) = record(TexelPrecision::Half);
    assert!(matches!(vertices, Some(TextureBakeError::BeyondHalf { frame: 0, .. })), "{vertices:?}");
    assert!(matches!(bones, Some(TextureBakeError::BeyondHalf { frame: 0, .. })), "{bones:?}");
    assert!(matches!(record(TexelPrecision::Float), (None, None)));
}

#[test]
fn surfaces_keep_their_own_texture_coordinates() {
    let (figure, vat) = recorded(&options());
    let own: Vec<_> = figure.visible_instances().map(|i| figure.mesh_of(&figure.instances()[i])).collect();
    for (before, after) in own.iter().zip(vat.mesh().meshes()) {
        assert_eq!(after.uv_sets().len(), vat.uv_set() + 1);
        if let Some(set) = before.uv_sets().first().filter(|set| !set.is_empty()) {
            assert_eq!(&after.uv_sets()[0], set);
        }
    }
    assert!(vat.mesh().skins().is_empty());
}
