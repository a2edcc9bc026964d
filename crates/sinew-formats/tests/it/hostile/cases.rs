//! Single faults: each is refused with the place and the value.

use super::{
    assert_says,
    document::{F32, HostileDocument, IDENTITY, U8, U16, chunk, glb, push},
    import, refusal,
};
use serde_json::{Value, json};
use sinew_formats::{ReadFileError, read_bytes, read_file};
use std::{fs, path::Path};

/// The small document after one change.
fn changed(change: impl FnOnce(&mut Value)) -> HostileDocument {
    let mut document = HostileDocument::everything();
    change(&mut document.json);
    document
}

/// The accessor of one attribute of the skinned quad.
fn attribute(document: &HostileDocument, name: &str) -> usize {
    document.json["meshes"][0]["primitives"][0]["attributes"][name].as_u64().unwrap() as usize
}

/// The small document with `bytes` written over an attribute's data, `offset` bytes in.
fn with_data(name: &str, offset: usize, bytes: &[u8]) -> HostileDocument {
    let mut document = HostileDocument::everything();
    let accessor = attribute(&document, name);
    let view = document.json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let start = document.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize + offset;
    document.bin[start..start + bytes.len()].copy_from_slice(bytes);
    document
}

#[track_caller]
fn assert_refused(change: impl FnOnce(&mut Value), says: &[&str]) {
    assert_says(&refusal(&changed(change)), says);
}

#[test]
fn a_cycle_of_nodes() {
    assert_refused(|j| j["nodes"][2]["children"] = json!([0]), &["nodes[0]", "cycle"]);
    assert_refused(|j| j["nodes"][4]["children"] = json!([4]), &["nodes[4]", "cycle"]);
}

#[test]
fn a_node_with_two_parents() {
    assert_refused(|j| j["nodes"][4]["children"] = json!([2]), &["nodes[4].children", "node 2", "node 1"]);
    assert_refused(|j| j["nodes"][4]["children"] = json!([2, 2]), &["nodes[4].children", "node 2"]);
}

