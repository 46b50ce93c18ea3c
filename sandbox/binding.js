// Which file of isolated-vm is loaded, and whether it is the one that was reviewed. Loads nothing itself.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** SHA-256 of every prebuilt binary of isolated-vm 7.0.1 for Node 26 (ABI 147). */
const PINNED = new Map([
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

function fileName() {
  const abi = `isolated-vm.abi${process.versions.modules}`;
  if (process.platform !== 'linux') return `${abi}.node`;
  return `${abi}.${existsSync('/etc/alpine-release') ? 'musl' : 'glibc'}.node`;
}

/**
 * Absolute path of the binary for this machine. The server asks and hands the path to the host as its first argument: the
 * host may read that file, but not look around for it.
 * @param {URL} root folder of the package that depends on isolated-vm
 */
export function bindingPath(root) {
  const manifest = createRequire(new URL('package.json', root)).resolve('isolated-vm/package.json');
  return join(dirname(manifest), 'prebuilds', `${process.platform}-${process.arch}`, fileName());
}

/** @param {string} path */
export function bindingSha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/**
 * Whether the file is, byte for byte, one that was reviewed.
 * @param {string} path
 */
export function isPinned(path) {
  return PINNED.get(`${basename(dirname(path))}/${basename(path)}`) === bindingSha256(path);
}
