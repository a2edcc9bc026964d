use super::*;
use serde_json::{Value, json};

/// The elements of the first accessor of `document`, whose only buffer is `buffer`.
fn elements(document: Value, buffer: &[u8]) -> Result<(Elements, ImportReport), ReadError> {
    elements_in(document, SourceBytes::Borrowed(buffer))
}

fn elements_in(document: Value, buffer: SourceBytes<'_>) -> Result<(Elements, ImportReport), ReadError> {
    let mut report = ImportReport::default();
    let root: Root = serde_json::from_value(document).unwrap();
    let budget = Budget::new(&crate::Limits::default().with_max_unpacked_bytes(1 << 20), 0)?;
    let buffers = GltfBuffers::new(&root, vec![Some(buffer)], &budget);
    Ok((buffers.elements("test", 0, &mut report)?, report))
}

/// A document with one view over the whole buffer and one accessor.
fn over(buffer: &[u8], accessor: Value) -> Value {
    json!({ "accessors": [accessor], "bufferViews": [{ "buffer": 0, "byteLength": buffer.len() }] })
}

/// All components of a tight scalar accessor over `buffer`.
fn scalars(component_type: u32, normalized: bool, buffer: &[u8]) -> Elements {
    let count = buffer.len() / component_size(component_type).unwrap();
    let accessor = json!({
        "bufferView": 0, "componentType": component_type, "normalized": normalized, "count": count, "type": "SCALAR"
    });
    elements(over(buffer, accessor), buffer).unwrap().0
}

fn bytes_of(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|f| f.to_le_bytes()).collect()
}

#[test]
fn numbers_are_read_as_they_are_stored() {
    assert_eq!(scalars(component::I8, false, &[0, 127, 128, 255]).floats(), [0.0, 127.0, -128.0, -1.0]);
    assert_eq!(scalars(component::U8, false, &[0, 127, 255]).floats(), [0.0, 127.0, 255.0]);
    assert_eq!(scalars(component::I16, false, &[0xFF, 0x7F, 0, 0x80]).floats(), [32767.0, -32768.0]);
    assert_eq!(scalars(component::U16, false, &[0xFF, 0xFF, 1, 0]).floats(), [65535.0, 1.0]);
    assert_eq!(scalars(component::U32, false, &[0, 0, 1, 0]).floats(), [65536.0]);
    assert_eq!(scalars(component::F32, false, &bytes_of(&[-1.5, f32::MAX])).floats(), [-1.5, f32::MAX]);
}

#[test]
fn normalized_integers_reach_one_exactly_and_stop_at_minus_one() {
    assert_eq!(scalars(component::I8, true, &[0, 127, 128, 129]).floats(), [0.0, 1.0, -1.0, -1.0]);
    assert_eq!(scalars(component::U8, true, &[0, 51, 255]).floats(), [0.0, 0.2, 1.0]);
    assert_eq!(scalars(component::I16, true, &[0xFF, 0x7F, 0, 0x80, 1, 0x80]).floats(), [1.0, -1.0, -1.0]);
    assert_eq!(scalars(component::U16, true, &[0xFF, 0xFF, 0, 0, 0x33, 0x33]).floats(), [1.0, 0.0, 0.2]);
    // glTF has no normalized floats: the flag is ignored.
    assert_eq!(scalars(component::F32, true, &bytes_of(&[3.0])).floats(), [3.0]);
}

#[test]
fn only_unsigned_numbers_are_integers() {
    assert_eq!(scalars(component::U8, false, &[0, 255]).integers().unwrap(), [0, 255]);
    assert_eq!(scalars(component::U16, false, &[1, 2]).integers().unwrap(), [0x0201]);
    assert_eq!(scalars(component::U32, false, &[1, 2, 3, 0xFF]).integers().unwrap(), [0xFF03_0201]);
    for other in [component::I8, component::I16, component::F32] {
        assert_eq!(scalars(other, false, &[0; 4]).integers(), None);
    }
}

