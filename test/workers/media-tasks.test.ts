import { expect, onTestFinished, test } from 'vitest';
import {
  createMediaWorkers,
  IMAGE_HEAD_BYTES,
  IMAGE_TAIL_BYTES,
  type ImageHeadAndTail,
  type MediaWorkersOptions,
  sha1Hex,
} from '../../src/workers/media-tasks.ts';
import { noise, picture } from '../helpers/fixtures/images.ts';
import { longestBlockMs } from '../helpers/server-process/timing.ts';

const ENDLESS = new URL('../helpers/fixtures/endless-image-task.ts', import.meta.url);
/** Milliseconds of processor time for which the tasks may hold their caller. */
const MOST_MS = 250;

/** The ends of a file of which all bytes are at hand, or only the first ones. */
const endsOf = (bytes: Uint8Array, hasTail = true): ImageHeadAndTail => ({
  head: (most) => bytes.subarray(0, Math.min(most, IMAGE_HEAD_BYTES)),
  tail: (most) => (hasTail ? bytes.subarray(-Math.min(most, IMAGE_TAIL_BYTES)) : bytes.subarray(0, 0)),
});

function open(options: MediaWorkersOptions = {}) {
  const tasks = createMediaWorkers(options);
  onTestFinished(() => tasks.close());
  return tasks;
}

test('dimensions are read and hashes computed on threads', async () => {
  const tasks = open();
  const bytes = await picture(40, 30, (image) => image.jpeg().withMetadata({ orientation: 6 }));
  expect(await tasks.dimensionsOf(endsOf(bytes), bytes.length)).toEqual({ width: 30, height: 40 });
  expect(await tasks.dimensionsOf(endsOf(Buffer.from('PK\x03\x04')), 4)).toBeUndefined();
  expect(await tasks.sha1Of('test.jpg')).toBe('cb56752477cae6405f85b131872c60d21b967c6a');
});

test('only head and tail of a long file are sent, whatever buffer they are part of', async () => {
  const tasks = open({ imageTask: ENDLESS });
  const file = Buffer.alloc(IMAGE_HEAD_BYTES + IMAGE_TAIL_BYTES + 1000, 7);
  const height = file.length;
  expect(await tasks.dimensionsOf(endsOf(file, false), height)).toEqual({ width: IMAGE_HEAD_BYTES, height });
  expect(await tasks.dimensionsOf(endsOf(file), height)).toEqual({
    width: IMAGE_HEAD_BYTES + IMAGE_TAIL_BYTES,
    height,
  });
});

test('the last bytes of a long file tell what the first ones do not', async () => {
  const tasks = open();
  const tiff = await noise(600, 400, (image) => image.tiff({ compression: 'none' }));
  expect(await tasks.dimensionsOf(endsOf(tiff, false), tiff.length)).toBeUndefined();
  expect(await tasks.dimensionsOf(endsOf(tiff), tiff.length)).toEqual({ width: 600, height: 400 });
});

test('a task that never ends is ended after its time, and its thread replaced', async () => {
  const tasks = open({ imageTask: ENDLESS, limitMs: 500 });
  const stuck = await Promise.all(
    Array.from({ length: 2 }, () => tasks.dimensionsOf(endsOf(Uint8Array.of(1)), 1)),
  );
  expect(stuck).toEqual([undefined, undefined]);
  await expect.poll(() => tasks.dimensionsOf(endsOf(Uint8Array.of(0)), 9)).toEqual({ width: 1, height: 9 });
});

test('hashes do not wait for images that take too long', async () => {
  const tasks = open({ imageTask: ENDLESS, limitMs: 3000 });
  const stuck = Array.from({ length: 10 }, () => tasks.dimensionsOf(endsOf(Uint8Array.of(1)), 1));
  expect(await tasks.sha1Of('test.jpg')).toBe('cb56752477cae6405f85b131872c60d21b967c6a');
  await tasks.close();
  expect(await Promise.all(stuck)).toEqual(stuck.map(() => undefined));
});

test('images beyond the queue are not waited for', async () => {
  const tasks = open({ imageTask: ENDLESS, limitMs: 60_000 });
  const calls = Array.from({ length: 200 }, () => tasks.dimensionsOf(endsOf(Uint8Array.of(1)), 1));
  // The others would take a minute.
  expect(await Promise.race(calls)).toBeUndefined();
});

test('a task that fails gives no dimensions, and the failure is reported', async () => {
  const failures: unknown[] = [];
  const tasks = open({ imageTask: ENDLESS, onFailure: (error) => failures.push(error) });
  expect(await tasks.dimensionsOf(endsOf(Uint8Array.of(2)), 1)).toBeUndefined();
  expect(failures).toEqual([expect.objectContaining({ message: 'the task is broken' })]);
});

test('heads of many images do not hold up who sends them', async () => {
  const tasks = open();
  const bytes = Buffer.alloc(IMAGE_HEAD_BYTES, 0xff);
  const held = await longestBlockMs(MOST_MS, () =>
    Promise.all(Array.from({ length: 20 }, () => tasks.dimensionsOf(endsOf(bytes), bytes.length))),
  );
  expect(held).toBeLessThan(MOST_MS);
});

test('the tasks close without having been used', async () => {
  await expect(createMediaWorkers().close()).resolves.toBeUndefined();
});

test('sha1Hex hashes the UTF-8 bytes of a text', () => {
  expect(sha1Hex('test.jpg')).toBe('cb56752477cae6405f85b131872c60d21b967c6a');
  expect(sha1Hex('ü')).toBe('94a759fd37735430753c7b6b80684306d80ea16e');
});
