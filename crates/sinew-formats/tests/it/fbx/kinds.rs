//! Every kind of transform, tangent and layer, at frames and between them, against ufbx's evaluation of the scene.

use super::takes::{CONSTANT, CUBIC_AUTO, LINEAR, TICKS, bent, check, curve, list};

/// A take that begins late: times are counted from there.
const RANGE: (f64, f64) = (1.0, 2.25);
const BEND: [(f64, f64); 3] = [(0.5, 10.0), (1.4, 70.0), (2.5, -40.0)];

/// The bones of the tube.
const LOWER: &str = "Model::lower";
const UPPER: &str = "Model::upper";

fn bending(flags: u32) -> String {
    bent(&curve(511, &BEND, flags, ""), RANGE)
}

/// `text` with a line among the properties of the element whose line contains `owner`.
fn with_property(text: &str, owner: &str, line: &str) -> String {
    const LIST: &str = "Properties70:  {\n";
    let start = text.find(owner).unwrap();
    let place = start + text[start..].find(LIST).unwrap() + LIST.len();
    format!("{}{line}\n{}", &text[..place], &text[place..])
}

fn with_vector(text: &str, owner: &str, name: &str, [x, y, z]: [f64; 3]) -> String {
    with_property(text, owner, &format!("P: \"{name}\", \"Vector3D\", \"Vector\", \"\",{x},{y},{z}"))
}

fn with_number(text: &str, owner: &str, name: &str, value: i32) -> String {
    with_property(text, owner, &format!("P: \"{name}\", \"enum\", \"\", \"\",{value}"))
}

/// Connects the components of a property of an element (200 is the mesh, 201 the lower bone, 202 the upper one) to curves
/// in a layer. `id` and the three numbers after it must be free.
fn animated(text: &str, [element, layer, id]: [u32; 3], property: &str, keys: [&[(f64, f64)]; 3]) -> String {
    let names = ["d|X", "d|Y", "d|Z"];
    let defaults: String = names
        .iter()
        .zip(keys)
        .map(|(name, keys)| format!("P: \"{name}\", \"Number\", \"\", \"A\",{}\n", keys[0].1))
        .collect();
    let mut objects = format!(
        "AnimationCurveNode: {id}, \"AnimCurveNode::{property}\", \"\" {{\nProperties70:  {{\n{defaults}}}\n}}\n"
    );
    let mut links = format!("C: \"OO\",{id},{layer}\nC: \"OP\",{id},{element}, \"{property}\"\n");
    for (number, (name, keys)) in (id + 1..).zip(names.iter().zip(keys)) {
        objects += &curve(number, keys, CUBIC_AUTO, "");
        links += &format!("C: \"OP\",{number},{id}, \"{name}\"\n");
    }
    added(text, &objects, &links)
}

/// `text` with further objects and connections.
fn added(text: &str, objects: &str, links: &str) -> String {
    text.replacen("AnimationLayer: 501", &format!("{objects}AnimationLayer: 501"), 1).replacen(
        "Connections:  {\n",
        &format!("Connections:  {{\n{links}"),
        1,
    )
}

/// Rotations of the upper bone about all of its axes.
fn turning(text: &str) -> String {
    let (x, y) = ([(0.5, 20.0), (1.7, -60.0)], [(1.0, 0.0), (1.5, 55.0), (2.2, 15.0)]);
    // The bend about z is a curve of the same node.
    let links = "C: \"OP\",711,510, \"d|X\"\nC: \"OP\",712,510, \"d|Y\"\n";
    added(text, &(curve(711, &x, CUBIC_AUTO, "") + &curve(712, &y, CUBIC_AUTO, "")), links)
}

#[test]
fn pivots_offsets_and_rotations_before_and_after_in_every_order() {
    for order in 0..6 {
        let mut text = turning(&bending(CUBIC_AUTO));
        text = with_number(&text, UPPER, "RotationOrder", order);
        text = with_number(&text, UPPER, "RotationActive", 1);
        for (name, vector) in [
            ("PreRotation", [10.0, -25.0, 40.0]),
            ("PostRotation", [-15.0, 30.0, 5.0]),
            ("RotationPivot", [5.0, 12.0, -3.0]),
            ("RotationOffset", [1.0, -2.0, 3.0]),
            ("ScalingPivot", [-4.0, 6.0, 8.0]),
            ("ScalingOffset", [0.5, 1.5, -2.5]),
            ("Lcl Scaling", [1.5, 0.75, 1.25]),
        ] {
            text = with_vector(&text, UPPER, name, vector);
        }
        check(&format!("order {order}"), &text);
    }
}

