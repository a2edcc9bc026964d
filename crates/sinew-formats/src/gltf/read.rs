//! Reads a document as a character.

mod attributes;
mod clips;
mod events;
mod helper_joints;
mod influences;
mod joint_data;
mod materials;
mod meshes;
mod metas;
mod morphs;
mod nodes;
mod precomputed;
mod primitives;
mod skins;
mod topology;

use super::{
    accessor::{Elements, GltfBuffers, MESHOPT_EXTENSIONS},
    container,
    json::{self, Extensions, Root},
    method_extras,
    resources::{Library, load_buffers},
    source::{GltfSource, SourceContainer, SourceMap},
    vrm,
};
use crate::{
    Fetch, Import, ReadError, ReadOptions,
    budget::Budget,
    names,
    report::{FindingCode, ImportReport},
    shared_bytes::{SharedBytes, SourceBytes},
};
use nodes::NodeOrder;
pub(super) use primitives::DRACO_EXTENSION;
use serde::Deserialize;
use serde_json::Value;
use sinew::{
    Character, CharacterParts, CharacterSource, Extras, ExtrasOwner, HumanBone, Humanoid, JointId, Skeleton,
};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

/// The supported extensions that change data.
const SUPPORTED: [&str; 8] = [
    "KHR_mesh_quantization",
    MESHOPT_EXTENSIONS[0],
    MESHOPT_EXTENSIONS[1],
    DRACO_EXTENSION,
    vrm::springs::SPRINGS,
    vrm::springs::EXTENDED,
    vrm::springs::LIMIT,
    vrm::node_constraints::NODE_CONSTRAINT,
];

/// True for extensions that change neither the shape of a character nor its motion: looks, sounds, rights and what other
/// programs simulate. They can be ignored even if a file requires them.
fn is_cosmetic(extension: &str) -> bool {
    const PREFIXES: [&str; 8] = [
        "KHR_materials_",
        "KHR_texture_",
        "EXT_texture_",
        "MSFT_texture_",
        "KHR_lights_",
        "EXT_lights_",
        "KHR_audio",
        "VRM",
    ];
    const NAMES: [&str; 6] = [
        "KHR_xmp_json_ld",
        "KHR_node_visibility",
        "KHR_node_selectability",
        "EXT_mesh_features",
        "EXT_structural_metadata",
        "MSFT_lod",
    ];
    PREFIXES.iter().any(|prefix| extension.starts_with(prefix)) || NAMES.contains(&extension)
}

/// Reads a .gltf or .glb from memory as a character called `name`. `fetch` loads the files that it names.
///
/// # Errors
/// When the container, the JSON or an element is malformed, a required extension is unsupported, a file that it names
/// cannot be read, or a limit would be exceeded. The error names the element and the value.
pub fn read_gltf(
    bytes: &[u8],
    name: &str,
    fetch: &Fetch<'_>,
    options: &ReadOptions,
) -> Result<Import, ReadError> {
    read_document(&SourceBytes::Borrowed(bytes), name, fetch, options)
}

/// As [`read_gltf`], for bytes that can be kept without a copy.
pub(crate) fn read_document(
    bytes: &SourceBytes<'_>,
    name: &str,
    fetch: &Fetch<'_>,
    options: &ReadOptions,
) -> Result<Import, ReadError> {
    let budget = Budget::new(&options.limits, bytes.len())?;
    let is_binary = bytes.starts_with(container::MAGIC);
    // The buffer is kept with its file: bytes of a caller are copied once, and not by part.
    let kept = (is_binary && !options.forget_source).then(|| bytes.clone().into_shared());
    let bytes = kept.map_or_else(|| bytes.clone(), SourceBytes::Shared);
    let (json, bin, others) = if is_binary {
        let chunks = container::split(&bytes)?;
        let bin = chunks.bin.map(|place| bytes.part(place.start, place.len()));
        (chunks.json, bin, chunks.others)
    } else {
        (&*bytes, None, Vec::new())
    };
    let mut root = parse(json)?;
    check_version(&root)?;
    let mut report = ImportReport::default();
    shorten_names(&mut root, &mut report);
    check_extensions(&root, &mut report)?;
    let library = Library::new(fetch, &budget, options);
    let buffers = load_buffers(&root, bin.as_ref(), &library)?;
    let buffers = GltfBuffers::new(&root, buffers, &budget);
    let declared = root.extensions_used.iter().map(String::as_str).collect();
    let map = SourceMap::default();
    let reader = GltfReader { root: &root, declared, buffers, report, extras: Extras::new(), map };
    let (mut import, map, buffers) = reader.character(name, &library)?;
    if !options.forget_source {
        let own = |buffer: Option<SourceBytes<'_>>| buffer.map(SourceBytes::into_shared);
        let container = match is_binary {
            true => SourceContainer::Glb { whole: bytes.clone().into_shared(), others },
            false => SourceContainer::Gltf { has_mark: without_mark(json).len() < json.len() },
        };
        let original = import.character.clone();
        import.character = import.character.with_source(CharacterSource::new(GltfSource {
            json: String::from_utf8_lossy(without_mark(json)).into_owned(),
            container,
            buffers: buffers.into_iter().map(own).collect(),
            original,
            map,
            report: import.report.clone(),
            file: options.file.clone(),
        }));
    }
    Ok(import)
}

