// Uses the page as a user does, with WebGPU and with WebGL2, and reads the saved files with the command line.
//
// Variables: SINEW, the program; PAGE, the folder of the page; PICTURES, where screenshots go; ROOT, the project.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { opensAChosenFile, opensARecentFile, opensDroppedFiles, refuses } from "./steps/files.mjs";
import { survivesAKilledPage } from "./steps/journal.mjs";
import { comparesTwoMethods, deformsOnTheGpu, showsEveryLook } from "./steps/looks.mjs";
import { blendsTwoClips, playsAClip, playsAGraph } from "./steps/playing.mjs";
import { movesAndScalesByKeys, reachesWithAHand, rotatesByKeys, turnsByARing, turnsBySliders } from "./steps/posing.mjs";
import { exportsEverything, savesTheEdit } from "./steps/saving.mjs";
import { asksBeforeEditsAreLost } from "./steps/unsaved.mjs";
import { editsAWeight, isSeenByTheDoctor, paints, selectsByBoxAndLasso, smoothsAndUndoes, worksInTheBackground } from "./steps/weights.mjs";
import { Studio, browser, visitor } from "./studio.mjs";

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

/** Test files. */
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

/** Runs a step and prints its time. */
async function timed(step, ...rest) {
  const begin = performance.now();
  const result = await step(...rest);
  console.log(`  ${step.name} ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}

/** Opens a page with one renderer and runs `use` on it. */
async function visit(chromium, renderer, use) {
  const pictures = join(PICTURES, renderer);
  mkdirSync(pictures, { recursive: true });
  const { server, address } = serve();
  const person = await visitor(chromium);
  const options = { query: renderer === "webgl" ? "renderer=webgl" : "", pictures };
  const begin = performance.now();
  const stop = () => {
    server.removeAllListeners("exit");
    server.kill();
  };
  const studio = await use({ person, address: await address, options, stop });
  assert.equal((await studio.state()).renderer, renderer === "webgl" ? "Gl" : "BrowserWebGpu");
  assert.deepEqual(studio.complaints, [], "the console has no errors");
  console.log(`${renderer}: ready after ${studio.readySecs.toFixed(1)} s, used for ${((performance.now() - begin) / 1000).toFixed(0)} s`);
  await person.close();
}

/** Steps that depend on the renderer. */
function withWebGpu(have) {
  return async ({ person, address, options, stop }) => {
    const studio = await Studio.open(person, address, options);
    stop();
    await studio.drop("figure.glb", readFileSync(have.figure));
    await studio.until("the dropped file", (state) => state.source === "figure.glb");
    await useEveryDrawing(studio, "webgpu");
    return studio;
  };
}

/** Every step, with the faster renderer. */
function withWebGl(have) {
  return async ({ person, address, options, stop }) => {
    const studio = await timed(survivesAKilledPage, person, address, options, have);
    // From here on the server is not needed.
    stop();
    await timed(asksBeforeEditsAreLost, studio, have);
    await timed(opensDroppedFiles, studio, have);
    await timed(refuses, studio, "broken.glb", Buffer.from("glTF but not really"));
    await useEveryDrawing(studio, "webgl");
    await useEveryTool(studio, have);
    const weight = await timed(editsAWeight, studio);
    await timed(savesTheEdit, studio, sinew, weight);
    await timed(opensAChosenFile, studio, have);
    await timed(opensARecentFile, studio);
    return studio;
  };
}

async function useEveryDrawing(studio, renderer) {
  await timed(rotatesByKeys, studio);
  await timed(turnsByARing, studio);
  await timed(comparesTwoMethods, studio);
  await timed(deformsOnTheGpu, studio, renderer);
  await timed(playsAClip, studio);
}

async function useEveryTool(studio, have) {
  await timed(movesAndScalesByKeys, studio);
  await timed(turnsBySliders, studio);
  await timed(showsEveryLook, studio);
  await timed(reachesWithAHand, studio);
  await timed(blendsTwoClips, studio);
  await timed(playsAGraph, studio, have);
  await timed(exportsEverything, studio, sinew);
  await timed(selectsByBoxAndLasso, studio);
  await timed(paints, studio);
  await timed(smoothsAndUndoes, studio);
  await timed(isSeenByTheDoctor, studio);
  await timed(worksInTheBackground, studio);
}

/** A browser without WebGPU and WebGL gets an explanation. */
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
const all = { webgpu: withWebGpu(have), webgl: withWebGl(have) };
for (const renderer of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(all)) {
  const chromium = await browser();
  await visit(chromium, renderer, all[renderer]);
  await chromium.close();
}
await saysWhatIsMissing();
console.log(`the page works; screenshots are in ${PICTURES}`);
process.exit(0);
