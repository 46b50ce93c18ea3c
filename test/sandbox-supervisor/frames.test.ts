import { describe, expect, it } from 'vitest';
import { createFrameReader, encodeFrame } from '../../src/sandbox-supervisor/host-connection.ts';

const frame = (header: string, ...texts: string[]) =>
  encodeFrame(header, texts, Buffer.byteLength(texts.join('')));

function lengths(header: number, raw: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(header, 0);
  bytes.writeUInt32BE(raw, 4);
  return bytes;
}

function readerOf() {
  const frames: [string, string][] = [];
  const headers: [string, number][] = [];
  const reader = createFrameReader({
    header(header, rawBytes) {
      headers.push([header, rawBytes]);
      return header === 'refused' ? null : header;
    },
    frame(header, raw) {
      frames.push([header, raw.toString()]);
      return header !== 'stop';
    },
  });
  return { frames, headers, push: reader.push };
}

const STREAM = Buffer.concat([frame('{"a":"ü"}', 'x', '', 'é€'), frame('1'), frame('2', 'y'.repeat(300))]);
const FRAMES = [
  ['{"a":"ü"}', 'xé€'],
  ['1', ''],
  ['2', 'y'.repeat(300)],
];

describe('frames from a host', () => {
  it.each([1, 2, 3, 7, 8, 9, 64, 1000])('come out the same in chunks of %i bytes', (size) => {
    const { frames, push } = readerOf();
    for (let at = 0; at < STREAM.length; at += size) {
      expect(push(Buffer.from(STREAM.subarray(at, at + size)))).toBe(true);
    }
    expect(frames).toEqual(FRAMES);
  });

  it('are the same wherever the stream is cut', () => {
    for (let cut = 0; cut <= STREAM.length; cut += 1) {
      const { frames, push } = readerOf();
      push(STREAM.subarray(0, cut));
      push(STREAM.subarray(cut));
      expect(frames).toEqual(FRAMES);
    }
  });

  it('are rejected by their headers, before any raw byte arrives', () => {
    const start = Buffer.concat([lengths(7, 67_108_864), Buffer.from('refused')]);
    for (const size of [1, 5, 15]) {
      const { frames, headers, push } = readerOf();
      const pushed: boolean[] = [];
      for (let at = 0; at < start.length; at += size) pushed.push(push(start.subarray(at, at + size)));
      expect([pushed.indexOf(false), pushed.length - 1]).toEqual([pushed.length - 1, pushed.length - 1]);
      expect([frames, headers]).toEqual([[], [['refused', 67_108_864]]]);
    }
  });

  it.each([
    ['a header over its cap', lengths(524_289, 0)],
    ['raw bytes over their cap', lengths(2, 67_108_865)],
    ['the largest numbers', lengths(0xffffffff, 0xffffffff)],
  ])('with %s are refused before anything is kept', (_, bytes) => {
    const whole = readerOf();
    expect(whole.push(bytes)).toBe(false);
    const pieces = readerOf();
    expect(pieces.push(bytes.subarray(0, 7))).toBe(true);
    expect(pieces.push(bytes.subarray(7))).toBe(false);
    expect(pieces.push(frame('1'))).toBe(false);
    expect(pieces.frames).toEqual([]);
  });

  it('after a rejected one are not read', () => {
    const { frames, push } = readerOf();
    expect(push(Buffer.concat([frame('stop'), frame('1')]))).toBe(false);
    expect(push(frame('2'))).toBe(false);
    expect(frames).toEqual([['stop', '']]);
  });

  it('of the largest size cost nothing before they arrive', () => {
    const before = process.memoryUsage().rss;
    const { push } = readerOf();
    expect(push(Buffer.concat([lengths(2, 67_108_864), Buffer.from('{}')]))).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(30_000_000);
  });
});
