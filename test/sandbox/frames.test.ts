import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createFrameReader,
  createFrameWriter,
  MAX_HEADER_BYTES,
  MAX_RAW_BYTES,
} from '../../sandbox/frames.js';

const folder = mkdtempSync(join(tmpdir(), 'frames-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

function fileOf(bytes: Buffer = Buffer.alloc(0)): string {
  files += 1;
  const path = join(folder, String(files));
  writeFileSync(path, bytes);
  return path;
}

function frame(header: string, raw: string, lengths: [number, number] = [-1, -1]): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(lengths[0] < 0 ? Buffer.byteLength(header) : lengths[0], 0);
  bytes.writeUInt32BE(lengths[1] < 0 ? Buffer.byteLength(raw) : lengths[1], 4);
  return Buffer.concat([bytes, Buffer.from(header), Buffer.from(raw)]);
}

function readAll(bytes: Buffer) {
  const fd = openSync(fileOf(bytes), 'r');
  try {
    const { next } = createFrameReader(fd);
    const frames: { header: unknown; raw: string }[] = [];
    for (let read = next(); read !== null; read = next()) {
      frames.push({ header: read.header, raw: read.raw.toString() });
    }
    return frames;
  } finally {
    closeSync(fd);
  }
}

function write(use: (writer: ReturnType<typeof createFrameWriter>) => void): Buffer {
  const path = fileOf();
  const fd = openSync(path, 'w');
  use(createFrameWriter(fd));
  closeSync(fd);
  return readFileSync(path);
}

describe('reading frames', () => {
  it('takes one after the other, small and large', () => {
    const large = 'ü'.repeat(200_000);
    const bytes = Buffer.concat([
      frame('{"a":1}', 'x'),
      frame('[]', ''),
      frame('"b"', large),
      frame('2', 'y'),
    ]);
    expect(readAll(bytes)).toEqual([
      { header: { a: 1 }, raw: 'x' },
      { header: [], raw: '' },
      { header: 'b', raw: large },
      { header: 2, raw: 'y' },
    ]);
  });

  it('takes a frame that ends where the buffer does, and one that does not fit into what is left of it', () => {
    const first = frame('1', 'x'.repeat(65_536 - 9 - 4));
    expect(readAll(Buffer.concat([first, frame('2', 'y'.repeat(100))])).map(({ raw }) => raw.length)).toEqual(
      [65_523, 100],
    );
  });

  it.each([
    ['a header that is too large', frame('{}', '', [MAX_HEADER_BYTES + 1, 0])],
    ['raw bytes that are too many', frame('{}', '', [2, MAX_RAW_BYTES + 1])],
    ['the largest numbers', frame('{}', '', [0xffffffff, 0xffffffff])],
    ['a cut frame', frame('{}', 'abc').subarray(0, -1)],
    ['cut lengths', Buffer.alloc(5)],
    ['no JSON', frame('{', '')],
    ['an empty header', frame('', '')],
  ])('throws on %s', (_, bytes) => {
    expect(() => readAll(bytes)).toThrow();
  });

  it('says when the other end is gone', () => {
    expect(readAll(Buffer.alloc(0))).toEqual([]);
  });
});

describe('writing frames', () => {
  it('puts the header before what was laid down', () => {
    const bytes = write(({ add, flush, pending }) => {
      expect([add('a'), add(''), add('ü€😀')]).toEqual([1, 0, 9]);
      expect(pending()).toBe(10);
      flush({ sizes: 'é' });
      expect(pending()).toBe(0);
      flush({});
    });
    expect(bytes).toEqual(Buffer.concat([frame('{"sizes":"é"}', 'aü€😀'), frame('{}', '')]));
  });

  it('takes back what was laid down in vain', () => {
    const bytes = write(({ add, cut, flush }) => {
      add('kept');
      add('gone');
      cut(4);
      add('!');
      flush({});
    });
    expect(readAll(bytes)).toEqual([{ header: {}, raw: 'kept!' }]);
  });

  it('grows for large texts and large headers', () => {
    const text = '€'.repeat(300_000);
    const header = { long: 'é'.repeat(60_000) };
    const bytes = write(({ add, flush }) => {
      add('before');
      add(text);
      flush(header);
      add('after');
      flush({});
    });
    expect(readAll(bytes)).toEqual([
      { header, raw: `before${text}` },
      { header: {}, raw: 'after' },
    ]);
  });

  it('waits for a pipe that is full, though it does not block', () => {
    const script = `
      import { createFrameWriter } from ${JSON.stringify(join(import.meta.dirname, '../../sandbox/frames.js'))};
      const { add, flush } = createFrameWriter(1);
      add('x'.repeat(3_000_000));
      flush({ n: 1 });`;
    const path = join(folder, 'writer.mjs');
    writeFileSync(path, script);
    const node = JSON.stringify(process.execPath);
    const bytes = execFileSync('sh', ['-c', `${node} ${path} | { sleep 0.3; wc -c; }`], { encoding: 'utf8' });
    expect(Number(bytes)).toBe(8 + '{"n":1}'.length + 3_000_000);
  });
});
