// A studio in a browser, as a test uses it: by the names of widgets, the pointer and the keys.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { decode } from "./png.mjs";

// Without a card, Chromium draws WebGPU only with all of these; with others the canvas stays empty.
const FLAGS = (
  "--no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --enable-unsafe-webgpu --ignore-gpu-blocklist " +
  "--enable-gpu --enable-features=Vulkan --use-vulkan=swiftshader --disable-quic --no-first-run " +
  "--disable-background-networking --disable-component-update --disable-sync"
).split(" ");

const PATIENCE_MS = 30_000;

/** A browser without a screen. */
export function browser(flags = FLAGS) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
}

export class Studio {
  /** Opens the page at `address` and waits until it can be used. */
  static async open(within, address, { query = "", pictures }) {
    const context = await within.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
    const studio = new Studio(await context.newPage(), pictures);
    const begin = performance.now();
    await studio.page.goto(`${address}?test&${query}`);
    await studio.until("the page is ready", (state) => state !== null);
    studio.readySecs = (performance.now() - begin) / 1000;
    return studio;
  }

  constructor(page, pictures) {
    this.page = page;
    this.pictures = pictures;
    this.complaints = [];
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
  }

  /** What the page says of itself. */
  async state() {
    return JSON.parse((await this.page.getAttribute("body", "data-state")) ?? "null");
  }

  /** Waits until the state is as wanted. */
  async until(what, wanted) {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const state = await this.state();
      if (wanted(state)) return state;
      const note = (await this.page.isVisible("#note")) ? await this.page.textContent("#note") : "";
      const seen = `${JSON.stringify(state)} ${note} ${this.complaints}`;
      if (performance.now() > end) await this.shoot("failed");
      assert.ok(performance.now() < end, `${what} never came: ${seen}`);
      await this.page.waitForTimeout(50);
    }
  }

  /** The place of the widget with a name, once it is there and stays there. */
  async find(name, role) {
    const end = performance.now() + PATIENCE_MS;
    let before;
    for (;;) {
      const widgets = JSON.parse((await this.page.getAttribute("body", "data-widgets")) ?? "[]");
      const found = widgets.find((w) => w.name === name && (role === undefined || w.role === role));
      if (found && String(found.rect) === before) {
        const [left, top, right, bottom] = found.rect;
        return { left, top, right, bottom, x: (left + right) / 2, y: (top + bottom) / 2 };
      }
      before = String(found?.rect);
      const names = widgets.map((w) => `${w.role} ${w.name}`).join(", ");
      if (performance.now() > end) await this.shoot("failed");
      assert.ok(performance.now() < end, `there is no ${role ?? "widget"} ${name} among ${names}`);
      await this.frames(3);
    }
  }

  async click(name, role) {
    const { x, y } = await this.find(name, role);
    await this.clickAt(x, y);
  }

  /** The pointer must be seen where it is before it presses. */
  async clickAt(x, y) {
    await this.page.mouse.move(x, y);
    await this.frames();
    await this.page.mouse.down();
    await this.page.mouse.up();
    await this.frames();
  }

  async frames(count = 2) {
    await this.page.evaluate(async (count) => {
      for (let n = 0; n < count; n++) await new Promise((done) => requestAnimationFrame(done));
    }, count);
  }

  /** The view of the character as a picture, kept under a name. */
  async look(name) {
    const { left, top, right, bottom } = await this.find("View of the character");
    // Tooltips and marks under the pointer are no part of the character.
    await this.page.mouse.move(left + 3, bottom - 3);
    await this.frames(3);
    await this.shoot(name);
    const clip = { x: left + 2, y: top + 2, width: right - left - 4, height: bottom - top - 4 };
    return decode(await this.page.screenshot({ clip }));
  }

  /** Keeps a picture of the whole page to be looked at. */
  async shoot(name) {
    writeFileSync(join(this.pictures, `${name}.png`), await this.page.screenshot());
  }

  /** Lets files go over the page. */
  async drop(name, bytes) {
    const handle = await this.page.evaluateHandle(
      ([name, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
        return transfer;
      },
      [name, bytes.toString("base64")],
    );
    await this.page.dispatchEvent("canvas", "dragover", { dataTransfer: handle });
    await this.page.dispatchEvent("canvas", "drop", { dataTransfer: handle });
  }

  /** What is downloaded while `act` runs. */
  async download(act) {
    const [file] = await Promise.all([this.page.waitForEvent("download"), act()]);
    const path = join(this.pictures, file.suggestedFilename());
    await file.saveAs(path);
    return path;
  }
}
