// Selecting vertices, and editing their weights by typing, painting and operations.
import assert from "node:assert/strict";

/** Edits a weight of the vertex in the center of the viewport in the table. */
export async function editsAWeight(studio) {
  await studio.press("0");
  await studio.click("Vertices");
  const view = await studio.view();
  await studio.clickAt(view.x, view.y);
  const { picked } = await studio.until("a vertex", (state) => state.vertices === 1);
  const joint = Object.keys(picked.weights)[0];
  const wanted = picked.weights[joint] > 0.5 ? 0.25 : 0.75;
  const cell = await studio.reach(joint, "SpinButton");
  await studio.clickAt(cell.x, cell.y);
  await studio.page.keyboard.press("Control+a");
  await studio.page.keyboard.type(String(wanted));
  await studio.page.keyboard.press("Enter");
  await studio.until("the weight", (state) => Math.abs(state.picked.weights[joint] - wanted) < 1e-6);
  await studio.shoot("weight");
  return { vertex: picked.vertex, joint, wanted };
}

export async function selectsByBoxAndLasso(studio) {
  await studio.press("0");
  await studio.click("Vertices");
  const { left, top, right, bottom } = await studio.view();
  const inside = (x, y) => [left + (right - left) * x, top + (bottom - top) * y];
  await studio.drag([inside(0.1, 0.1), inside(0.5, 0.5), inside(0.9, 0.9)], "Shift");
  const boxed = await studio.until("a box", (state) => state.vertices > 100);
  await studio.click("Lasso");
  const upper = [[0.05, 0.5], [0.05, 0.05], [0.95, 0.05], [0.95, 0.5]].map(([x, y]) => inside(x, y));
  await studio.drag(upper, "Control");
  const { vertices } = await studio.until("a lasso", (state) => state.vertices < boxed.vertices);
  assert.ok(vertices > 0, "the lower half is left");
  await studio.look("lasso");
  await studio.click("None");
  await studio.until("no vertices", (state) => state.vertices === 0);
}

export async function paints(studio) {
  await studio.click("spine_lower");
  await studio.until("the joint", (state) => state.joint === "spine_lower");
  await studio.choose("Skin", "heat of joint");
  await studio.press("0");
  await studio.click("Paint");
  const { joint_at: [x, y] } = await studio.state();
  const { before, after } = await studio.step("Paint weights", () =>
    studio.drag([[x, y - 45], [x, y - 30], [x, y - 15], [x, y]]),
  );
  assert.notEqual(after.fingerprint, before.fingerprint);
  await studio.look("painted");
  await studio.press("Control+z");
  await studio.until("the stroke undone", (state) => state.fingerprint === before.fingerprint);
  await studio.click("Pose", "Button");
}

export async function smoothsAndUndoes(studio) {
  const { before, after } = await studio.step("Smooth weights", () => studio.click("Smooth"));
  assert.notEqual(after.fingerprint, before.fingerprint);
  await studio.until("the measurement", (state) => /vertices changed;.* mm RMS/.test(state.message ?? ""));
  await studio.shoot("smoothed");
  await studio.click("Undo");
  await studio.until("undo", (state) => state.fingerprint === before.fingerprint && state.redo === "Smooth weights");
  await studio.click("Redo");
  await studio.until("redo", (state) => state.fingerprint === after.fingerprint);
  await studio.undoTo(before.steps);
}

export async function isSeenByTheDoctor(studio) {
  await studio.click("Doctor");
  await studio.click("Check", "Button");
  const state = await studio.until("findings", (state) => state.findings !== null && !state.working);
  await studio.shoot("doctor");
  await studio.click("Doctor");
  return state.findings;
}

/** Automatic weights take seconds: a web worker computes them while the page keeps drawing. */
export async function worksInTheBackground(studio) {
  const begun = await studio.state();
  await studio.click("More operations");
  const { x, y } = await studio.reach("Compute weights");
  const [worker] = await Promise.all([studio.page.waitForEvent("worker"), studio.clickAt(x, y)]);
  const ended = new Promise((done) => worker.on("close", done));
  await studio.frames(2);
  const meanwhile = await studio.state();
  assert.ok(meanwhile.working && meanwhile.steps === begun.steps, "frames are drawn while weights are computed");
  await studio.shoot("working");
  await studio.until("the weights", (state) => state.undo === "Automatic weights (auto)");
  await ended;
  await studio.until("the measurement", (state) => / mm RMS/.test(state.message ?? ""));
  await studio.shoot("automatic");
  await studio.undoTo(begun.steps);
  await studio.click("More operations");
}
