import { expect, onTestFinished, test } from 'vitest';
import { StartError } from '../../src/errors/start-error.ts';
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
  const bytes = await picture(40, 30, (image) => image.tiff().withMetadata({ orientation: 6 }));
  expect(await tasks.dimensionsOf(endsOf(bytes), bytes.length)).toEqual({ width: 30, height: 40 });
  expect(await tasks.dimensionsOf(endsOf(Buffer.from('PK\x03\x04')), 4)).toBeUndefined();
  expect(await tasks.sha1Of('test.jpg')).toBe('cb56752477cae6405f85b131872c60d21b967c6a');
});

test('an image whose thread cannot load its task is not taken for a damaged one', async () => {
  const tasks = open({ imageTask: new URL('file:///nowhere') });
  const bytes = await picture(40, 30, (image) => image.tiff());
  await expect(tasks.dimensionsOf(endsOf(bytes), bytes.length)).rejects.toBeInstanceOf(StartError);
});

test('a common image needs no thread', async () => {
  const tasks = open({ imageTask: new URL('file:///nowhere') });
  const bytes = await picture(40, 30, (image) => image.png());
  expect(await tasks.dimensionsOf(endsOf(bytes), bytes.length)).toEqual({ width: 40, height: 30 });
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

const full = (message: string) => expect.objectContaining({ code: 'UPLOADS_FULL', status: 503, message });
/** An image whose task never ends, and one whose task does. */
const STUCK = endsOf(Uint8Array.of(1));
const PLAIN = endsOf(Uint8Array.of(0));

test('a task that never ends is ended after its time, which says nothing about its image', async () => {
  // Long enough for a busy machine to start the thread that follows.
  const tasks = open({ imageTask: ENDLESS, limitMs: 2000 });
  const stuck = await Promise.allSettled([1, 2].map(() => tasks.dimensionsOf(STUCK, 1)));
  expect(stuck.map((one) => (one as PromiseRejectedResult).reason)).toEqual(
    stuck.map(() => full('Reading an image took too long')),
  );
  // Its thread is replaced.
  await expect
    .poll(() => tasks.dimensionsOf(PLAIN, 9).catch(() => undefined))
    .toEqual({ width: 1, height: 9 });
});

test('hashes do not wait for images that take too long', async () => {
  const tasks = open({ imageTask: ENDLESS, limitMs: 600_000 });
  const stuck = Array.from({ length: 10 }, () => tasks.dimensionsOf(STUCK, 1));
  const ended = Promise.allSettled(stuck);
  expect(await tasks.sha1Of('test.jpg')).toBe('cb56752477cae6405f85b131872c60d21b967c6a');
  await tasks.close();
  // None is taken for a file without dimensions because the server stops.
  for (const one of await ended) expect(one).toMatchObject({ reason: full('The server is stopping') });
});

test('images wait for their turn, all of them, and time counts from there', async () => {
  const tasks = open();
  const bytes = await picture(40, 30, (image) => image.tiff());
  const calls = Array.from({ length: 400 }, () => tasks.dimensionsOf(endsOf(bytes), bytes.length));
  expect(new Set((await Promise.all(calls)).map((one) => JSON.stringify(one)))).toEqual(
    new Set(['{"width":40,"height":30}']),
  );
});

test('an image beyond the queue, or that waits too long, is refused and not taken for a damaged one', async () => {
  const tasks = open({ imageTask: ENDLESS, limitMs: 600_000, queue: { max: 3, waitMs: 1 } });
  const calls = Array.from({ length: 10 }, () => tasks.dimensionsOf(STUCK, 1));
  // Two are being read.
  const refused = await Promise.allSettled(calls.slice(2));
  for (const one of refused)
    expect(one).toMatchObject({ reason: full('Too many images wait to be measured') });
  const ended = Promise.allSettled(calls);
  await tasks.close();
  await ended;
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
