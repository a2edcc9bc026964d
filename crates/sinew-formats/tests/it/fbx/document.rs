//! Generates a small FBX file: a square tube on two bones that bends and bulges.

/// The up axis of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Up {
    Y,
    Z,
}

/// The corners of the tube ring by ring, in centimeters, with Y up.
pub const RINGS: [f64; 3] = [0.0, 100.0, 200.0];
const SQUARE: [(f64, f64); 4] = [(-20.0, -20.0), (20.0, -20.0), (20.0, 20.0), (-20.0, 20.0)];

impl Up {
    /// A point in the axes of the file.
    fn written(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Y => [x, y, z],
            Self::Z => [x, -z, y],
        }
    }

    fn settings(self) -> &'static str {
        match self {
            Self::Y => {
                "P: \"UpAxis\", \"int\", \"Integer\", \"\",1\nP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n\
                 P: \"FrontAxis\", \"int\", \"Integer\", \"\",2\nP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",1\n"
            }
            Self::Z => {
                "P: \"UpAxis\", \"int\", \"Integer\", \"\",2\nP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n\
                 P: \"FrontAxis\", \"int\", \"Integer\", \"\",1\nP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",-1\n"
            }
        }
    }
}

fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let texts: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
    format!("*{} {{\na: {}\n}}", texts.len(), texts.join(","))
}

fn translation(t: [f64; 3]) -> String {
    list([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, t[0], t[1], t[2], 1.0])
}

fn geometry(up: Up) -> String {
    let corners = RINGS.iter().flat_map(|&y| SQUARE.map(|(x, z)| up.written([x, y, z])));
    let mut faces: Vec<i32> = Vec::new();
    for ring in [0, 4] {
        for side in 0..4 {
            let next = (side + 1) % 4;
            // Counterclockwise from outside. The last corner `i` of a face is written as `-1 - i`.
            faces.extend([ring + next, ring + side, ring + 4 + side, -1 - (ring + 4 + next)]);
        }
    }
    format!(
        "Geometry: 100, \"Geometry::tube\", \"Mesh\" {{\nVertices: {}\nPolygonVertexIndex: {}\nGeometryVersion: 124\n\
         LayerElementMaterial: 0 {{\nVersion: 101\nName: \"\"\nMappingInformationType: \"AllSame\"\n\
         ReferenceInformationType: \"IndexToDirect\"\nMaterials: *1 {{\na: 0\n}}\n}}\n\
         Layer: 0 {{\nVersion: 100\nLayerElement: {{\nType: \"LayerElementMaterial\"\nTypedIndex: 0\n}}\n}}\n}}\n",
        list(corners.flatten()),
        list(faces)
    )
}

fn shape(up: Up) -> String {
    format!(
        "Geometry: 101, \"Geometry::bulge\", \"Shape\" {{\nVersion: 100\nIndexes: {}\nVertices: {}\nNormals: {}\n}}\n",
        list([4]),
        list(up.written([-10.0, 0.0, 0.0])),
        list([0, 0, 0])
    )
}

fn cluster(id: u32, name: &str, points: &[(u32, f64)], bone_at: [f64; 3]) -> String {
    format!(
        "Deformer: {id}, \"SubDeformer::{name}\", \"Cluster\" {{\nVersion: 100\nUserData: \"\", \"\"\nIndexes: {}\nWeights: {}\n\
         Transform: {}\nTransformLink: {}\n}}\n",
        list(points.iter().map(|p| p.0)),
        list(points.iter().map(|p| p.1)),
        translation(bone_at.map(|v| 0.0 - v)),
        translation(bone_at)
    )
}

fn curve(id: u32, values: [f64; 2]) -> String {
    format!(
        "AnimationCurve: {id}, \"AnimCurve::\", \"\" {{\nDefault: 0\nKeyVer: 4008\nKeyTime: *2 {{\na: 0,46186158000\n}}\n\
         KeyValueFloat: {}\nKeyAttrFlags: *1 {{\na: 4\n}}\nKeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\nKeyAttrRefCount: *1 {{\na: 2\n}}\n}}\n",
        list(values)
    )
}

fn model(id: u32, name: &str, kind: &str, at: [f64; 3]) -> String {
    format!(
        "Model: {id}, \"Model::{name}\", \"{kind}\" {{\nVersion: 232\nProperties70:  {{\n\
         P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",{},{},{}\n}}\n}}\n",
        at[0], at[1], at[2]
    )
}

