import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createResponseStream } from '../../../src/http/transport/response-stream.ts';

const BODIES = [
  ['text', 'xü'.repeat(2_000_000)],
  ['pieces', Array.from({ length: 40 }, () => 'ü'.repeat(99_999))],
  ['bytes', Buffer.alloc(5_000_000, 'abc')],
] as const;
const whole = (body: (typeof BODIES)[number][1]) =>
  Buffer.isBuffer(body) ? body : Buffer.from([body].flat().join(''));

describe.each(BODIES)('%s', (_name, body) => {
  it('are streamed unchanged, in chunks that are counted', async () => {
    const taken: number[] = [];
    const bytes = await buffer(createResponseStream(body, (count) => taken.push(count)));
    expect(bytes.equals(whole(body))).toBe(true);
    expect(taken.reduce((sum, count) => sum + count)).toBe(bytes.length);
    expect(Math.max(...taken)).toBeLessThanOrEqual(200_000);
  });

  it('yield to the event loop while they are streamed', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await buffer(createResponseStream(body, () => undefined));
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});

it('a response stream creates no chunk before it is requested', async () => {
  const taken: number[] = [];
  const stream = createResponseStream('x'.repeat(2_000_000), (count) => taken.push(count));
  stream.read(1);
  stream.destroy();
  await new Promise((resolve) => stream.once('close', resolve));
  expect(taken.length).toBeLessThan(4);
});