/// The character in a document whose buffers are known. Files that it names are missing.
pub(super) fn read_again(json: &str, buffers: &[Option<SharedBytes>]) -> Result<Character, ReadError> {
    let root = parse(json.as_bytes())?;
    let budget = Budget::unlimited();
    let bytes = buffers.iter().map(|buffer| buffer.clone().map(SourceBytes::Shared)).collect();
    let buffers = GltfBuffers::new(&root, bytes, &budget);
    let (report, extras, map) = (ImportReport::default(), Extras::new(), SourceMap::default());
    let reader = GltfReader { root: &root, declared: HashSet::new(), buffers, report, extras, map };
    let no_files = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    let options = ReadOptions::default();
    let library = Library::new(&no_files, &budget, &options);
    Ok(reader.character("", &library)?.0.character)
}

/// The attributes and indices in the Draco stream of a primitive of a document that was read before.
pub(super) fn decode_draco(
    root: &Root,
    buffers: &[Option<SharedBytes>],
    primitive: &json::Primitive,
    place: &str,
) -> Result<(BTreeMap<String, Elements>, Vec<u32>), ReadError> {
    let bytes = buffers.iter().map(|buffer| buffer.clone().map(SourceBytes::Shared)).collect();
    let budget = Budget::unlimited();
    let buffers = GltfBuffers::new(root, bytes, &budget);
    let (report, extras, map) = (ImportReport::default(), Extras::new(), SourceMap::default());
    let mut reader = GltfReader { root, declared: HashSet::new(), buffers, report, extras, map };
    match primitive.extensions.get(DRACO_EXTENSION) {
        Some(compression) => reader.draco(place, primitive, compression),
        None => Ok((BTreeMap::new(), Vec::new())),
    }
}

/// The text without a byte order mark, which is forbidden but common.
fn without_mark(json: &[u8]) -> &[u8] {
    json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json)
}

pub(super) fn parse(json: &[u8]) -> Result<Root, ReadError> {
    let json = without_mark(json);
    refuse_version_1(json)?;
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| ReadError::Json {
        // When the text ends early, the parser has no name for the last step of the path.
        place: match error.path().to_string().trim_end_matches(".?") {
            "." | "?" => "the document".into(),
            path => path.into(),
        },
        message: error.inner().to_string(),
    })
}

/// Refuses glTF 1.0 by name: its lists are objects, which would be an error about types.
fn refuse_version_1(json: &[u8]) -> Result<(), ReadError> {
    #[derive(Deserialize)]
    struct Versioned {
        asset: VersionedAsset,
    }
    #[derive(Deserialize)]
    struct VersionedAsset {
        version: Value,
    }
    let Ok(document) = serde_json::from_slice::<Versioned>(json) else { return Ok(()) };
    let version = document.asset.version;
    let is_1 =
        version.as_str().is_some_and(|v| v.split('.').next() == Some("1")) || version.as_f64() == Some(1.0);
    if is_1 {
        let what = "glTF 1.0 is not supported; convert the file to glTF 2.0";
        return Err(ReadError::invalid("asset.version", what));
    }
    Ok(())
}

/// Cuts the names that are too long. Saving as glTF carries them whole.
fn shorten_names(root: &mut Root, report: &mut ImportReport) {
    let names = root.nodes.iter_mut().map(|it| &mut it.name);
    let names = names.chain(root.meshes.iter_mut().map(|it| &mut it.name));
    let names = names.chain(root.skins.iter_mut().map(|it| &mut it.name));
    let names = names.chain(root.animations.iter_mut().map(|it| &mut it.name));
    let names = names.chain(root.materials.iter_mut().map(|it| &mut it.name));
    let names = names.chain(root.images.iter_mut().map(|it| &mut it.name));
    let names = names.chain(root.scenes.iter_mut().map(|it| &mut it.name));
    let count = names.flatten().filter_map(|name| names::shorten(name).then_some(())).count();
    if count > 0 {
        report.add(FindingCode::NameShortened, "the document", names::message(count));
    }
}

fn check_version(root: &Root) -> Result<(), ReadError> {
    let version = &root.asset.version;
    if version.split('.').next() != Some("2") {
        return Err(ReadError::invalid("asset.version", format!("must be 2.x, got {version:?}")));
    }
    match root.asset.min_version.as_deref() {
        None | Some("2.0") => Ok(()),
        Some(minimum) => Err(ReadError::invalid("asset.minVersion", format!("must be 2.0, got {minimum:?}"))),
    }
}