#[test]
fn interleaved_elements_are_separated() {
    // Each vertex has three position floats, then two others.
    let buffer = bytes_of(&[1.0, 2.0, 3.0, 9.0, 8.0, 4.0, 5.0, 6.0, 9.0, 8.0]);
    let document = |offset: usize, kind: &str| {
        json!({
            "accessors": [{
                "bufferView": 0, "byteOffset": offset, "componentType": component::F32, "count": 2, "type": kind
            }],
            "bufferViews": [{ "buffer": 0, "byteLength": buffer.len(), "byteStride": 20 }]
        })
    };
    let (positions, report) = elements(document(0, "VEC3"), &buffer).unwrap();
    assert_eq!(positions.vectors::<3>("test").unwrap(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert!(report.findings().is_empty());
    // The last element ends with the buffer, which has no full stride left.
    let (others, _) = elements(document(12, "VEC2"), &buffer).unwrap();
    assert_eq!(others.vectors::<2>("test").unwrap(), [[9.0, 8.0], [9.0, 8.0]]);
    assert!(elements(document(16, "VEC2"), &buffer).is_err());
}

#[test]
fn a_stride_between_key_times_is_honored_and_reported() {
    let buffer = bytes_of(&[1.0, 9.0, 2.0, 9.0]);
    let document = json!({
        "accessors": [{ "bufferView": 0, "componentType": component::F32, "count": 2, "type": "SCALAR" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 16, "byteStride": 8 }]
    });
    let (times, report) = elements(document, &buffer).unwrap();
    assert_eq!(times.floats(), [1.0, 2.0]);
    assert_eq!(report.of(FindingCode::StrideNotAllowed).count(), 1);
}

#[test]
fn offsets_of_view_and_accessor_add_up() {
    let buffer = [0, 1, 2, 3, 4, 5, 6, 7];
    let document = json!({
        "accessors": [{ "bufferView": 0, "byteOffset": 2, "componentType": component::U8, "count": 3, "type": "SCALAR" }],
        "bufferViews": [{ "buffer": 0, "byteOffset": 3, "byteLength": 5 }]
    });
    assert_eq!(elements(document.clone(), &buffer).unwrap().0.bytes[..], [5, 6, 7]);
    // The view ends before the buffer does.
    let mut short = document;
    short["bufferViews"][0]["byteLength"] = json!(4);
    assert!(elements(short, &buffer).is_err());
}

/// An accessor of four bytes with elements 1 and 3 replaced by 71 and 73.
fn sparse(view: Option<usize>) -> (Value, [u8; 8]) {
    let document = json!({
        "accessors": [{
            "bufferView": view, "componentType": component::U8, "count": 4, "type": "SCALAR",
            "sparse": {
                "count": 2,
                "indices": { "bufferView": 1, "componentType": component::U8 },
                "values": { "bufferView": 1, "byteOffset": 2 }
            }
        }],
        "bufferViews": [{ "buffer": 0, "byteLength": 4 }, { "buffer": 0, "byteOffset": 4, "byteLength": 4 }]
    });
    (document, [10, 11, 12, 13, 1, 3, 71, 73])
}

#[test]
fn sparse_values_replace_those_of_the_view() {
    let (document, buffer) = sparse(Some(0));
    assert_eq!(elements(document, &buffer).unwrap().0.bytes[..], [10, 71, 12, 73]);
}

#[test]
fn packed_elements_share_the_bytes_of_their_buffer_and_sparse_values_do_not_change_it() {
    let file = SharedBytes::from([&[9, 9][..], &bytes_of(&[1.0, 2.0])].concat());
    let accessor = json!({ "bufferView": 0, "componentType": component::F32, "count": 1, "type": "SCALAR" });
    let mut document = over(&[0; 8], accessor);
    document["accessors"][0]["byteOffset"] = json!(4);
    let (found, _) = elements_in(document, SourceBytes::Shared(file.part(2, 8))).unwrap();
    assert_eq!((found.bytes.as_ptr(), found.floats()), (file[6..].as_ptr(), vec![2.0]));
    let (document, buffer) = sparse(Some(0));
    let file = SharedBytes::from(buffer.to_vec());
    let (found, _) = elements_in(document, SourceBytes::Shared(file.clone())).unwrap();
    assert_eq!((&found.bytes[..], &*file), (&[10, 71, 12, 73][..], &buffer[..]));
}

#[test]
fn sparse_values_without_a_view_replace_zeros() {
    let (document, buffer) = sparse(None);
    assert_eq!(elements(document, &buffer).unwrap().0.bytes[..], [0, 71, 0, 73]);
}

#[test]
fn sparse_indices_must_be_inside_and_unsigned() {
    let (document, mut buffer) = sparse(None);
    buffer[5] = 4;
    let message = elements(document.clone(), &buffer).unwrap_err().to_string();
    assert!(message.contains("accessors[0].sparse") && message.contains("element 4 of 4"), "{message}");
    let mut signed = document;
    signed["accessors"][0]["sparse"]["indices"]["componentType"] = json!(component::I8);
    assert!(elements(signed, &buffer).is_err());
}

#[test]
fn no_elements_need_no_data() {
    for (view, offset) in [(Some(0), 0), (Some(0), 1000), (None, 0)] {
        let accessor = json!({
            "bufferView": view, "byteOffset": offset, "componentType": component::F32, "count": 0, "type": "MAT4"
        });
        let (none, _) = elements(over(&[0; 4], accessor), &[0; 4]).unwrap();
        assert_eq!((none.count, none.bytes.len(), none.floats().len()), (0, 0, 0));
    }
}

#[test]
fn an_unexpected_width_is_refused() {
    let accessor = json!({ "bufferView": 0, "componentType": component::U8, "count": 2, "type": "VEC4" });
    let (four, _) = elements(over(&[1; 8], accessor), &[1; 8]).unwrap();
    assert_eq!(four.vectors::<4>("test").unwrap(), [[1.0; 4]; 2]);
    let message = four.vectors::<3>("the place").unwrap_err().to_string();
    assert_eq!(message, "the place: elements must have 3 components, got 4");
}
