// Clips, two of them mixed, and a graph.
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

export async function mixesTwoClips(studio) {
  const begun = await studio.state();
  await studio.choose("Clip", "walk");
  await studio.until("a clip", (state) => state.clip === "walk");
  await studio.click("Mix");
  await studio.choose("Mix in", "run");
  await studio.until("a mix", (state) => state.mix === 0.5);
  await studio.slide("share of it", 0.8);
  await studio.until("more of it", (state) => state.mix > 0.6);
  await studio.look("mixed");
  await studio.click("Bake to clip");
  await studio.until("a new clip", (state) => state.clips === begun.clips + 1 && state.clip === "walk + run");
  await studio.undoTo(begun.steps);
  await studio.click("Mix");
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
