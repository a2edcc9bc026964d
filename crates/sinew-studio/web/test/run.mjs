// Uses the page as a person does, with WebGPU and with WebGL2, and reads what it saved with the command line.
//
// Variables: SINEW, the program; PAGE, the folder of the page; PICTURES, where screenshots go; ROOT, the project.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { opensAChosenFile, opensARecentFile, opensDroppedFiles, refuses } from "./steps/files.mjs";
import { survivesAKilledPage } from "./steps/journal.mjs";
import { comparesTwoMethods, deformsOnTheCard, showsEveryLook } from "./steps/looks.mjs";
import { mixesTwoClips, playsAClip, playsAGraph } from "./steps/playing.mjs";
import { movesAndScalesByKeys, reachesWithAHand, rotatesByKeys, turnsByARing, turnsBySliders } from "./steps/posing.mjs";
import { exportsEverything, savesTheEdit } from "./steps/saving.mjs";
import { editsAWeight, isSeenByTheDoctor, paints, selectsByBoxAndLasso, smoothsAndUndoes, worksBesideThePage } from "./steps/weights.mjs";
import { browser, visitor } from "./studio.mjs";

const { SINEW, PAGE, PICTURES, ROOT } = process.env;
const sinew = (...words) => execFileSync(SINEW, words, { encoding: "utf8" });

/** The program that serves the page, and its address. */
function serve() {
  const server = spawn(SINEW, ["studio", "--web", "--port", "0", "--page", PAGE]);
  server.stderr.pipe(process.stderr);
  const address = new Promise((found, failed) => {
    server.stdout.on("data", (text) => {
      const match = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
      if (match) found(match[0]);
    });
    server.on("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
  return { server, address };
}

/** Files that a person has. */
function files() {
  const figure = join(PICTURES, "figure.glb");
  const bvh = join(PICTURES, "figure.bvh");
  const gltf = ["arm.gltf", "arm.bin"].map((name) => join(PICTURES, name));
  sinew("--quiet", "convert", "builtin:figure", figure);
  sinew("--quiet", "convert", "builtin:figure", bvh, "--clip", "walk");
  sinew("--quiet", "convert", "builtin:arm", gltf[0]);
  return {
    figure,
    bvh,
    gltf,
    fbx: join(ROOT, "crates/sinew-formats/tests/fbx/tube.fbx"),
    graph: join(ROOT, "examples/figure.graph.ron"),
  };
}

/** Runs a step and says how long it took. */
async function timed(step, ...rest) {
  const begin = performance.now();
  const result = await step(...rest);
  console.log(`  ${step.name} ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}

/** What a person does with one renderer; the server is stopped on the way. */
async function usePage(chromium, renderer, have) {
  const pictures = join(PICTURES, renderer);
  mkdirSync(pictures, { recursive: true });
  const { server, address } = serve();
  const options = { query: renderer === "webgl" ? "renderer=webgl" : "", pictures };
  const person = await visitor(chromium);
  const studio = await timed(survivesAKilledPage, person, await address, options, have);
  const begun = await studio.state();
  assert.equal(begun.renderer, renderer === "webgl" ? "Gl" : "BrowserWebGpu");
  console.log(`${renderer}: ready after ${studio.readySecs.toFixed(1)} s`);
  // From here on nothing comes from the server any more.
  server.removeAllListeners("exit");
  server.kill();

  await timed(opensDroppedFiles, studio, have);
  await timed(refuses, studio, "broken.glb", Buffer.from("glTF but not really"));
  await timed(rotatesByKeys, studio);
  await timed(turnsByARing, studio);
  await timed(comparesTwoMethods, studio);
  await timed(deformsOnTheCard, studio, renderer);
  await timed(playsAClip, studio);
  // What does not depend on who draws is done once, where that takes half the time.
  if (renderer === "webgl") await useEveryTool(studio, have);
  const weight = await timed(editsAWeight, studio);
  await timed(savesTheEdit, studio, sinew, weight);
  await timed(opensAChosenFile, studio, have);
  await timed(opensARecentFile, studio);
  assert.deepEqual(studio.complaints, [], "the console has no errors");
  await person.close();
}

async function useEveryTool(studio, have) {
  await timed(movesAndScalesByKeys, studio);
  await timed(turnsBySliders, studio);
  await timed(showsEveryLook, studio);
  await timed(reachesWithAHand, studio);
  await timed(mixesTwoClips, studio);
  await timed(playsAGraph, studio, have);
  await timed(exportsEverything, studio, sinew);
  await timed(selectsByBoxAndLasso, studio);
  await timed(paints, studio);
  await timed(smoothsAndUndoes, studio);
  await timed(isSeenByTheDoctor, studio);
  await timed(worksBesideThePage, studio);
}

/** A browser that can draw nothing says so in words. */
async function saysWhatIsMissing() {
  const chromium = await browser(["--no-sandbox", "--disable-gpu", "--disable-3d-apis", "--disable-features=WebGPU"]);
  const { server, address } = serve();
  const page = await (await chromium.newContext()).newPage();
  await page.goto(await address);
  await page.waitForFunction(() => document.getElementById("note").textContent.includes("cannot start"));
  console.log(`without: ${(await page.textContent("#note")).slice(0, 90)}…`);
  server.removeAllListeners("exit");
  server.kill();
  await chromium.close();
}

rmSync(PICTURES, { recursive: true, force: true });
mkdirSync(PICTURES, { recursive: true });
const have = files();
for (const renderer of process.argv.length > 2 ? process.argv.slice(2) : ["webgpu", "webgl"]) {
  const chromium = await browser();
  await usePage(chromium, renderer, have);
  await chromium.close();
}
await saysWhatIsMissing();
console.log(`the page works; screenshots are in ${PICTURES}`);
process.exit(0);
