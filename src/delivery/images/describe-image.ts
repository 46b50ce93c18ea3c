// `format: json`: what is known of an image instead of the image. Runs in the render process.
import type { Sharp } from 'sharp';
import type { ImageSize } from './geometry.ts';
import type { Original } from './original.ts';
import type { RenderJob, RenderResult } from './render-protocol.ts';

const SAMPLE_SIDE = 64;
/** In sRGB, without transparency: also where the original is grey or has 16 bits a sample. */
const BYTES_PER_PIXEL = 3;

const hex = (value: number) => Math.round(value).toString(16).padStart(2, '0');

/** The colour that most of a small copy of the image has. */
async function primaryColour(image: Sharp): Promise<string> {
  const small = image.resize({ width: SAMPLE_SIDE, height: SAMPLE_SIDE, fit: 'inside' });
  const pixels = await small.flatten({ background: '#ffffff' }).toColourspace('srgb').raw().toBuffer();
  const counts = new Map<number, { count: number; red: number; green: number; blue: number }>();
  for (let at = 0; at < pixels.length; at += BYTES_PER_PIXEL) {
    const rgb = pixels.readUIntBE(at, BYTES_PER_PIXEL);
    const [red, green, blue] = [rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff];
    const bucket = ((red >> 4) << 8) | ((green >> 4) << 4) | (blue >> 4);
    const sum = counts.get(bucket) ?? { count: 0, red: 0, green: 0, blue: 0 };
    counts.set(bucket, {
      count: sum.count + 1,
      red: sum.red + red,
      green: sum.green + green,
      blue: sum.blue + blue,
    });
  }
  const [commonest] = [...counts.values()].sort((a, b) => b.count - a.count);
  if (commonest === undefined) return '#000000';
  const { count, red, green, blue } = commonest;
  return `#${hex(red / count)}${hex(green / count)}${hex(blue / count)}`;
}

/** Describes an image: the original, and the size that the settings give it. */
export async function describeImage(
  image: Sharp,
  { metadata, shown, pages }: Original,
  { settings, fileName }: RenderJob,
  size: ImageSize,
): Promise<RenderResult> {
  const { density, format, hasAlpha, size: fileSize } = metadata;
  const description = {
    ...settings,
    fileName,
    format: format === 'heif' ? 'avif' : format,
    fileSize,
    width: shown.width,
    height: shown.height,
    frames: pages,
    hasAlpha,
    ...(density !== undefined && { density: { width: density, height: density, unit: 'dpi' } }),
    output: size,
    primaryColor: await primaryColour(image),
  };
  const body = Buffer.from(JSON.stringify(description));
  return { info: { contentType: 'application/json; charset=utf-8', width: 0, height: 0 }, body };
}