fn check_extensions(root: &Root, report: &mut ImportReport) -> Result<(), ReadError> {
    let unsupported = |e: &&String| !SUPPORTED.contains(&e.as_str());
    if let Some(extension) = root.extensions_required.iter().filter(unsupported).find(|e| !is_cosmetic(e)) {
        return Err(ReadError::UnsupportedExtension { extension: extension.clone() });
    }
    for extension in root.extensions_used.iter().filter(unsupported) {
        report.add(
            FindingCode::ExtensionIgnored,
            "extensionsUsed",
            format!("{extension} is not used; saving as glTF carries it"),
        );
    }
    if !root.cameras.is_empty() {
        report.add(
            FindingCode::CameraIgnored,
            "cameras",
            format!("{} cameras are not used; saving as glTF carries them", root.cameras.len()),
        );
    }
    Ok(())
}

/// The state that all steps of reading share.
struct GltfReader<'a> {
    root: &'a Root,
    /// The extensions in the document's `extensionsUsed`.
    declared: HashSet<&'a str>,
    buffers: GltfBuffers<'a>,
    report: ImportReport,
    extras: Extras,
    map: SourceMap,
}

/// The bytes of every buffer; `None` for the placeholder of compressed data.
type AllBuffers<'a> = Vec<Option<SourceBytes<'a>>>;

impl<'a> GltfReader<'a> {
    fn character(
        mut self,
        name: &str,
        library: &Library<'_>,
    ) -> Result<(Import, SourceMap, AllBuffers<'a>), ReadError> {
        let root = self.root;
        let order = NodeOrder::new(root, &mut self.report)?;
        let skeleton = Arc::new(self.skeleton(&order)?);
        let skins = self.skins(&skeleton, &order)?;
        let meshes = self.meshes()?;
        let instances = self.instances(&order, &meshes)?;
        let images = self.images(library)?;
        let materials = self.materials(&images)?;
        let (scenes, default_scene) = self.scenes(&order)?;
        let mut extras = vrm::foreign_extras(root);
        let recommended_method = method_extras::take(&mut extras);
        self.keep_extras(ExtrasOwner::Asset, extras.as_ref());
        let mut parts = CharacterParts {
            meshes: meshes.into_iter().map(Arc::new).collect(),
            skins: skins.into_iter().map(Arc::new).collect(),
            instances,
            materials,
            images,
            scenes,
            default_scene,
            recommended_method,
            copyright: root.asset.copyright.clone().unwrap_or_default(),
            ..CharacterParts::new(name, skeleton)
        };
        parts.clips = self.clips(&order, &parts)?.into_iter().map(Arc::new).collect();
        parts.helpers = self.helpers(&order, &parts.skeleton);
        parts.humanoid = self.humanoid(&order, &parts.skeleton);
        let read = vrm::read_constraints(root, &parts.skeleton, &|node| order.joint_of(node));
        for fault in read.faults {
            self.report.add(FindingCode::ConstraintIgnored, fault.place, fault.why);
        }
        (parts.springs, parts.node_constraints) = (read.springs, read.node_constraints);
        parts.extras = self.extras;
        let character = Character::new(parts).map_err(|e| ReadError::invalid("the document", e))?;
        self.map.node_of_joint = order.node_of_joint.clone();
        let import = Import { character, report: self.report, node_of_joint: order.node_of_joint };
        Ok((import, self.map, self.buffers.bytes))
    }

    /// The human bones that the document names. Bones that do not fit the skeleton are reported.
    fn humanoid(&mut self, order: &NodeOrder, skeleton: &Skeleton) -> Option<Humanoid> {
        let read = vrm::read_bones(self.root)?;
        for name in read.unknown {
            let detail = format!("{name:?} is not a human bone with a node");
            self.report.add(FindingCode::JointDataIgnored, &read.place, detail);
        }
        let mut bones: Vec<(HumanBone, JointId)> = Vec::with_capacity(read.bones.len());
        for (bone, node) in read.bones {
            let is_taken = |joint: JointId| bones.iter().any(|(b, j)| *b == bone || *j == joint);
            match order.joint_of(node).filter(|joint| !is_taken(*joint)) {
                Some(joint) => bones.push((bone, joint)),
                None => {
                    let detail =
                        format!("{} names node {node}, which is missing or another bone", bone.name());
                    self.report.add(FindingCode::JointDataIgnored, &read.place, detail);
                }
            }
        }
        Humanoid::new(skeleton, bones).ok().filter(|humanoid| !humanoid.is_empty())
    }

    /// Keeps application data; empty objects are dropped.
    fn keep_extras(&mut self, owner: ExtrasOwner, extras: Option<&Value>) {
        let empty = |v: &Value| v.is_null() || v.as_object().is_some_and(serde_json::Map::is_empty);
        if let Some(value) = extras.filter(|v| !empty(v)) {
            self.extras.insert(owner, value.to_string().into());
        }
    }

    /// Reports unsupported extensions of one element.
    fn note_extensions(&mut self, place: &str, extensions: &Extensions) {
        // Declared extensions are reported once for the document.
        let undeclared =
            |e: &&String| !SUPPORTED.contains(&e.as_str()) && !self.declared.contains(e.as_str());
        let names: Vec<String> = extensions.keys().filter(undeclared).cloned().collect();
        for name in names {
            self.report.add(
                FindingCode::ExtensionIgnored,
                place,
                format!("{name} is not used; saving as glTF carries it"),
            );
        }
    }
}