/// The file: a take of one second in which the upper bone rotates by 90° and a blend shape fades in.
pub fn tube(up: Up) -> String {
    let elbow = up.written([0.0, 100.0, 0.0]);
    let lower: Vec<(u32, f64)> = (0..8).map(|p| (p, if p < 4 { 1.0 } else { 0.5 })).collect();
    let upper: Vec<(u32, f64)> = (4..12).map(|p| (p, if p < 8 { 0.5 } else { 1.0 })).collect();
    // 90° about the later Z axis, which is -Y in a file with Z up.
    let (axis, degrees) = if up == Up::Y { ("d|Z", 90.0) } else { ("d|Y", -90.0) };
    let objects = [
        geometry(up),
        shape(up),
        model(200, "tube", "Mesh", [0.0; 3]),
        model(201, "lower", "LimbNode", [0.0; 3]),
        model(202, "upper", "LimbNode", elbow),
        "Material: 300, \"Material::clay\", \"\" {\nVersion: 102\nShadingModel: \"lambert\"\nMultiLayer: 0\nProperties70:  {\n\
         P: \"DiffuseColor\", \"Color\", \"\", \"A\",0.8,0.4,0.2\nP: \"DiffuseFactor\", \"Number\", \"\", \"A\",1\n}\n}\n"
            .into(),
        "Deformer: 400, \"Deformer::skin\", \"Skin\" {\nVersion: 101\nLink_DeformAcuracy: 50\n}\n".into(),
        cluster(401, "lower", &lower, [0.0; 3]),
        cluster(402, "upper", &upper, elbow),
        "Deformer: 410, \"Deformer::shapes\", \"BlendShape\" {\nVersion: 100\n}\n".into(),
        "Deformer: 411, \"SubDeformer::bulge\", \"BlendShapeChannel\" {\nVersion: 100\nDeformPercent: 0\nFullWeights: *1 {\na: 100\n}\n}\n"
            .into(),
        "AnimationStack: 500, \"AnimStack::bend\", \"\" {\nProperties70:  {\nP: \"LocalStop\", \"KTime\", \"Time\", \"\",46186158000\n\
         P: \"ReferenceStop\", \"KTime\", \"Time\", \"\",46186158000\n}\n}\n"
            .into(),
        "AnimationLayer: 501, \"AnimLayer::base\", \"\" {\n}\n".into(),
        "AnimationCurveNode: 510, \"AnimCurveNode::R\", \"\" {\nProperties70:  {\nP: \"d|X\", \"Number\", \"\", \"A\",0\n\
         P: \"d|Y\", \"Number\", \"\", \"A\",0\nP: \"d|Z\", \"Number\", \"\", \"A\",0\n}\n}\n"
            .into(),
        curve(511, [0.0, degrees]),
        "AnimationCurveNode: 520, \"AnimCurveNode::DeformPercent\", \"\" {\nProperties70:  {\nP: \"d|DeformPercent\", \"Number\", \"\", \"A\",0\n}\n}\n"
            .into(),
        curve(521, [0.0, 100.0]),
    ];
    let links = "C: \"OO\",200,0\nC: \"OO\",201,0\nC: \"OO\",202,201\nC: \"OO\",100,200\nC: \"OO\",300,200\n\
        C: \"OO\",400,100\nC: \"OO\",401,400\nC: \"OO\",402,400\nC: \"OO\",201,401\nC: \"OO\",202,402\n\
        C: \"OO\",410,100\nC: \"OO\",411,410\nC: \"OO\",101,411\n\
        C: \"OO\",501,500\nC: \"OO\",510,501\nC: \"OO\",520,501\n\
        C: \"OP\",510,202, \"Lcl Rotation\"\nC: \"OP\",520,411, \"DeformPercent\"\nC: \"OP\",521,520, \"d|DeformPercent\"\n";
    format!(
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}}\n\
         GlobalSettings:  {{\nVersion: 1000\nProperties70:  {{\n{}P: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n\
         P: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\nP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n}}\n}}\n\
         Objects:  {{\n{}}}\nConnections:  {{\n{links}C: \"OP\",511,510, \"{axis}\"\n}}\n",
        up.settings(),
        objects.concat()
    )
}
