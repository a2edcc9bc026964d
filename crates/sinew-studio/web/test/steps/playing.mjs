// Clips, a blend of two clips, and a graph.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { difference } from "../png.mjs";

export async function playsAClip(studio) {
  await studio.press("Space");
  await studio.until("playing", (state) => state.playing);
  const one = await studio.look("playing");
  await studio.page.waitForTimeout(250);
  const other = await studio.look("playing-on");
  assert.ok(difference(one, other) > 3000, `the figure moves: ${difference(one, other)} pixels`);
  await studio.press("Space");
  await studio.until("pause", (state) => !state.playing);
}

export async function blendsTwoClips(studio) {
  const begun = await studio.state();
  await studio.choose("Clip", "walk");
  await studio.until("a clip", (state) => state.clip === "walk");
  await studio.click("Blend");
  await studio.choose("Blend with", "run");
  await studio.until("a blend", (state) => state.blend_weight === 0.5);
  await studio.slide("blend weight", 0.8);
  await studio.until("a larger weight", (state) => state.blend_weight > 0.6);
  await studio.look("blended");
  await studio.click("Bake to clip");
  await studio.until("a new clip", (state) => state.clips === begun.clips + 1 && state.clip === "walk + run");
  await studio.undoTo(begun.steps);
  await studio.click("Blend");
}

export async function playsAGraph(studio, { graph }) {
  const begun = await studio.state();
  await studio.drop("moves.graph.ron", readFileSync(graph));
  await studio.until("the graph", (state) => state.graph === "moves.graph.ron");
  await studio.press("Space");
  const isIn = (name) => (state) => state.states.some(([, state]) => state === name);
  await studio.until("its first state", isIn("idle"));
  await studio.slide("speed", 0.9);
  await studio.until("its next state", isIn("moving"));
  await studio.look("graph");
  await studio.press("Space");
  await studio.until("pause", (state) => !state.playing);
  await studio.undoTo(begun.steps);
}
