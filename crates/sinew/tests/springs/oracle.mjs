// Expected motion of spring bones and node constraints from @pixiv/three-vrm, which is the oracle of the tests.
//
// In an empty folder outside of the repository, with Node.js 20 or later:
//
//     npm install @pixiv/three-vrm@3.5.5 three@0.187
//     cp .../crates/sinew/tests/springs/oracle.mjs . && node oracle.mjs .../crates/sinew/tests/springs
//
// Each file holds a rig, the formula that moves it, and the ends of its bones after every 20th of 600 steps.

import { writeFileSync } from 'node:fs';
import * as THREE from 'three';
import {
  VRMAimConstraint, VRMNodeConstraintManager, VRMRollConstraint, VRMRotationConstraint,
  VRMSpringBoneCollider, VRMSpringBoneColliderShapeCapsule, VRMSpringBoneColliderShapePlane,
  VRMSpringBoneColliderShapeSphere, VRMSpringBoneJoint, VRMSpringBoneManager,
} from '@pixiv/three-vrm';

const STEPS = 600;
const EVERY = 20;
const DT = 1 / 60;
const vec = (v) => new THREE.Vector3(...v);

/// A joint of a rig: parent, translation, and optionally rotation (xyzw) and scale.
const joint = (parent, translation, rest = {}) => ({ parent, translation, rotation: [0, 0, 0, 1], scale: [1, 1, 1], ...rest });
const spring = (at, settings = {}) => ({
  joint: at, stiffness: 1, gravityPower: 0, gravityDir: [0, -1, 0], dragForce: 0.4, hitRadius: 0, ...settings,
});
/// Joint `at` moves by `slide` meters and turns by `turn` radians about `axis`, with `hertz` and a phase.
const motion = (at, slide, axis, turn, hertz, phase = 0) => ({ joint: at, slide, axis, turn, hertz, phase });
const turned = (axis, angle) => new THREE.Quaternion().setFromAxisAngle(vec(axis).normalize(), angle).toArray();

/// A straight chain of `count` joints below `parent`, `step` apart; returns their numbers.
function chain(joints, parent, count, step, rest = {}) {
  const numbers = [];
  for (let n = 0; n < count; n++) {
    numbers.push(joints.length);
    joints.push(joint(n === 0 ? parent : joints.length - 1, step, rest));
  }
  return numbers;
}

function hair() {
  const joints = [joint(-1, [0, 1.5, 0])];
  const hair = chain(joints, 0, 6, [0, -0.06, 0.01]);
  return {
    joints,
    chains: [{ joints: hair.map((at) => spring(at, { stiffness: 0.8 })) }],
    motions: [motion(0, [0.25, 0.05, 0.1], [0, 1, 0], 0.6, 0.9)],
  };
}

function skirt() {
  const joints = [joint(-1, [0, 0.9, 0])];
  const chains = [];
  for (let side = 0; side < 6; side++) {
    const angle = (side * Math.PI) / 3;
    const out = [0.12 * Math.cos(angle), -0.02, 0.12 * Math.sin(angle)];
    const first = joints.length;
    joints.push(joint(0, out, { rotation: turned([0, 1, 0], -angle) }));
    const rest = chain(joints, first, 3, [0.03, -0.12, 0]);
    const panel = { stiffness: 0.6, gravityPower: 0.2, dragForce: 0.3 };
    chains.push({ joints: [first, ...rest].map((at) => spring(at, panel)) });
    if (side % 2 === 0) {
      // A ribbon that begins at the second joint of the panel.
      const ribbon = chain(joints, rest[0], 3, [0.05, -0.04, 0.01]);
      chains.push({ joints: ribbon.map((at) => spring(at, { stiffness: 0.3, dragForce: 0.5 })) });
    }
  }
  return { joints, chains, motions: [motion(0, [0.1, 0.08, 0.2], [0, 1, 0], 1.2, 0.7)] };
}

function colliders() {
  const joints = [joint(-1, [0, 1.4, 0]), joint(0, [0, -0.2, 0.02], { rotation: turned([1, 0, 0.3], 0.4) })];
  const tail = chain(joints, 0, 7, [0, -0.05, 0.015]);
  const swaying = chain(joints, 0, 4, [0.07, -0.03, 0]);
  const braid = { stiffness: 0.4, gravityPower: 0.4, hitRadius: 0.02 };
  return {
    joints,
    colliders: [
      { joint: 1, sphere: { offset: [0, 0.05, -0.02], radius: 0.09 } },
      { joint: 1, capsule: { offset: [-0.1, -0.1, 0], tail: [0.12, -0.12, 0.02], radius: 0.06 } },
      { joint: swaying[1], sphere: { offset: [-0.03, -0.05, 0.02], radius: 0.08 } },
    ],
    groups: [[0, 1], [2]],
    chains: [
      { joints: tail.map((at) => spring(at, braid)), groups: [0, 1] },
      { joints: swaying.map((at) => spring(at, { stiffness: 0.9, hitRadius: 0.01 })), groups: [0] },
    ],
    motions: [motion(0, [0.15, 0.03, 0.12], [0, 1, 0.1], 0.9, 0.6), motion(1, [0, 0, 0], [1, 0, 0], 0.4, 1.1, 0.5)],
  };
}

