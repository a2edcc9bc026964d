// A studio in a browser, as a test uses it: by the names of widgets, the pointer and the keys.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { crop, decode } from "./png.mjs";

// Without a card, Chromium draws WebGPU only with all of these; with others the canvas stays empty.
const FLAGS = (
  "--no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --enable-unsafe-webgpu --ignore-gpu-blocklist " +
  "--enable-gpu --enable-features=Vulkan --use-vulkan=swiftshader --disable-quic --no-first-run " +
  "--disable-background-networking --disable-component-update --disable-sync"
).split(" ");

const PATIENCE_MS = 30_000;
const VIEW = "View of the character";
// What stands above the panel at the right and is never scrolled.
const BARS = ["Dismiss", "Light", "Dark", "?"];

/** A browser without a screen. */
export function browser(flags = FLAGS) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
}

const place = ({ rect: [left, top, right, bottom] }) => {
  return { left, top, right, bottom, x: (left + right) / 2, y: (top + bottom) / 2 };
};

/** A place for pages that share what the browser keeps. */
export function visitor(within) {
  return within.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
}

export class Studio {
  /** Opens the page at `address` and waits until it can be used. */
  static async open(visitor, address, { query = "", pictures }) {
    const studio = new Studio(await visitor.newPage(), pictures);
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

  /** The place of the widget with a name, once it is there and stays there; with it, the place of the view. */
  async find(name, role) {
    const end = performance.now() + PATIENCE_MS;
    let before;
    for (;;) {
      const widgets = JSON.parse((await this.page.getAttribute("body", "data-widgets")) ?? "[]");
      // A menu within a menu has an arrow behind its name.
      const isNamed = (widget) => widget.name === name || widget.name === `${name} ⏵`;
      const found = widgets.find((w) => isNamed(w) && (role === undefined || w.role === role));
      if (found && String(found.rect) === before) {
        const view = widgets.find((w) => w.name === VIEW);
        return { ...place(found), view: place(view) };
      }
      before = String(found?.rect);
      const names = widgets.map((w) => `${w.role} ${w.name}`).join(", ");
      if (performance.now() > end) await this.shoot("failed");
      assert.ok(performance.now() < end, `there is no ${role ?? "widget"} ${name} among ${names}`);
      await this.frames(1);
    }
  }

  /** The same, once it is in sight: the panel at the right is scrolled to it. */
  async reach(name, role) {
    for (let tries = 0; ; tries++) {
      const found = await this.find(name, role);
      const { view } = found;
      const isBeside = found.x > view.right && !BARS.includes(name);
      const isHidden = isBeside && (found.bottom > view.bottom - 4 || found.top < view.top + 4);
      if (!isHidden) return found;
      assert.ok(tries < 8, `${name} does not come into sight: ${JSON.stringify(found)}`);
      await this.page.mouse.move(found.x, view.y);
      await this.page.mouse.wheel(0, found.y - view.y);
      await this.frames(4);
    }
  }

  view() {
    return this.find(VIEW);
  }

  async click(name, role) {
    const { x, y } = await this.reach(name, role);
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

  /** Opens a list and takes a choice of it. */
  async choose(list, choice) {
    await this.click(list, "ComboBox");
    await this.click(choice);
  }

  /** Drags the pointer along points `[x, y]`, with a key held where one is given. */
  async drag(way, key) {
    const { mouse, keyboard } = this.page;
    if (key) await keyboard.down(key);
    await mouse.move(...way[0]);
    await this.frames();
    await mouse.down();
    await this.frames();
    for (const at of way.slice(1)) {
      await mouse.move(...at);
      await this.frames();
    }
    await mouse.up();
    await this.frames();
    if (key) await keyboard.up(key);
  }

  /** Drags the middle of a slider to a share of its length. */
  async slide(name, share) {
    const { left, right, y } = await this.reach(name, "Slider");
    const at = left + (right - left) * share;
    await this.drag([[(left + right) / 2, y], [at - 2, y], [at, y]]);
  }

  async press(key) {
    await this.page.keyboard.press(key);
    await this.frames();
  }

  /** Does something that must be one step of the history under a name, and gives the states before and after. */
  async step(name, act) {
    const before = await this.state();
    await act();
    const after = await this.until(name, (state) => state.undo === name && state.steps > before.steps);
    assert.equal(after.steps, before.steps + 1, `${name} is one step`);
    return { before, after };
  }

  /** Undoes everything down to so many steps. */
  async undoTo(steps) {
    while ((await this.state()).steps > steps) {
      const { steps: now } = await this.state();
      await this.press("Control+z");
      await this.until("undo", (state) => state.steps < now);
    }
    return this.state();
  }

  async frames(count = 2) {
    await this.page.evaluate(async (count) => {
      for (let n = 0; n < count; n++) await new Promise((done) => requestAnimationFrame(done));
    }, count);
  }

  /** The view of the character as a picture; one of the whole page is kept under a name. */
  async look(name) {
    const { left, top, right, bottom } = await this.view();
    // Tooltips and marks under the pointer are no part of the character.
    await this.page.mouse.move(left + 3, bottom - 3);
    await this.frames(3);
    return crop(decode(await this.shoot(name)), [left + 2, top + 2, right - 2, bottom - 2]);
  }

  /** Keeps a picture of the whole page to be looked at. */
  async shoot(name) {
    const picture = await this.page.screenshot();
    writeFileSync(join(this.pictures, `${name}.png`), picture);
    return picture;
  }

  /** Lets a file go over the page, with others that come with it. */
  async drop(name, bytes, ...others) {
    const files = [[name, bytes], ...others].map(([name, bytes]) => [name, bytes.toString("base64")]);
    const handle = await this.page.evaluateHandle((files) => {
      const transfer = new DataTransfer();
      for (const [name, text] of files) {
        transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
      }
      return transfer;
    }, files);
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
