// The flags under which a host's Node runs.

interface FlagOptions {
  /** Whether guests get the just-in-time compiler: only in trust domains that the operator named. */
  readonly jit: boolean;
  /** Absolute paths, all that the host may read. */
  readonly readable: readonly string[];
}

const ALWAYS = [
  // isolated-vm demands it: isolates of its own and Node's start-up snapshot do not go together.
  '--no-node-snapshot',
  // Reaches the guests: without it, private fields can be stamped on frozen shared objects.
  '--js-nonextensible-applies-to-private',
  // These are for the host's own realm and do not reach guests.
  '--disable-proto=delete',
  '--disallow-code-generation-from-strings',
  '--max-old-space-size=64',
  '--no-warnings',
  // A signal must never open the inspector.
  '--disable-sigusr1',
  // Node denies files, network, children, workers and inspector. Addons and FFI are given up once the host is locked.
  '--permission',
  '--allow-addons',
  '--allow-ffi',
];

/** Arguments of `node` before the name of the script. `--frozen-intrinsics` is left out: 25 ms at each start, no effect on guests. */
export function nodeFlags({ jit, readable }: FlagOptions): string[] {
  return [...ALWAYS, ...(jit ? [] : ['--jitless']), ...readable.map((path) => `--allow-fs-read=${path}`)];
}
