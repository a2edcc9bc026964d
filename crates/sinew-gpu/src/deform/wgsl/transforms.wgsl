// Points, directions and vertices, moved by matrices and rotations.

// A normal through the inverse transpose of the linear part of rows, but for a positive factor: the products x·(n × z),
// y·(z × n) and n·(x × y) are those with the cofactors, for two cross products instead of three.
fn through_cofactors(rows: Rows, normal: vec3<f32>) -> vec3<f32> {
    let xy = cross(rows.x.xyz, rows.y.xyz);
    let zn = cross(rows.z.xyz, normal);
    let turned = vec3(dot(rows.y.xyz, zn), -dot(rows.x.xyz, zn), dot(xy, normal));
    return select(turned, -turned, dot(xy, rows.z.xyz) < 0.0);
}

fn is_mirrored(rows: Rows) -> bool {
    return dot(cross(rows.x.xyz, rows.y.xyz), rows.z.xyz) < 0.0;
}

fn through(rows: Rows, direction: vec3<f32>) -> vec3<f32> {
    return vec3(dot(rows.x.xyz, direction), dot(rows.y.xyz, direction), dot(rows.z.xyz, direction));
}

fn place(rows: Rows, point: vec3<f32>) -> vec3<f32> {
    let p = vec4(point, 1.0);
    return vec3(dot(rows.x, p), dot(rows.y, p), dot(rows.z, p));
}

// A direction turned by a unit quaternion.
fn turn(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let c = 2.0 * cross(q.xyz, v);
    return v + q.w * c + cross(q.xyz, c);
}

// The vertex moved by rows.
fn transform_vertex(rows: Rows, rest: Vertex) -> Vertex {
    var out: Vertex;
    out.position = place(rows, rest.position);
    if (NORMALS) {
        out.normal = finished(through_cofactors(rows, rest.normal));
    }
    if (TANGENTS) {
        let w = select(rest.tangent.w, -rest.tangent.w, is_mirrored(rows));
        out.tangent = vec4(finished(through(rows, rest.tangent.xyz)), w);
    }
    return out;
}

// The vertex at position, its directions through a stretch and then a rotation.
fn turn_vertex(rotation: vec4<f32>, stretch: Rows, stretched: bool, position: vec3<f32>, rest: Vertex) -> Vertex {
    var out: Vertex;
    out.position = position;
    if (NORMALS) {
        var normal = rest.normal;
        if (stretched) {
            normal = unit_or_zero(through_cofactors(stretch, normal));
        }
        out.normal = finished(turn(rotation, normal));
    }
    if (TANGENTS) {
        var tangent = rest.tangent;
        if (stretched) {
            let w = select(tangent.w, -tangent.w, is_mirrored(stretch));
            tangent = vec4(unit_or_zero(through(stretch, tangent.xyz)), w);
        }
        out.tangent = vec4(finished(turn(rotation, tangent.xyz)), tangent.w);
    }
    return out;
}
