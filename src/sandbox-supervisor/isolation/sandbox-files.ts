// The files of the sandbox folder: shipped as they are, read and run by hosts, never imported when the server is built.
import { readdirSync, realpathSync } from 'node:fs';

/** What the server itself uses of that folder. It computes and reads; it does not load isolated-vm. */
export interface SandboxFiles {
  /** Absolute path of the binary of isolated-vm for this machine. */
  readonly binding: string;
  /** Whether that is a binary that was reviewed. */
  readonly reviewed: boolean;
  /** Paths of the libraries of the running Node, as its loader looks for them. */
  readonly nodeLibraries: readonly string[];
  /** System call filter for the whole life of a host; null where none is known. */
  readonly startFilter: Uint8Array | null;
  /** Absolute path of the folder: nothing in it is secret, and hosts may read all of it. */
  readonly folder: string;
  /** Absolute paths of all that hosts read from it. */
  readonly scripts: readonly string[];
  /** Absolute path of one of them. */
  script(name: string): string;
}

interface ProcessReport {
  readonly sharedObjects: readonly string[];
}

interface BindingModule {
  bindingPath(root: URL, report: ProcessReport): string;
  isReviewed(path: string): boolean;
  processReport(): ProcessReport;
}

interface SeccompModule {
  startFilter(arch: string): Uint8Array | null;
}

/** `root` is the folder of the package. */
export async function readSandboxFiles(root: URL): Promise<SandboxFiles> {
  const folder = new URL('sandbox/', root);
  const binding = (await import(new URL('binding.js', folder).href)) as BindingModule;
  const seccomp = (await import(new URL('seccomp.js', folder).href)) as SeccompModule;
  const report = binding.processReport();
  // Node follows links before it asks for permission.
  const path = realpathSync(binding.bindingPath(root, report));
  const script = (name: string) => realpathSync(new URL(name, folder));
  const isLibrary = (name: string) => name.startsWith('/') && !name.endsWith('.node');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return {
    binding: path,
    reviewed: binding.isReviewed(path),
    nodeLibraries: report.sharedObjects.filter(isLibrary),
    startFilter: seccomp.startFilter(process.arch),
    folder: realpathSync(folder),
    scripts: names.filter((name) => /\.(?:js|json)$/.test(name)).map(script),
    script,
  };
}
