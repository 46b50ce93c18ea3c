// Real images, made by the library that also renders them.
import sharp, { type Sharp } from 'sharp';

const GREY = { r: 90, g: 90, b: 90 };

/** A plain picture; `encode` chooses the format. */
export function picture(width: number, height: number, encode: (image: Sharp) => Sharp): Promise<Buffer> {
  return encode(sharp({ create: { width, height, channels: 3, background: GREY } })).toBuffer();
}

/** A picture of noise: its compressed bytes are about as many as its pixels. */
export function noise(width: number, height: number, encode: (image: Sharp) => Sharp): Promise<Buffer> {
  const create = { width, height, channels: 3, background: GREY } as const;
  const image = sharp({ create: { ...create, noise: { type: 'gaussian', mean: 128, sigma: 40 } } });
  return encode(image).toBuffer();
}

/** Frames one above the other as an animation of that many. */
export function animation(width: number, height: number, frames: number, encode: (image: Sharp) => Sharp) {
  const data = Buffer.alloc(width * height * frames * 3, 70);
  for (let frame = 0; frame < frames; frame += 1)
    data.fill(frame * 40, frame * width * height * 3, undefined);
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const;
  return encode(sharp(data, { raw })).toBuffer();
}

/** A BMP with the usual header, or the one of OS/2. */
export function bmp(width: number, height: number, header: 'core' | 'info' = 'info'): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write('BM');
  bytes.writeUInt32LE(header === 'core' ? 12 : 40, 14);
  if (header === 'core') {
    bytes.writeUInt16LE(width, 18);
    bytes.writeUInt16LE(height, 20);
  } else {
    bytes.writeInt32LE(width, 18);
    bytes.writeInt32LE(height, 22);
  }
  return bytes;
}

/** A TIFF block of one directory with these SHORT values by tag, in the order of tags. */
export function tiffBlock(tags: Readonly<Record<number, number>>, order: 'II' | 'MM' = 'II'): Buffer {
  const entries = Object.entries(tags);
  const bytes = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  const u16 = (value: number, at: number) =>
    order === 'II' ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at);
  const u32 = (value: number, at: number) =>
    order === 'II' ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at);
  bytes.write(order);
  u16(42, 2);
  u32(8, 4);
  u16(entries.length, 8);
  for (const [index, [tag, value]] of entries.entries()) {
    const at = 10 + index * 12;
    u16(Number(tag), at);
    u16(3, at + 2);
    u32(1, at + 4);
    u16(value, at + 8);
  }
  return bytes;
}
