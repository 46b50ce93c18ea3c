// The files of the sandbox folder: shipped as they are, read and run by hosts, never imported when the server is built.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the server itself uses of that folder. It computes and reads; it does not load isolated-vm. */
export interface SandboxFiles {
  /** Absolute path of the binary of isolated-vm for this machine. */
  readonly binding: string;
  /** Whether that is a binary that was reviewed. */
  readonly pinned: boolean;
  /** System call filter for the whole life of a host; null where none is known. */
  readonly startFilter: Uint8Array | null;
  /** Absolute paths of all scripts. */
  readonly scripts: readonly string[];
  /** Absolute path of one of them. */
  script(name: string): string;
}

interface Modules {
  bindingPath(root: URL): string;
  isPinned(path: string): boolean;
  startFilter(arch: string): Uint8Array | null;
}

/** `root` is the folder of the package. */
export async function readSandboxFiles(root: URL): Promise<SandboxFiles> {
  const folder = new URL('sandbox/', root);
  const [binding, seccomp] = (await Promise.all(
    ['binding.js', 'seccomp.js'].map((name) => import(new URL(name, folder).href)),
  )) as [Modules, Modules];
  const path = binding.bindingPath(root);
  const script = (name: string) => fileURLToPath(new URL(name, folder));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return {
    binding: path,
    pinned: binding.isPinned(path),
    startFilter: seccomp.startFilter(process.arch),
    scripts: names.filter((name) => /\.(?:js|json)$/.test(name)).map(script),
    script,
  };
}
