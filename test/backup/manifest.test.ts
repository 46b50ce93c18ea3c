// What a manifest may say, and that one which was changed is told.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { formatManifest, isSafePath, type Manifest, parseManifest } from '../../src/backup/manifest.ts';

const SHA256 = 'a'.repeat(64);
const HEADER = {
  format: 'cloister-backup',
  version: 1,
  cloister: '0.1.0',
  createdAt: '2026-01-01T00:00:00.000Z',
  engine: 'sqlite',
  separateDatabases: false,
} as const;
const FILE = { path: 'media/1.0/a.txt', size: 3, sha256: SHA256 };

/** A manifest of these lines, with the right checksum at its end. */
function signed(...values: readonly unknown[]): string {
  const lines = values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const sha256 = createHash('sha256').update(lines).digest('hex');
  return `${lines}${JSON.stringify({ files: values.length - 1, sha256 })}\n`;
}

describe('a manifest', () => {
  it('is read as it was written', () => {
    const manifest: Manifest = { header: HEADER, files: [FILE, { ...FILE, path: 'workspace/config.json' }] };
    expect(parseManifest(formatManifest(manifest))).toEqual(manifest);
  });

  it.each([
    ['cut after a line', (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)],
    ['cut within a line', (text: string) => text.slice(0, -9)],
    ['without a line', (text: string) => text.replace(/.*media.*\n/, '')],
    ['with another size', (text: string) => text.replace('"size":3', '"size":4')],
    ['empty', () => ''],
    ['of something else', () => '{"a":1}\n'],
  ])('that is %s is told', (_what, change) => {
    const text = formatManifest({ header: HEADER, files: [FILE] });
    expect(() => parseManifest(change(text))).toThrow('the manifest was changed or cut');
  });

  it.each([
    [[{ ...HEADER, format: 'tar' }], 'the manifest is not one of a backup'],
    [[{ ...HEADER, version: 2 }], 'a newer version'],
    [[{ ...HEADER, engine: 1 }], 'the manifest is incomplete'],
    [[null], 'the manifest is not one of a backup'],
    [[HEADER, null], 'describes no file'],
    [[HEADER, { ...FILE, path: 'media/../x' }], 'a path that a backup cannot have'],
    [[HEADER, { ...FILE, size: -1 }], 'no valid size or checksum'],
    [[HEADER, { ...FILE, size: 1.5 }], 'no valid size or checksum'],
    [[HEADER, { ...FILE, sha256: 'x' }], 'no valid size or checksum'],
    [[HEADER, FILE, FILE], 'names a file twice'],
    [[HEADER, { ...FILE, path: 'media/1.0' }, FILE], 'where its folder would be'],
  ])('of %j is refused', (values, message) => {
    expect(() => parseManifest(signed(...values))).toThrow(message);
  });
});

it.each([
  '/etc/passwd',
  'media',
  'media/',
  'media//a',
  'media/./a',
  'media/../a',
  'media/..',
  '../media/a',
  'secrets/a',
  'Media/a',
  'media/a\\b',
  'media/a\u0000b',
  'media/a\nb',
  'media/\ud800',
  `media/${'a'.repeat(5000)}`,
  '',
])('%j is no path in a backup', (path) => {
  expect(isSafePath(path)).toBe(false);
});

it.each(['media/a', 'workspace/a/..b/c...', 'audit/audit.key', 'other/ä 1'])(
  '%j is a path in a backup',
  (path) => {
    expect(isSafePath(path)).toBe(true);
  },
);
