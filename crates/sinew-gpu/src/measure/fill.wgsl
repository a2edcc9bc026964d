// Writes a buffer: sixteen bytes a thread, in the order of memory.

@group(0) @binding(0) var<storage, read_write> to: array<vec4<u32>>;

@compute @workgroup_size(256)
fn fill(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(num_workgroups) groups: vec3<u32>) {
    let at = (group.y * groups.x + group.x) * 256u + local;
    if (at < arrayLength(&to)) {
        to[at] = vec4(at);
    }
}
