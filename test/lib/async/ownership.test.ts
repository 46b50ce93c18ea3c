// What is released with its owner is released however early the owner has ended.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { isClosed, onceAborted, onceClosed, openFor } from '../../../src/lib/async/ownership.ts';

const closed = (stream: PassThrough) => new Promise((resolve) => stream.once('close', resolve));

test('a release waits for the end of its owner, and comes once', async () => {
  const owner = new PassThrough();
  let releases = 0;
  onceClosed(owner, () => {
    releases += 1;
  });
  expect({ releases, closed: isClosed(owner) }).toEqual({ releases: 0, closed: false });
  owner.destroy();
  await closed(owner);
  owner.emit('close');
  expect({ releases, closed: isClosed(owner) }).toEqual({ releases: 1, closed: true });
});

test('a release comes at once where the owner is closed or about to be', async () => {
  const owner = new PassThrough();
  owner.destroy();
  const releases: string[] = [];
  onceClosed(owner, () => releases.push('destroyed'));
  expect(releases).toEqual(['destroyed']);
  await closed(owner);
  onceClosed(owner, () => releases.push('closed'));
  expect(releases).toEqual(['destroyed', 'closed']);
});

test('a stream that comes after the end of its owner is destroyed, one before it with it', async () => {
  const owner = new PassThrough();
  const early = await openFor(owner, async () => new PassThrough());
  expect(early.destroyed).toBe(false);
  const opening = Promise.withResolvers<PassThrough>();
  const late = openFor(owner, () => opening.promise);
  owner.destroy();
  await closed(owner);
  expect(early.destroyed).toBe(true);
  opening.resolve(new PassThrough());
  expect((await late).destroyed).toBe(true);
});

test('a release comes once a signal is aborted, at once where it was, and not after the waiting has ended', () => {
  const releases: string[] = [];
  const controller = new AbortController();
  onceAborted(controller.signal, () => releases.push('waiting'));
  const stop = onceAborted(controller.signal, () => releases.push('stopped'));
  stop();
  expect(releases).toEqual([]);
  controller.abort();
  onceAborted(controller.signal, () => releases.push('late'));
  onceAborted(undefined, () => releases.push('never'))();
  expect(releases).toEqual(['waiting', 'late']);
});