function center() {
  const joints = [joint(-1, [0, 1, 0]), joint(0, [0, 0.4, 0], { rotation: turned([0, 0, 1], 0.2) }), joint(1, [0, 0.2, 0])];
  const inside = chain(joints, 2, 5, [0.01, -0.07, -0.02]);
  const outside = chain(joints, 2, 5, [-0.01, -0.07, 0.02]);
  return {
    joints,
    chains: [
      { joints: inside.map((at) => spring(at, { stiffness: 0.5, gravityPower: 0.1 })), center: 1 },
      { joints: outside.map((at) => spring(at, { stiffness: 0.5, gravityPower: 0.1 })) },
    ],
    motions: [motion(0, [0.8, 0.1, 0.5], [0, 1, 0], 1.5, 0.4), motion(2, [0, 0, 0], [1, 0, 0.5], 0.5, 1.3)],
  };
}

function scaled() {
  const joints = [
    joint(-1, [0, 0.6, 0], { scale: [2, 2, 2] }),
    joint(0, [0, 0.3, 0], { scale: [0.6, 0.5, 0.7], rotation: turned([0, 1, 0.2], 0.3) }),
    joint(0, [0.02, 0.1, 0.01], { scale: [0.8, 0.8, 0.8] }),
  ];
  const tail = chain(joints, 1, 5, [0.02, -0.06, 0.03], { scale: [0.95, 0.95, 0.95] });
  const inside = chain(joints, 2, 5, [-0.02, -0.05, 0.02]);
  const heavy = { stiffness: 0.5, gravityPower: 0.5, gravityDir: [0.3, -0.9, 0.1], hitRadius: 0.015 };
  return {
    joints,
    colliders: [
      { joint: 0, plane: { offset: [0, 0.16, 0], normal: [0.28, 0.96, 0] } },
      { joint: 0, sphere: { offset: [0.02, 0, 0.01], radius: 0.3, inside: true } },
      { joint: 2, capsule: { offset: [-0.05, -0.15, 0], tail: [0.05, 0.05, 0.02], radius: 0.12, inside: true } },
    ],
    groups: [[0], [1, 2]],
    chains: [
      { joints: tail.map((at) => spring(at, heavy)), groups: [0] },
      { joints: inside.map((at) => spring(at, heavy)), groups: [1] },
    ],
    motions: [motion(0, [0.2, 0.04, 0.15], [0.2, 1, 0], 0.8, 0.8)],
  };
}

function build(rig) {
  const objects = rig.joints.map(({ translation, rotation, scale }) => {
    const object = new THREE.Object3D();
    object.position.fromArray(translation);
    object.quaternion.fromArray(rotation);
    object.scale.fromArray(scale);
    return object;
  });
  rig.joints.forEach(({ parent }, at) => parent >= 0 && objects[parent].add(objects[at]));
  return objects;
}

function move(rig, objects, secs) {
  for (const { joint: at, slide, axis, turn, hertz, phase } of rig.motions) {
    const wave = Math.sin(2 * Math.PI * hertz * secs + phase) - Math.sin(phase);
    const { translation, rotation } = rig.joints[at];
    objects[at].position.fromArray(translation).addScaledVector(vec(slide), wave);
    const turning = new THREE.Quaternion().setFromAxisAngle(vec(axis).normalize(), turn * wave);
    objects[at].quaternion.fromArray(rotation).multiply(turning);
  }
}

function shapeOf({ sphere, capsule, plane }) {
  const vectors = ({ offset, tail, normal, ...rest }) => ({
    offset: vec(offset), ...(tail && { tail: vec(tail) }), ...(normal && { normal: vec(normal) }), ...rest,
  });
  if (sphere) return new VRMSpringBoneColliderShapeSphere(vectors(sphere));
  if (capsule) return new VRMSpringBoneColliderShapeCapsule(vectors(capsule));
  return new VRMSpringBoneColliderShapePlane(vectors(plane));
}

function springs(rig, objects) {
  const manager = new VRMSpringBoneManager();
  const colliders = (rig.colliders ?? []).map((description) => {
    const collider = new VRMSpringBoneCollider(shapeOf(description));
    objects[description.joint].add(collider);
    return collider;
  });
  const groups = (rig.groups ?? []).map((numbers) => ({ colliders: numbers.map((n) => colliders[n]) }));
  for (const { joints, groups: tested = [], center: space } of rig.chains) {
    for (let n = 0; n + 1 < joints.length; n++) {
      const { joint: at, gravityDir, ...settings } = joints[n];
      const one = new VRMSpringBoneJoint(
        objects[at], objects[joints[n + 1].joint], { ...settings, gravityDir: vec(gravityDir) }, tested.map((g) => groups[g]),
      );
      if (space !== undefined) one.center = objects[space];
      manager.addJoint(one);
    }
  }
  return manager;
}

