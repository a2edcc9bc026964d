// Decodes screenshots: PNG with eight bits per channel.
import { inflateSync } from "node:zlib";

/** Width, height, channels and bytes of a picture. */
export function decode(file) {
  const parts = [];
  let head;
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const kind = file.toString("latin1", at + 4, at + 8);
    const data = file.subarray(at + 8, at + 8 + length);
    if (kind === "IHDR") head = { width: data.readUInt32BE(0), height: data.readUInt32BE(4), color: data[9] };
    if (kind === "IDAT") parts.push(data);
    at += 12 + length;
  }
  const channels = { 0: 1, 2: 3, 6: 4 }[head.color];
  return { ...head, channels, data: unfilter(inflateSync(Buffer.concat(parts)), head, channels) };
}

function unfilter(raw, { width, height }, step) {
  const stride = width * step;
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= step ? out[y * stride + x - step] : 0;
      const above = y > 0 ? out[(y - 1) * stride + x] : 0;
      const corner = x >= step && y > 0 ? out[(y - 1) * stride + x - step] : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      out[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return out;
}

function paeth(left, above, corner) {
  const guess = left + above - corner;
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(guess - value));
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** A part of a picture, between two corners. */
export function crop(picture, corners) {
  const [left, top, right, bottom] = corners.map(Math.round);
  const { width, channels, data } = picture;
  const rows = [];
  for (let y = top; y < bottom; y++) rows.push(data.subarray((y * width + left) * channels, (y * width + right) * channels));
  return { ...picture, width: right - left, height: bottom - top, data: Buffer.concat(rows) };
}

/** How many pixels of two pictures differ by more than noise. */
export function difference(one, other) {
  let count = 0;
  for (let at = 0; at < one.data.length; at += one.channels) {
    const distance = (channel) => Math.abs(one.data[at + channel] - other.data[at + channel]);
    if (Math.max(distance(0), distance(1), distance(2)) > 8) count++;
  }
  return count;
}

/** The number of colors of a picture: an empty canvas has one. */
export function colors(picture) {
  const seen = new Set();
  for (let at = 0; at < picture.data.length; at += picture.channels) {
    seen.add((picture.data[at] << 16) | (picture.data[at + 1] << 8) | picture.data[at + 2]);
  }
  return seen.size;
}