#[test]
fn animated_pivots_move_the_bone() {
    let text = turning(&bending(CUBIC_AUTO));
    let keys: [&[(f64, f64)]; 3] = [&[(1.0, 0.0), (2.0, 12.0)], &[(0.0, 3.0)], &[(1.2, -5.0), (1.9, 5.0)]];
    check("rotation pivot", &animated(&text, [202, 501, 720], "RotationPivot", keys));
    check("rotation offset", &animated(&text, [202, 501, 720], "RotationOffset", keys));
}

#[test]
fn scale_is_inherited_as_the_node_says_in_takes_that_begin_late() {
    let scales: [&[(f64, f64)]; 3] = [&[(0.0, 1.0), (2.0, 2.0)], &[(1.0, 0.5), (1.8, 1.5)], &[(0.0, 1.0)]];
    let moves: [&[(f64, f64)]; 3] =
        [&[(0.0, 0.0), (2.0, 30.0)], &[(0.5, 100.0), (2.0, 130.0)], &[(1.0, 0.0)]];
    for inherit in 0..3 {
        let mut text = animated(&bending(CUBIC_AUTO), [201, 501, 720], "Lcl Scaling", scales);
        text = animated(&text, [202, 501, 730], "Lcl Translation", moves);
        check(&format!("inherit type {inherit}"), &with_number(&text, UPPER, "InheritType", inherit));
    }
}

/// The curve of the bend with the flags of each key and its four tangent numbers: slopes to the right and to the next key
/// on the left, as floats, then weights as two 16-bit numbers.
fn bend_with_tangents(keys: &[(f64, f64, u32, [f32; 2])]) -> String {
    let strings = |values: &mut dyn Iterator<Item = String>| list(&values.collect::<Vec<_>>());
    let ones = strings(&mut keys.iter().map(|_| "1".to_owned()));
    // A third and a half of the way to the next key, in ten-thousandths.
    let weights = f32::from_bits(3333 | 5000 << 16);
    let data = keys.iter().flat_map(|k| [k.3[0], k.3[1], weights, 0.0]).map(|v| v.to_string());
    let text = format!(
        "AnimationCurve: 511, \"AnimCurve::\", \"\" {{\nDefault: 0\nKeyVer: 4008\nKeyTime: {}\nKeyValueFloat: {}\n\
         KeyAttrFlags: {}\nKeyAttrDataFloat: {}\nKeyAttrRefCount: {ones}\n}}\n",
        strings(&mut keys.iter().map(|k| format!("{:.0}", k.0 * TICKS))),
        strings(&mut keys.iter().map(|k| k.1.to_string())),
        strings(&mut keys.iter().map(|k| k.2.to_string())),
        strings(&mut data.into_iter()),
    );
    bent(&text, RANGE)
}

#[test]
fn tangents_of_every_kind_are_followed() {
    const CUBIC: u32 = 8;
    const CONSTANT_NEXT: u32 = CONSTANT | 1 << 8;
    const TCB: u32 = CUBIC | 1 << 9;
    const USER: u32 = CUBIC | 1 << 10;
    const BROKEN: u32 = USER | 1 << 11;
    const CLAMPED: u32 = CUBIC | 1 << 8 | 1 << 12;
    const PROGRESSIVE: u32 = CUBIC | 1 << 8 | 1 << 13 | 1 << 14;
    const WEIGHTED: u32 = 1 << 24 | 1 << 25;
    let slopes = [[120.0, -80.0], [-200.0, 40.0], [60.0, 10.0], [0.0, 0.0], [30.0, 30.0]];
    let times = [(0.6, 0.0), (1.05, 30.0), (1.5, 30.0), (1.9, -45.0), (2.4, 20.0)];
    for (name, flags) in [
        ("constant", CONSTANT),
        ("constant, next", CONSTANT_NEXT),
        ("linear", LINEAR),
        ("automatic", CUBIC_AUTO),
        ("tension, continuity, bias", TCB),
        ("of the user", USER),
        ("broken", BROKEN),
        ("clamped", CLAMPED),
        ("progressive", PROGRESSIVE),
        ("weighted", USER | WEIGHTED),
        ("weighted and broken", BROKEN | WEIGHTED),
        ("weighted and clamped", CLAMPED | WEIGHTED),
    ] {
        let keys: Vec<_> = times.iter().zip(slopes).map(|(k, s)| (k.0, k.1, flags, s)).collect();
        check(name, &bend_with_tangents(&keys));
    }
    let mixed = [CONSTANT, BROKEN | WEIGHTED, LINEAR, CONSTANT_NEXT, CUBIC_AUTO];
    let keys: Vec<_> = times.iter().zip(slopes).zip(mixed).map(|((k, s), f)| (k.0, k.1, f, s)).collect();
    check("mixed", &bend_with_tangents(&keys));
}