const rounded = (numbers) => numbers.map((x) => Number(x.toFixed(7)));
const worldOf = (object) => rounded(new THREE.Vector3().setFromMatrixPosition(object.matrixWorld).toArray());

/// The ends of the bones of a chain, from its second joint on.
const tailsOf = (rig) => rig.chains.flatMap(({ joints }) => joints.slice(1).map(({ joint: at }) => at));

/// A step of every joint, in the order of the manager.
///
/// `VRMSpringBoneManager.update` of three-vrm 3.5.5 does the same, except that it measures the length of a bone from the
/// head of this step to a tail whose world matrix is still that of the step before. Bones then change their length while
/// they swing, which the specification does not say; so every world matrix is updated first. (`updateMatrixWorld` would
/// leave out the matrices of colliders.)
function step(manager, root) {
  for (const one of manager._sortedJoints) {
    root.updateWorldMatrix(false, true);
    one.update(DT);
  }
  root.updateWorldMatrix(false, true);
}

function record(rig) {
  const objects = build(rig);
  objects[0].updateMatrixWorld(true);
  const manager = springs(rig, objects);
  objects[0].updateMatrixWorld(true);
  manager.setInitState();
  const expected = [];
  for (let n = 1; n <= STEPS; n++) {
    move(rig, objects, n * DT);
    step(manager, objects[0]);
    if (n % EVERY === 0) expected.push({ step: n, tails: tailsOf(rig).map((at) => worldOf(objects[at])) });
  }
  return { dt: DT, ...rig, expected };
}

function constraints() {
  const joints = [
    joint(-1, [0, 1, 0]),
    joint(0, [0.3, 0.2, 0], { rotation: turned([0.2, 0.1, 1], 0.5) }),
    joint(1, [0.25, 0, 0], { rotation: turned([1, 0, 0], 0.3) }),
    joint(1, [0.1, 0, 0], { rotation: turned([0.3, 1, 0], 0.4) }),
    joint(0, [-0.3, 0.2, 0.1], { rotation: turned([0, 1, 1], 0.7) }),
    joint(0, [0.1, -0.1, 0.3], { rotation: turned([1, 1, 0], 0.6), scale: [1.5, 1.5, 1.5] }),
    joint(5, [0, 0.2, 0], { rotation: turned([0, 0, 1], 0.2) }),
  ];
  const list = [
    { joint: 6, source: 4, weight: 0.8, kind: 'rotation' },
    { joint: 3, source: 2, weight: 0.7, kind: 'roll', axis: 'X' },
    { joint: 5, source: 2, weight: 0.9, kind: 'aim', axis: 'NegativeZ' },
    { joint: 4, source: 3, weight: 1, kind: 'rotation' },
  ];
  const rig = { joints, motions: [motion(0, [0.2, 0.1, 0], [0, 1, 0], 0.5, 0.7), motion(1, [0, 0, 0], [0, 0.3, 1], 0.9, 0.5), motion(2, [0, 0, 0], [1, 0.2, 0.1], 1.1, 0.9)] };
  const objects = build(rig);
  const manager = new VRMNodeConstraintManager();
  for (const { joint: at, source, weight, kind, axis } of list) {
    const Kind = { roll: VRMRollConstraint, aim: VRMAimConstraint, rotation: VRMRotationConstraint }[kind];
    const constraint = new Kind(objects[at], objects[source]);
    if (kind === 'roll') constraint.rollAxis = axis;
    if (kind === 'aim') constraint.aimAxis = axis;
    constraint.weight = weight;
    manager.addConstraint(constraint);
  }
  objects[0].updateMatrixWorld(true);
  manager.setInitState();
  const expected = [];
  for (let step = 10; step <= 200; step += 10) {
    move(rig, objects, step * DT);
    manager.update();
    expected.push({ step, rotations: list.map(({ joint: at }) => rounded(objects[at].quaternion.toArray())) });
  }
  return { dt: DT, ...rig, constraints: list, expected };
}

const folder = process.argv[2] ?? '.';
const write = (name, value) => {
  // One line for each joint, chain and step, so that a change is readable.
  const text = JSON.stringify(value, null, 1).replace(/\n {3,}/g, ' ').replace(/\n {2}\]/g, ' ]').replace(/\n {2}\}/g, ' }');
  writeFileSync(`${folder}/${name}.json`, `${text}\n`);
};
for (const rig of [hair, skirt, colliders, center, scaled]) write(rig.name, record(rig()));
write('constraints', constraints());
