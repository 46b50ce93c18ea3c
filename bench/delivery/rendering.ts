// Rendering a photograph of 12 megapixels to a WebP of 800 pixels: the render process beside sharp called directly, with
// the same options, in turns.
import { Readable } from 'node:stream';
import sharp from 'sharp';
import type { RenderJob } from '../../src/delivery/images/render-protocol.ts';
import { createRenderer } from '../../src/delivery/images/renderer.ts';
import { median } from '../measure.ts';

const WIDTH = 4000;
const HEIGHT = 3000;
const TARGET = 800;
const QUALITY = 75;
const TURNS = 15;
const WARM_UPS = 2;

const JOB: RenderJob = {
  settings: { width: TARGET, quality: QUALITY },
  candidates: ['webp'],
  limits: { maxPixels: 100_000_000, maxOutputPixels: 16_777_216, maxFrames: 60 },
  fileName: 'photo.jpg',
};

/** Waves with fine noise: about as hard to compress as a photograph. */
function photograph(): Promise<Buffer> {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3);
  let noise = 1;
  for (let at = 0; at < pixels.length; at += 3) {
    const x = (at / 3) % WIDTH;
    const y = Math.floor(at / 3 / WIDTH);
    noise = (noise * 48_271) % 2_147_483_647;
    const grain = noise % 24;
    pixels[at] = 128 + 100 * Math.sin(x / 97) + grain;
    pixels[at + 1] = 128 + 100 * Math.cos(y / 71) + grain;
    pixels[at + 2] = 64 + ((x + y) % 128) + grain;
  }
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 85 })
    .toBuffer();
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Prints both medians and their ratio. */
export async function benchRendering(): Promise<void> {
  const bytes = await photograph();
  const renderer = createRenderer({ concurrency: 1, queue: 1, seconds: 60, maxSourceBytes: 1e9 });
  sharp.cache(false);
  const renderProcess = () =>
    renderer.render(JOB, { size: bytes.length, open: async () => Readable.from([bytes]) });
  const direct = () => sharp(bytes).autoOrient().resize(TARGET).webp({ quality: QUALITY }).toBuffer();
  for (let turn = 0; turn < WARM_UPS; turn += 1) {
    await renderProcess();
    await direct();
  }
  const turns: { readonly rendered: number; readonly direct: number }[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const rendered = await millisecondsOf(renderProcess);
    turns.push({ rendered, direct: await millisecondsOf(direct) });
  }
  await renderer.close();
  const text = (name: 'rendered' | 'direct') => `${median(turns.map((turn) => turn[name])).toFixed(0)} ms`;
  const ratio = median(turns.map((turn) => turn.rendered / turn.direct)).toFixed(2);
  console.log(`12-megapixel JPEG (${(bytes.length / 1e6).toFixed(1)} MB) to a WebP of ${TARGET} pixels`);
  console.log(`render process ${text('rendered')}, sharp called directly ${text('direct')}, ratio ${ratio}`);
}
