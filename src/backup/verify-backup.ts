// Verifies a backup against its manifest before anything is done with it: nothing but the files that the manifest names, each with
// its size and checksum.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOf, walkStrictly } from './copy.ts';
import { MARKER_FILE } from './incomplete.ts';
import { type BackupFile, backupError, MANIFEST_FILE, type Manifest, readManifest } from './manifest.ts';
import type { BackupWatch } from './media-files.ts';

/** Sizes first: they are known at once. */
async function assertSameNames(folder: string, { files }: Manifest): Promise<void> {
  const expected = new Map(files.map((file) => [file.path, file]));
  for await (const path of walkStrictly(folder)) {
    // The process was killed between the two: the manifest is written last.
    if (path === MANIFEST_FILE || path === MARKER_FILE) continue;
    const file = expected.get(path);
    if (file === undefined) throw backupError(`${path} is not in the manifest`);
    const { size } = await lstat(join(folder, path));
    if (size !== file.size) throw backupError(`${path} has ${size} bytes; the manifest says ${file.size}`);
    expected.delete(path);
  }
  const [missing] = expected.keys();
  if (missing !== undefined) throw backupError(`${missing} is missing`);
}

/** Throws CONFIGURATION_INVALID where a file is not what the manifest says. */
export function assertContent(file: BackupFile, { size, sha256 }: { size: number; sha256: string }): void {
  if (size !== file.size || sha256 !== file.sha256)
    throw backupError(`${file.path} is not what was backed up: its checksum differs`);
}

export interface VerifyWatch extends BackupWatch {
  /** Bytes of all files, once they are known. */
  readonly onTotal: (bytes: number) => void;
}

/** Reads the whole backup. Rejects with CONFIGURATION_INVALID, which names the first file that is not as it was written. */
export async function verifyBackup(
  folder: string,
  { signal, onTotal, onProgress }: VerifyWatch,
): Promise<Manifest> {
  const manifest = await readManifest(folder);
  await assertSameNames(folder, manifest);
  onTotal(manifest.files.reduce((sum, { size }) => sum + size, 0));
  let [files, bytes] = [0, 0];
  for (const file of manifest.files) {
    assertContent(file, await contentOf(join(folder, file.path), { signal }));
    files += 1;
    bytes += file.size;
    onProgress(files, bytes);
  }
  return manifest;
}