#[test]
fn a_reference_to_a_missing_element() {
    assert_refused(|j| j["nodes"][2]["children"] = json!([77]), &["nodes[2].children", "77", "5"]);
    assert_refused(|j| j["nodes"][3]["mesh"] = json!(9), &["nodes[3].mesh", "mesh 9", "2"]);
    assert_refused(|j| j["nodes"][3]["skin"] = json!(9), &["nodes[3].skin", "skin 9", "1"]);
    assert_refused(|j| j["skins"][0]["joints"][1] = json!(50), &["skins[0].joints", "50", "5"]);
    assert_refused(|j| j["skins"][0]["skeleton"] = json!(50), &["skins[0].skeleton", "50"]);
    assert_refused(|j| j["scene"] = json!(3), &["scene", "3", "1"]);
    assert_refused(|j| j["scenes"][0]["nodes"] = json!([8]), &["scenes[0].nodes", "8", "5"]);
    assert_refused(
        |j| j["meshes"][0]["primitives"][0]["material"] = json!(4),
        &["meshes[0].primitives[0].material", "material 4", "1"],
    );
    assert_refused(
        |j| j["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(99),
        &["meshes[0].primitives[0].attributes.NORMAL", "accessor 99"],
    );
    assert_refused(|j| j["accessors"][0]["bufferView"] = json!(99), &["accessors[0]", "bufferView 99"]);
    assert_refused(|j| j["bufferViews"][0]["buffer"] = json!(3), &["bufferViews[0]", "buffer 3", "1"]);
    assert_refused(
        |j| j["materials"][0]["normalTexture"]["index"] = json!(7),
        &["materials[0].normalTexture", "texture 7"],
    );
    assert_refused(|j| j["textures"][0]["source"] = json!(7), &["materials[0]", "image 7"]);
    assert_refused(
        |j| j["animations"][0]["channels"][1]["sampler"] = json!(12),
        &["animations[0].channels[1]", "sampler 12", "4"],
    );
    assert_refused(
        |j| j["animations"][0]["channels"][1]["target"]["node"] = json!(12),
        &["animations[0].channels[1].target.node", "node 12"],
    );
}

#[test]
fn an_accessor_that_does_not_fit_its_data() {
    assert_refused(|j| j["accessors"][0]["count"] = json!(5), &["accessors[0]", "5 elements", "48 bytes"]);
    assert_refused(|j| j["accessors"][0]["byteOffset"] = json!(4), &["accessors[0]", "from byte 4"]);
    assert_refused(|j| j["accessors"][0]["byteOffset"] = json!(u64::MAX), &["accessors[0]"]);
    // The product of count and stride wraps around to a small number.
    let wraps = |j: &mut Value| {
        j["accessors"][0]["count"] = json!((1_u64 << 62) + 1);
        j["bufferViews"][0]["byteStride"] = json!(16);
    };
    assert_refused(wraps, &["accessors[0]", "4611686018427387905"]);
    assert_refused(
        |j| j["bufferViews"][0]["byteStride"] = json!(4),
        &["accessors[0]", "stride", "12 bytes, got 4"],
    );
    assert_refused(
        |j| j["bufferViews"][0]["byteLength"] = json!(1_u64 << 40),
        &["bufferViews[0]", "1099511627776"],
    );
    assert_refused(|j| j["accessors"][0]["componentType"] = json!(5130), &["accessors[0]", "5130"]);
    assert_refused(|j| j["accessors"][0]["type"] = json!("VEC9"), &["accessors[0]", "VEC9"]);
    assert_refused(|j| j["accessors"][0]["count"] = json!(-4), &["accessors[0].count", "-4"]);
}

#[test]
fn attributes_of_different_lengths_or_widths() {
    let place = "meshes[0].primitives[0].attributes.NORMAL";
    assert_refused(|j| j["accessors"][1]["count"] = json!(3), &[place, "3 entries for 4"]);
    assert_refused(|j| j["accessors"][1]["type"] = json!("VEC2"), &[place, "3 components, got 2"]);
}

#[test]
fn a_sparse_index_out_of_range() {
    let mut document = HostileDocument::everything();
    let is_sparse = |a: &Value| a.get("sparse").is_some();
    let index = document.json["accessors"].as_array().unwrap().iter().position(is_sparse).unwrap();
    let view =
        document.json["accessors"][index]["sparse"]["indices"]["bufferView"].as_u64().unwrap() as usize;
    let start = document.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    document.bin[start] = 9;
    assert_says(&refusal(&document), &[&format!("accessors[{index}].sparse"), "element 9 of 4"]);
    document.json["accessors"][index]["sparse"]["count"] = json!(40);
    assert_says(&refusal(&document), &[&format!("accessors[{index}].sparse"), "40 entries"]);
    document.json["accessors"][index]["sparse"]["indices"]["componentType"] = json!(F32);
    assert_says(&refusal(&document), &[&format!("accessors[{index}].sparse"), "5126"]);
}

#[test]
fn numbers_that_are_not_finite() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let says = refusal(&with_data("POSITION", 24, &bad.to_le_bytes()));
        assert_says(&says, &["meshes[0]", "position of vertex 2", "not finite"]);
    }
    let says = refusal(&with_data("WEIGHTS_0", 16, &f32::NAN.to_le_bytes()));
    assert_says(&says, &["meshes[0]", "vertex 1", "NaN"]);
    let too_large = "out of range";
    assert_refused(
        |j| j["nodes"][1]["translation"][1] = json!(1e39),
        &["nodes[1].translation[1]", too_large],
    );
    assert_refused(|j| j["nodes"][3]["weights"] = json!([1e39, 0]), &["nodes[3].weights[0]", too_large]);
    assert_refused(
        |j| j["materials"][0]["alphaCutoff"] = json!(-1e39),
        &["materials[0].alphaCutoff", too_large],
    );
}

#[test]
fn a_joint_out_of_range_that_has_weight() {
    let says = refusal(&with_data("JOINTS_0", 4, &[200]));
    assert_says(&says, &["meshes[0]", "vertex 1", "slot 200", "0.5", "3 joints"]);
}

#[test]
fn an_index_out_of_range() {
    let mut document = HostileDocument::everything();
    let indices = document.accessor("SCALAR", U16, 3, &[0, 0, 1, 0, 77, 0]);
    document.json["meshes"][0]["primitives"][0]["indices"] = json!(indices);
    assert_says(&refusal(&document), &["meshes[0].primitives[0].indices", "vertex 77", "4"]);
}

#[test]
fn indices_that_are_floats() {
    let float = attribute(&HostileDocument::everything(), "POSITION");
    assert_refused(
        |j| {
            j["accessors"][float]["type"] = json!("SCALAR");
            j["meshes"][0]["primitives"][0]["indices"] = json!(float);
        },
        &["meshes[0].primitives[0]"],
    );
}

#[test]
fn a_required_extension_that_is_unsupported() {
    let change = |j: &mut Value| j["extensionsRequired"] = json!(["KHR_mesh_quantization", "ACME_teapot"]);
    assert_refused(change, &["ACME_teapot"]);
}

