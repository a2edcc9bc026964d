// Dropped, chosen and recent files, including broken ones.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { colors } from "../png.mjs";

export async function opensDroppedFiles(studio, { figure, bvh, fbx, gltf }) {
  await studio.drop("figure.glb", readFileSync(figure));
  await studio.until("the dropped file", (state) => state.source === "figure.glb");
  const seen = await studio.look("opened");
  assert.ok(colors(seen) > 50, `the character is drawn: ${colors(seen)} colors`);
  const whole = await studio.state();

  await studio.drop("figure.bvh", readFileSync(bvh));
  const bones = await studio.until("the motion file", (state) => state.source === "figure.bvh");
  assert.equal(bones.clips, 1);
  await opensFbx(studio, readFileSync(fbx));
  await opensADocumentWithItsBuffer(studio, gltf);
  await studio.undoTo(whole.steps);
  assert.equal((await studio.state()).fingerprint, whole.fingerprint, "undo closes what was dropped");
}

/** A .gltf alone reports the missing buffer; dropped with it, it opens. */
async function opensADocumentWithItsBuffer(studio, [document, buffer]) {
  await refuses(studio, "arm.gltf", readFileSync(document));
  await studio.drop("arm.bin", readFileSync(buffer), ["arm.gltf", readFileSync(document)]);
  await studio.until("the document", (state) => state.source === "arm.gltf");
}

async function opensFbx(studio, bytes) {
  await studio.drop("tube.fbx", bytes);
  const state = await studio.until("the FBX file", (state) => state.source === "tube.fbx" || state.message?.includes("fbx"));
  if (state.source !== "tube.fbx") {
    console.log("skipped: this page was made without .fbx");
    return;
  }
  assert.deepEqual([state.joints, state.clips], [3, 1]);
  const seen = await studio.look("fbx");
  assert.ok(colors(seen) > 50, `the tube is drawn: ${colors(seen)} colors`);
  await refuses(studio, "broken.fbx", bytes.subarray(0, 1500));
  await refuses(studio, "hostile.fbx", Buffer.from("Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0\xff\xff\xff\x7f\xff\xff\xff\x7f", "latin1"));
}

/** A file that cannot be read gives a message and does not change the document. */
export async function refuses(studio, name, bytes) {
  const before = await studio.state();
  await studio.drop(name, bytes);
  const after = await studio.until("the message", (state) => state.message?.includes(name));
  assert.deepEqual([after.source, after.fingerprint], [before.source, before.fingerprint], "the document is untouched");
  await studio.shoot(name);
  await studio.click("Dismiss");
  await studio.until("no message", (state) => state.message === null);
}

/** Recent files open again without access to the disk. */
export async function opensARecentFile(studio) {
  await studio.click("Open", "Button");
  await studio.click("Recent files");
  await studio.shoot("recent");
  await studio.click("figure.bvh");
  await studio.until("the recent file", (state) => state.source === "figure.bvh");
}

export async function opensAChosenFile(studio, { figure }) {
  await studio.click("Open", "Button");
  const [chooser] = await Promise.all([
    studio.page.waitForEvent("filechooser"),
    studio.click("Choose a file…"),
  ]);
  await chooser.setFiles({ name: "chosen.glb", mimeType: "model/gltf-binary", buffer: readFileSync(figure) });
  await studio.until("the chosen file", (state) => state.source === "chosen.glb");
}
