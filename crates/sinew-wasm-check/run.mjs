// Runs the two builds of this crate: node run.mjs SCALAR.wasm SIMD128.wasm
//
// Fails where a build does not run at its level, its kernels differ from the references, or the two builds differ from
// each other. Then it prints how much faster simd128 is; that is a figure, not a test.

import { readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";

/** Relative to the character's extent; for directions, their absolute difference. */
const TOLERANCE = 1e-5;
/** Directions that come from differences of points a centimeter apart, in a figure of two meters. */
const TOLERANCE_OF_SMOOTHING = 1e-4;
const SMOOTHING = ["delta-mush", "ddm"];
/** The best of so many samples counts, each shorter than a turn of the scheduler; the builds alternate. */
const SAMPLES = 200;
const SAMPLE_MS = 2;
/** The engine begins with code that is quick to compile and makes better code in the background, once it is worth it. */
const WARM_UP_MS = 250;

/** One build with its check opened. */
class Build {
  static async load(path) {
    const { instance } = await WebAssembly.instantiate(await readFile(path), {});
    return new Build(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
    this.check = exports.open();
    if (this.check === 0) throw new Error("the check could not be made");
    this.level = this.text(exports.level_name(this.check));
    const names = Array.from({ length: exports.method_count(this.check) });
    this.methods = names.map((_, method) => this.text(exports.method_name(this.check, method)));
    this.poses = exports.pose_count(this.check);
    this.vertices = exports.vertex_count(this.check);
  }

  text(address) {
    // The memory's buffer is asked for each time: growing replaces it.
    const bytes = new Uint8Array(this.exports.memory.buffer, address);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  difference(method) {
    return this.exports.difference(this.check, method);
  }

  positions(method, pose) {
    const address = this.exports.deformed_positions(this.check, method, pose);
    if (address === 0) throw new Error(`${this.level}: ${this.methods[method]} failed in pose ${pose}`);
    return new Float32Array(this.exports.memory.buffer, address, this.vertices * 3);
  }

  /** Milliseconds for `rounds` rounds. */
  time(method, isPacked, rounds) {
    const start = performance.now();
    const done = this.exports.run(this.check, method, isPacked, rounds);
    const took = performance.now() - start;
    if (done !== rounds) throw new Error(`${this.level}: ${done} of ${rounds} rounds of ${this.methods[method]}`);
    return took;
  }
}

/** The worst distance between two builds' vertices, as a fraction of the character's extent. */
function distance(a, b) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  let worst = 0;
  for (let i = 0; i < a.length; i += 3) {
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = Math.min(low[axis], a[i + axis]);
      high[axis] = Math.max(high[axis], a[i + axis]);
    }
    // Math.max keeps NaN.
    worst = Math.max(worst, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
  }
  return worst / Math.hypot(...high.map((top, axis) => top - low[axis]));
}

function betweenBuilds(scalar, simd128, method) {
  const poses = Array.from({ length: scalar.poses }, (_, pose) => pose);
  return Math.max(...poses.map((pose) => distance(scalar.positions(method, pose), simd128.positions(method, pose))));
}

/** What is wrong, one line each. */
function faults(scalar, simd128) {
  const found = [];
  // Written so that NaN is a fault too.
  const require = (off, name, what) => {
    const tolerance = SMOOTHING.includes(name) ? TOLERANCE_OF_SMOOTHING : TOLERANCE;
    console.log(`${`${name}${what}`.padEnd(44)} ${off.toExponential(1)}`);
    if (!(off <= tolerance)) found.push(`${name}${what}: ${off} is more than ${tolerance}`);
  };
  for (const [build, level] of [[scalar, "scalar"], [simd128, "simd128"]]) {
    if (build.level !== level) found.push(`the build for ${level} runs at ${build.level}`);
    if (build.methods.length === 0) found.push(`the build for ${level} has no methods`);
    build.methods.forEach((name, method) => require(build.difference(method), name, ` ${level}, off its reference by`));
  }
  if (scalar.methods.join() !== simd128.methods.join()) {
    return [...found, `the builds have other methods: ${scalar.methods} and ${simd128.methods}`];
  }
  scalar.methods.forEach((name, method) => require(betweenBuilds(scalar, simd128, method), name, ", builds apart by"));
  return found;
}

/** Best nanoseconds per vertex of both builds. */
function race(builds, method, isPacked) {
  const rounds = builds.map((build) => {
    const end = performance.now() + WARM_UP_MS;
    let took = Infinity;
    while (performance.now() < end) took = Math.min(took, build.time(method, isPacked, 5) / 5);
    return Math.max(1, Math.round(SAMPLE_MS / took));
  });
  const best = builds.map(() => Infinity);
  for (let sample = 0; sample < SAMPLES; sample++) {
    builds.forEach((build, i) => {
      const perRound = build.time(method, isPacked, rounds[i]) / rounds[i];
      best[i] = Math.min(best[i], (perRound * 1e6) / build.vertices);
    });
  }
  return best;
}

function printSpeeds(scalar, simd128) {
  console.log(`\npositions and normals, ${scalar.vertices} vertices, ns per vertex, best of ${SAMPLES}, node ${process.version}`);
  for (const [isPacked, order] of [[1, "packed"], [0, "file"]]) {
    scalar.methods.forEach((name, method) => {
      const [slow, fast] = race([scalar, simd128], method, isPacked);
      const label = `${name} in ${order} order`.padEnd(26);
      console.log(`${label} scalar ${slow.toFixed(2).padStart(6)}   simd128 ${fast.toFixed(2).padStart(6)}   ${(slow / fast).toFixed(2)}x`);
    });
  }
}

const paths = process.argv.slice(2);
if (paths.length !== 2) {
  console.error("usage: node run.mjs SCALAR.wasm SIMD128.wasm");
  process.exit(2);
}
const [scalar, simd128] = await Promise.all(paths.map(Build.load));
const found = faults(scalar, simd128);
if (found.length > 0) {
  console.error(found.join("\n"));
  process.exit(1);
}
printSpeeds(scalar, simd128);