#[test]
fn buffers_that_differ_from_their_declaration() {
    let with = |buffer: Value| changed(|j| j["buffers"] = json!([buffer]));
    let size = HostileDocument::everything().bin.len();
    let too_short = refusal(&with(json!({ "byteLength": size + 100 })));
    assert_says(&too_short, &["buffers[0]", &(size + 100).to_string()]);
    let says = refusal(&with(json!({ "byteLength": 3, "uri": "data:;base64,a*b" })));
    assert_says(&says, &["buffers[0]", "base64"]);
    let says = refusal(&with(json!({ "byteLength": 4, "uri": "not/there.bin" })));
    assert_says(&says, &["buffers[0]", "not/there.bin"]);
    for path in ["/etc/hostname", "file:///etc/hostname", "http://localhost/x"] {
        assert_says(&refusal(&with(json!({ "byteLength": 4, "uri": path }))), &["buffers[0]", path]);
    }
    let says = refusal(&with(json!({ "byteLength": -1 })));
    assert_says(&says, &["buffers[0].byteLength", "-1"]);
}

#[test]
fn keys_that_cannot_be_played() {
    let sampler =
        |j: &Value, field: &str| j["animations"][0]["samplers"][0][field].as_u64().unwrap() as usize;
    let mut document = HostileDocument::everything();
    let falling = document.floats("SCALAR", 1, &[1.0, 0.5]);
    document.json["animations"][0]["samplers"][0]["input"] = json!(falling);
    assert_says(&refusal(&document), &["animations[0].channels[0]", "key 1", "0.5", "1 s"]);

    let one_key = changed(|j| {
        let output = sampler(j, "output");
        j["accessors"][output]["count"] = json!(1);
    });
    assert_says(&refusal(&one_key), &["animations[0].channels[0]", "2 Linear keys", "got 1"]);

    let none = changed(|j| {
        let input = sampler(j, "input");
        j["accessors"][input]["count"] = json!(0);
    });
    assert_says(&refusal(&none), &["animations[0].channels[0]", "at least one key"]);
    assert_refused(
        |j| j["animations"][0]["samplers"][0]["interpolation"] = json!("SPLINE"),
        &["animations[0].channels[0]", "SPLINE"],
    );
}

#[test]
fn skins_that_move_nothing() {
    assert_refused(|j| j["skins"][0]["joints"] = json!([]), &["skins[0]", "at least one joint"]);
    let mut document = HostileDocument::everything();
    let short = document.floats("MAT4", 16, &IDENTITY);
    document.json["skins"][0]["inverseBindMatrices"] = json!(short);
    assert_says(&refusal(&document), &["skins[0].inverseBindMatrices", "1 matrices for 3 joints"]);
    let mut matrices = IDENTITY.repeat(3);
    matrices[17] = f32::NAN;
    let mut document = HostileDocument::everything();
    let bad = document.floats("MAT4", 16, &matrices);
    document.json["skins"][0]["inverseBindMatrices"] = json!(bad);
    assert_says(&refusal(&document), &["skins[0]", "slot 1", "not finite"]);
}

#[test]
fn a_skin_may_name_a_node_twice() {
    let document = changed(|j| j["skins"][0]["joints"] = json!([0, 1, 1]));
    assert_eq!(import(&document).character.skins()[0].joints().len(), 3);
}

#[test]
fn more_nodes_than_can_be_numbered() {
    let document = changed(|j| j["nodes"] = vec![json!({}); 70_000].into());
    assert_says(&refusal(&document), &["nodes", "70000", "65535"]);
}

#[test]
fn a_mode_that_does_not_exist() {
    assert_refused(
        |j| j["meshes"][1]["primitives"][0]["mode"] = json!(7),
        &["meshes[1].primitives[0].mode", "7"],
    );
}

