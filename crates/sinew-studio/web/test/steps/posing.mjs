// Joints rotated, moved and scaled by keys, gizmo, sliders and IK.
import assert from "node:assert/strict";
import { difference } from "../png.mjs";

/** Degrees between two rotations. */
function apart(one, other) {
  const dot = Math.abs(one.reduce((sum, value, at) => sum + value * other[at], 0));
  return (2 * Math.acos(Math.min(dot, 1)) * 180) / Math.PI;
}

export async function rotatesByKeys(studio) {
  await studio.click("spine_lower");
  await studio.until("the joint", (state) => state.joint === "spine_lower");
  const straight = await studio.look("selected");
  const { before, after } = await studio.step("Rotate", () => grab(studio, "r"));
  assert.ok(apart(before.rotation, after.rotation) > 5);
  const bent = await studio.look("rotated");
  assert.ok(difference(straight, bent) > 3000, `the figure bends: ${difference(straight, bent)} pixels`);
  await studio.click("Undo");
  await studio.until("the undone rotation", (state) => state.fingerprint === before.fingerprint);
}

export async function movesAndScalesByKeys(studio) {
  const moved = await studio.step("Move", () => grab(studio, "g"));
  assert.notDeepEqual(moved.after.translation, moved.before.translation);
  const scaled = await studio.step("Scale", () => grab(studio, "s"));
  assert.notDeepEqual(scaled.after.scale, scaled.before.scale);
  await studio.undoTo(moved.before.steps);
}

/** Starts a modal transform by a key, moves the pointer and confirms. */
async function grab(studio, key) {
  const view = await studio.view();
  await studio.page.mouse.move(view.x + 150, view.y);
  await studio.frames();
  await studio.press(key);
  for (const y of [30, 60, 90]) {
    await studio.page.mouse.move(view.x + 150, view.y - y);
    await studio.frames();
  }
  await studio.press("Enter");
  // The transform must end before the pointer leaves for a screenshot.
  await studio.frames(4);
}

export async function turnsByARing(studio) {
  await studio.press("1");
  await studio.frames(4);
  const { joint_at: joint } = await studio.state();
  const view = await studio.view();
  // The ring that faces the camera is the outermost.
  const radius = (view.bottom - view.top) * 0.5 * 0.3 * 1.18;
  const on = (degrees) => {
    const angle = (degrees * Math.PI) / 180;
    return [joint[0] + Math.cos(angle) * radius, joint[1] - Math.sin(angle) * radius];
  };
  const { before, after } = await studio.step("Rotate", () => studio.drag([45, 55, 65, 75, 85].map(on)));
  assert.ok(Math.abs(apart(before.rotation, after.rotation) - 40) < 2, `${apart(before.rotation, after.rotation)}°`);
  await studio.look("ring");
}

export async function turnsBySliders(studio) {
  const { before, after } = await studio.step("Rotate", () => studio.slide("Rotate X", 0.6));
  assert.ok(apart(before.rotation, after.rotation) > 5);
}

export async function reachesWithAHand(studio) {
  await studio.click("hand.L");
  await studio.until("the hand", (state) => state.joint === "hand.L");
  await studio.click("Reach (IK)");
  const { joint_at: joint } = await studio.state();
  const at = (fraction) => [joint[0] - 30 * fraction, joint[1] - 70 * fraction];
  const { after } = await studio.step("Reach", () => studio.drag([0, 0.2, 0.4, 0.6, 0.8, 1].map(at)));
  const [x, y] = at(1);
  const missed = Math.hypot(after.joint_at[0] - x, after.joint_at[1] - y);
  assert.ok(missed < 4, `the hand is ${missed} points from the pointer`);
  await studio.look("reached");
  await studio.click("Rotate", "Button");
  await studio.press("0");
}
