//! From a document to a character.

mod attributes;
mod clips;
mod events;
mod helper_joints;
mod influences;
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
    accessor::{GltfBuffers, MESHOPT_EXTENSIONS},
    container,
    json::{Extensions, Root},
    resources::{Library, load_buffers},
};
use crate::{
    Fetch, Import, ReadError, ReadOptions,
    budget::Budget,
    report::{FindingCode, ImportReport},
};
use nodes::NodeOrder;
use serde_json::Value;
use sinew::{Character, CharacterParts, Extras, ExtrasOwner};
use std::{collections::HashSet, sync::Arc};

/// Extensions whose data is understood.
const KNOWN: [&str; 4] =
    ["KHR_mesh_quantization", MESHOPT_EXTENSIONS[0], MESHOPT_EXTENSIONS[1], primitives::DRACO_EXTENSION];

/// Extensions that change how a surface looks, not where it is: safe to leave out even where a file requires them.
fn is_cosmetic(extension: &str) -> bool {
    const NAMES: [&str; 5] = [
        "KHR_texture_transform",
        "KHR_lights_punctual",
        "KHR_xmp_json_ld",
        "EXT_texture_webp",
        "KHR_texture_basisu",
    ];
    extension.starts_with("KHR_materials_") || NAMES.contains(&extension)
}

/// Reads a .gltf or .glb from memory. `name` becomes the character's; `fetch` finds files that it names.
///
/// # Errors
/// Where the container, the JSON or an element is broken, a required extension is not known, a file beside it cannot be
/// read, or unpacking would pass the limit. The error names the element and the value.
pub fn read_gltf(
    bytes: &[u8],
    name: &str,
    fetch: &Fetch<'_>,
    options: &ReadOptions,
) -> Result<Import, ReadError> {
    let (json, bin) = if bytes.starts_with(container::MAGIC) {
        let chunks = container::split(bytes)?;
        (chunks.json, chunks.bin)
    } else {
        (bytes, None)
    };
    let root = parse(json)?;
    check_version(&root)?;
    let mut report = ImportReport::default();
    check_extensions(&root, &mut report)?;
    let library = Library::new(fetch, bytes.len());
    let buffers = load_buffers(&root, bin, &library)?;
    let limit = options.max_unpacked_bytes.unwrap_or_else(|| Budget::default_limit(library.base_bytes()));
    let buffers = GltfBuffers::new(&root, buffers, limit);
    let declared = root.extensions_used.iter().map(String::as_str).collect();
    GltfReader { root: &root, declared, buffers, report, extras: Extras::new() }.character(name, &library)
}

fn parse(json: &[u8]) -> Result<Root, ReadError> {
    // A byte order mark is forbidden and common.
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| ReadError::Json {
        // Where the text ends early, the parser knows no name for the last step.
        place: match error.path().to_string().trim_end_matches(".?") {
            "." | "?" => "the document".into(),
            path => path.into(),
        },
        message: error.inner().to_string(),
    })
}

fn check_version(root: &Root) -> Result<(), ReadError> {
    let version = &root.asset.version;
    if version.split('.').next() != Some("2") {
        return Err(ReadError::invalid("asset.version", format!("{version:?}, only 2.x is known")));
    }
    match root.asset.min_version.as_deref() {
        None | Some("2.0") => Ok(()),
        Some(least) => Err(ReadError::invalid("asset.minVersion", format!("{least:?}, only 2.0 is known"))),
    }
}

fn check_extensions(root: &Root, report: &mut ImportReport) -> Result<(), ReadError> {
    let unknown = |e: &&String| !KNOWN.contains(&e.as_str());
    if let Some(extension) = root.extensions_required.iter().filter(unknown).find(|e| !is_cosmetic(e)) {
        return Err(ReadError::UnsupportedExtension { extension: extension.clone() });
    }
    for extension in root.extensions_used.iter().filter(unknown) {
        report.add(FindingCode::ExtensionIgnored, "extensionsUsed", format!("{extension} was left out"));
    }
    if !root.cameras.is_empty() {
        report.add(FindingCode::CameraIgnored, "cameras", format!("{} left out", root.cameras.len()));
    }
    Ok(())
}

/// What every step of reading shares.
struct GltfReader<'a> {
    root: &'a Root,
    /// The extensions that the document says it uses.
    declared: HashSet<&'a str>,
    buffers: GltfBuffers<'a>,
    report: ImportReport,
    extras: Extras,
}

impl GltfReader<'_> {
    fn character(mut self, name: &str, library: &Library<'_>) -> Result<Import, ReadError> {
        let root = self.root;
        let order = NodeOrder::new(root, &mut self.report)?;
        let skeleton = Arc::new(self.skeleton(&order)?);
        let skins = self.skins(&skeleton, &order)?;
        let meshes = self.meshes()?;
        let instances = self.instances(&order, &meshes)?;
        let images = self.images(library)?;
        let materials = self.materials(&images)?;
        let (scenes, default_scene) = self.scenes(&order)?;
        self.keep_extras(ExtrasOwner::Asset, root.extras.as_ref());
        let mut parts = CharacterParts {
            meshes: meshes.into_iter().map(Arc::new).collect(),
            skins: skins.into_iter().map(Arc::new).collect(),
            instances,
            materials,
            images,
            scenes,
            default_scene,
            copyright: root.asset.copyright.clone().unwrap_or_default(),
            ..CharacterParts::new(name, skeleton)
        };
        parts.clips = self.clips(&order, &parts)?.into_iter().map(Arc::new).collect();
        parts.helpers = self.helpers(&order, &parts.skeleton);
        parts.extras = self.extras;
        let character = Character::new(parts).map_err(|e| ReadError::invalid("the document", e))?;
        Ok(Import { character, report: self.report, node_of_joint: order.node_of_joint })
    }

    /// Keeps application data; an empty object is no data.
    fn keep_extras(&mut self, owner: ExtrasOwner, extras: Option<&Value>) {
        let empty = |v: &Value| v.is_null() || v.as_object().is_some_and(serde_json::Map::is_empty);
        if let Some(value) = extras.filter(|v| !empty(v)) {
            self.extras.insert(owner, value.to_string().into());
        }
    }

    /// Notes extensions of one element that are not understood.
    fn note_extensions(&mut self, place: &str, extensions: &Extensions) {
        // The document's own list names them already; only an undeclared one is news.
        let undeclared = |e: &&String| !KNOWN.contains(&e.as_str()) && !self.declared.contains(e.as_str());
        let names: Vec<String> = extensions.keys().filter(undeclared).cloned().collect();
        for name in names {
            self.report.add(FindingCode::ExtensionIgnored, place, format!("{name} was left out"));
        }
    }
}