#[test]
fn json_that_nests_too_deep() {
    let nested = [&br#"{"asset":{"version":"2.0"},"extras":"#[..], &b"[".repeat(200_000)].concat();
    let says = read_bytes(&nested, "deep").unwrap_err().to_string();
    assert_says(&says, &["extras", "recursion"]);
}

#[test]
fn json_of_the_wrong_kind() {
    for (text, says) in [
        (&b"[]"[..], &["asset.version"][..]),
        (b"7", &["the document", "7"]),
        (b"{", &["the document"]),
        (br#"{"nodes":[{},{"#, &["nodes[1]:"]),
        (br#"{"asset":{"version":"2.0"},"nodes":{}}"#, &["nodes", "expected a sequence"]),
        (br#"{"asset":{"version":"2.0"},"nodes":[{},{"mesh":"a"}]}"#, &["nodes[1].mesh", "\"a\""]),
        (br#"{"asset":{"version":"2.0"},"accessors":[{"componentType":5126}]}"#, &["accessors[0]", "count"]),
        (br#"{"asset":{"version":"1.0"}}"#, &["asset.version", "1.0"]),
        (br#"{"nodes":[]}"#, &["asset.version"]),
        (b"{\"asset\":{\"version\":\"2.0\xFF\"}}", &["asset.version"]),
    ] {
        assert_says(&read_bytes(text, "text").unwrap_err().to_string(), says);
    }
}

#[test]
fn containers_that_contradict_themselves() {
    let whole = HostileDocument::everything().glb();
    let patched = |at: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        read_bytes(&bytes, "patched").unwrap_err().to_string()
    };
    assert_says(&patched(4, 1), &["byte 4", "glTF 1.0 is not supported"]);
    assert_says(&patched(8, u32::MAX), &["byte 8", "4294967295", &whole.len().to_string()]);
    assert_says(&patched(8, 11), &["byte 12", "JSON chunk is missing"]);
    assert_says(&patched(12, u32::MAX), &["byte 12", "4294967295"]);
    assert_says(&patched(16, 0x004E_4942), &["byte 12", "0x004e4942"]);
    assert_says(&read_bytes(b"glTF", "short").unwrap_err().to_string(), &["byte 4"]);
    // Chunks of other kinds after the first are skipped, as the specification requires.
    let mut extended = glb(br#"{"asset":{"version":"2.0"}}"#, &[]);
    extended.extend(chunk(b"ELSE", b"data", 0));
    let length = (extended.len() as u32).to_le_bytes();
    extended[8..12].copy_from_slice(&length);
    assert!(read_bytes(&extended, "extended").is_ok());
}

#[test]
fn files_that_are_missing_empty_or_of_no_known_format() {
    let folder = tempfile::tempdir().unwrap();
    let says = |path: &Path| match read_file(path) {
        Ok(_) => panic!("{} was read", path.display()),
        Err(error) => {
            let text = error.to_string();
            assert_says(&text, &[&path.display().to_string()]);
            (text, matches!(error, ReadFileError::Io { .. }))
        }
    };
    assert!(says(folder.path()).1);
    assert!(says(&folder.path().join("missing.glb")).1);
    for (name, content) in
        [("empty.glb", &b""[..]), ("words.glb", b"Dear reader,\n"), ("zeros.gltf", &[0; 100])]
    {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        assert_says(&says(&path).0, &["not a glTF, BVH, FBX or .sinew file"]);
    }
}

#[test]
fn a_document_that_names_a_folder_or_a_missing_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gltf");
    for (uri, says) in [("missing.bin", "missing.bin"), (".", "regular file"), ("..", "--allow-outside")] {
        let mut document = HostileDocument::everything();
        document.json["buffers"] = json!([{ "byteLength": 4, "uri": uri }]);
        fs::write(&path, document.gltf()).unwrap();
        assert_says(&read_file(&path).unwrap_err().to_string(), &["a.gltf", "buffers[0]", uri, says]);
    }
}

#[test]
fn a_compressed_view_with_a_wrong_description() {
    let compressed = |change: fn(&mut Value)| {
        let mut document = HostileDocument::empty();
        let view = document.view(&[0xA0; 40]);
        let mut compression = json!({
            "buffer": 0, "byteOffset": 0, "byteLength": 40, "byteStride": 4, "count": 4, "mode": "ATTRIBUTES"
        });
        change(&mut compression);
        document.json["bufferViews"][view]["extensions"] = json!({ "EXT_meshopt_compression": compression });
        let accessor = json!({ "bufferView": view, "componentType": U8, "count": 4, "type": "VEC4" });
        let accessor = push(&mut document.json["accessors"], accessor);
        document.json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": accessor } }] }]);
        refusal(&document)
    };
    let place = "bufferViews[0]";
    assert_says(&compressed(|c| c["mode"] = json!("ZIP")), &[place, "ZIP"]);
    assert_says(&compressed(|c| c["filter"] = json!("BLUR")), &[place, "BLUR"]);
    assert_says(&compressed(|c| c["byteStride"] = json!(5)), &[place, "5"]);
    assert_says(&compressed(|c| c["byteLength"] = json!(41)), &[place, "41", "40"]);
    assert_says(&compressed(|c| c["count"] = json!(u64::MAX)), &[place]);
    assert_says(&compressed(|c| c["buffer"] = json!(2)), &[place, "buffer 2"]);
    assert_says(&compressed(|c| _ = c.as_object_mut().unwrap().remove("count")), &[place, "count"]);
}