#[test]
fn layers_accumulate_rotation_and_scale_as_they_say_with_weights_that_change() {
    let turns: [&[(f64, f64)]; 3] =
        [&[(0.0, 0.0), (2.0, 80.0)], &[(1.0, -40.0), (1.6, 40.0)], &[(0.0, 25.0)]];
    let scales: [&[(f64, f64)]; 3] = [&[(0.0, 1.0), (2.0, 1.5)], &[(0.0, 1.2)], &[(0.0, 0.8), (1.5, 1.1)]];
    for (mode, rotation, scale) in
        [(0, 0, 0), (0, 1, 1), (0, 0, 1), (1, 0, 0), (1, 1, 0), (2, 0, 0), (2, 1, 1), (2, 0, 1)]
    {
        let layer = format!(
            "AnimationLayer: 601, \"AnimLayer::more\", \"\" {{\nProperties70:  {{\nP: \"Weight\", \"Number\", \"\", \"A\",40\n\
             P: \"BlendMode\", \"enum\", \"\", \"\",{mode}\nP: \"RotationAccumulationMode\", \"enum\", \"\", \"\",{rotation}\n\
             P: \"ScaleAccumulationMode\", \"enum\", \"\", \"\",{scale}\n}}\n}}\n\
             AnimationCurveNode: 640, \"AnimCurveNode::Weight\", \"\" {{\nProperties70:  {{\n\
             P: \"d|Weight\", \"Number\", \"\", \"A\",40\n}}\n}}\n{}",
            curve(641, &[(1.0, 0.0), (1.5, 100.0), (2.0, 30.0)], LINEAR, "")
        );
        let links = "C: \"OO\",640,601\nC: \"OP\",640,601, \"Weight\"\nC: \"OP\",641,640, \"d|Weight\"\n";
        // The order of connections is that of the layers.
        let mut text = turning(&bending(CUBIC_AUTO)).replace("C: \"OO\",501,500\n", "");
        text = added(&text, &layer, &format!("C: \"OO\",501,500\nC: \"OO\",601,500\n{links}"));
        text = animated(&text, [202, 601, 720], "Lcl Rotation", turns);
        text = animated(&text, [202, 601, 730], "Lcl Scaling", scales);
        check(&format!("blend mode {mode}, rotation {rotation}, scale {scale}"), &text);
    }
}

#[test]
fn weights_of_shapes_for_each_vertex_and_outside_of_their_range_are_followed() {
    // The shape moves one of the two points of which each has a weight of its own.
    let text = bending(LINEAR).replace("C: \"OP\",521,520, \"d|DeformPercent\"\n", "");
    let text = text.replacen("Indexes: *1 {\na: 4\n}", "Indexes: *2 {\na: 4,9\n}", 1);
    let text = text.replacen("Vertices: *3 {\na: -10,0,0\n}", "Vertices: *6 {\na: -10,0,0,0,5,7\n}", 1);
    let text = text.replacen("Normals: *3 {\na: 0,0,0\n}", "Normals: *6 {\na: 0,0,0,0,0,0\n}", 1);
    let text = text.replacen("FullWeights: *1 {\na: 100\n}", "FullWeights: *2 {\na: 35,80\n}", 1);
    let keys = [(0.9, -20.0), (1.3, 60.0), (2.1, 150.0)];
    for flags in [LINEAR, CUBIC_AUTO, CONSTANT] {
        let object = curve(741, &keys, flags, "");
        let import = check(
            &format!("weights for each vertex, {flags}"),
            &added(&text, &object, "C: \"OP\",741,520, \"d|DeformPercent\"\n"),
        );
        let moved = import.character.meshes()[0].morphs().targets()[0].positions.iter();
        let lengths: Vec<f32> = moved.map(|offset| offset.length()).filter(|length| *length > 0.0).collect();
        assert!(lengths.iter().any(|l| (l - 0.035).abs() < 1e-6), "35 % of 10 cm: {lengths:?}");
    }
}

#[test]
fn both_bones_and_their_mesh_turn_together() {
    let moves: [&[(f64, f64)]; 3] = [&[(0.0, 0.0), (2.0, 30.0)], &[(0.5, 0.0), (2.0, 20.0)], &[(1.0, 5.0)]];
    let turns: [&[(f64, f64)]; 3] = [&[(0.0, 0.0), (2.0, 130.0)], &[(0.5, 0.0), (2.0, 220.0)], &[(1.0, 5.0)]];
    let text = animated(&turning(&bending(CUBIC_AUTO)), [201, 501, 720], "Lcl Translation", moves);
    let text = animated(&text, [201, 501, 730], "Lcl Rotation", turns);
    check("parent", &with_number(&text, LOWER, "RotationOrder", 3));
}
