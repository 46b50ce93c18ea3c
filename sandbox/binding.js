// Where the compiled part of isolated-vm lies for this machine, and whether it is the file that was reviewed.
// Loads nothing: the server asks too, and it never loads it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** SHA-256 of the prebuilt files of isolated-vm 7.0.1 for Node 26 (ABI 147). The packed command ships them all. */
export const REVIEWED = new Map([
  [
    'darwin-arm64/isolated-vm.abi147.node',
    '81f4f01b89120559f57fba8b4e29a8a3cbcb9d1951b4869441553a54e0dc5f51',
  ],
  [
    'linux-arm64/isolated-vm.abi147.glibc.node',
    'db97c5ebbb4484cda2820b93f8b92139bb8f96ef36768251456fb833c2d5ca08',
  ],
  [
    'linux-arm64/isolated-vm.abi147.musl.node',
    'da6f1363824050fd49c51457a762c3a0ce12135a653197da19f20bd2d8c2b024',
  ],
  [
    'linux-x64/isolated-vm.abi147.glibc.node',
    '755ab3645906e224a70a7b8c975b0b0bee7a249d89e4fb54dd2993819be195c9',
  ],
  [
    'linux-x64/isolated-vm.abi147.musl.node',
    '41dd9d63868631c534066b4626bb818f59a4fc7c1d58ff33b9e759c49feb8cb9',
  ],
  ['win32-x64/isolated-vm.abi147.node', '584b153f14e7cd0950e72291661fe7229a8ba59c00cca0621e2e8b3abb111cd1'],
]);

/**
 * What Node reports about this process. Without its network: Node would make DNS queries for all of its connections, and wait for
 * the answers.
 * @returns {{ readonly header: { readonly glibcVersionRuntime?: string }, readonly sharedObjects: readonly string[] }}
 */
export function processReport() {
  const report = /** @type {typeof process.report & { excludeNetwork: boolean }} */ (process.report);
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  try {
    return /** @type {any} */ (report.getReport());
  } finally {
    report.excludeNetwork = before;
  }
}

/**
 * `.glibc` or `.musl` on Linux, as the files are named; elsewhere nothing.
 * @param {ReturnType<typeof processReport>} report
 */
function libc({ header }) {
  if (process.platform !== 'linux') return '';
  return header.glibcVersionRuntime === undefined ? '.musl' : '.glibc';
}

/**
 * `linux-x64/isolated-vm.abi147.glibc.node` and the like.
 * @param {ReturnType<typeof processReport>} report
 */
function fileName(report) {
  const { platform, arch, versions } = process;
  return `${platform}-${arch}/isolated-vm.abi${versions.modules}${libc(report)}.node`;
}

/** Where they lie below the package: in a checkout as npm installed them, else as they were packed. */
const FOLDERS = ['node_modules/isolated-vm/prebuilds/', 'prebuilds/'];

/**
 * Absolute path of the prebuilt file for this platform, processor, Node version and C library.
 * A host is told the path when it is started: it may read that file, but not look around for it.
 * @param {URL} root folder of the package, with a slash at its end
 * @param {ReturnType<typeof processReport>} report made here unless the caller has one: it takes some milliseconds
 */
export function bindingPath(root, report = processReport()) {
  const name = fileName(report);
  const found = FOLDERS.map((folder) => new URL(folder + name, root)).find((url) => existsSync(url));
  if (found === undefined) throw new Error('isolated-vm is not installed for this machine');
  return fileURLToPath(found);
}

/**
 * SHA-256 of a file, in hexadecimal.
 * @param {string} path
 */
function bindingSha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/**
 * Whether the file is, byte for byte, one that was reviewed.
 * @param {string} path
 */
export function isReviewed(path) {
  return REVIEWED.get(path.split(sep).slice(-2).join('/')) === bindingSha256(path);
}
