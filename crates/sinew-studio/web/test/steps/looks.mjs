// View options, comparisons, and deformation on the GPU.
import assert from "node:assert/strict";
import { difference } from "../png.mjs";

const LOOKS = ["heat of joint", "influence count", "stretch", "normals", "material"];

export async function showsEveryLook(studio) {
  await studio.slide("Rotate Z", 0.62);
  let last = await studio.look("look");
  for (const look of LOOKS) {
    await studio.choose("Skin", look);
    await studio.until(look, (state) => state.look === look);
    const seen = await studio.look(`look-${look}`);
    assert.ok(difference(last, seen) > 2000, `${look} is seen: ${difference(last, seen)} pixels`);
    last = seen;
  }
}

export async function comparesTwoMethods(studio) {
  const one = await studio.look("one-view");
  await studio.choose("Compare with", "dual-quat");
  await studio.until("two views", (state) => state.compared === "dual-quat");
  const two = await studio.look("split");
  assert.ok(difference(one, two) > 5000, `two views: ${difference(one, two)} pixels`);
  await studio.choose("Compare with", "nothing");
  await studio.until("one view", (state) => state.compared === null);
}

/** WebGPU deforms on the GPU with the same result; WebGL2 falls back to the CPU and reports it. */
export async function deformsOnTheGpu(studio, renderer) {
  const here = await studio.look("by-cpu");
  await studio.click("GPU", "Button");
  if (renderer === "webgl") {
    await studio.until("the refusal", (state) => state.message?.includes("falling back to the CPU"));
    await studio.shoot("gpu-unsupported");
    await studio.click("Dismiss");
    return;
  }
  await studio.until("the GPU", (state) => state.on_gpu);
  const there = await studio.look("by-gpu");
  assert.ok(difference(here, there) < 3000, `the same is shown: ${difference(here, there)} pixels differ`);
  await studio.click("CPU", "Button");
  await studio.until("the CPU", (state) => !state.on_gpu);
}
