/** The pixels of a PNG of 8-bit RGB or RGBA without interlacing, as Chromium writes them. */
import { inflateSync } from 'node:zlib';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue from 0 to 255. */
  at(x: number, y: number): readonly [number, number, number];
}

export function decodePng(png: Buffer): Pixels {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : pixels[y * stride + x - channels];
      const up = y === 0 ? 0 : pixels[(y - 1) * stride + x];
      const corner = x < channels || y === 0 ? 0 : pixels[(y - 1) * stride + x - channels];
      const predicted = predict(filter, left, up, corner);
      pixels[y * stride + x] = raw[y * (stride + 1) + 1 + x] + predicted;
    }
  }
  const at = (x: number, y: number): readonly [number, number, number] => {
    const start = y * stride + x * channels;
    return [pixels[start], pixels[start + 1], pixels[start + 2]];
  };
  return { width, height, at };
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const estimate = left + up - corner;
  const distances = [left, up, corner].map((each) => Math.abs(estimate - each));
  const least = Math.min(...distances);
  return [left, up, corner][distances.indexOf(least)];
}
