// The walls around a host by name, and the level that they make together.

export type IsolationLayers = Readonly<Record<string, boolean>>;

/** What each level adds to the one below; all of it is needed. */
const LEVELS: readonly (readonly string[])[] = [
  ['emptyEnvironment', 'permissions', 'jitless', 'limits', 'memoryLimit'],
  ['namespaces', 'startFilter'],
  ['selfLock'],
];

const LAYER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  emptyEnvironment: 'an empty environment',
  permissions: "Node's permission model",
  jitless: 'no just-in-time compiler',
  limits: 'kernel limits (ulimit)',
  memoryLimit: 'a kernel limit of memory (RLIMIT_DATA)',
  namespaces: 'namespaces (bubblewrap)',
  startFilter: 'a system call filter from the start (bubblewrap, x64 or arm64)',
  selfLock: "the host's lock on itself (seccomp through node:ffi)",
};

/** The walls that the server has built around a host, and those that the host then put up within (`ready`). */
export function activeLayers(around: IsolationLayers, within: IsolationLayers): IsolationLayers {
  const names = [...new Set([...Object.keys(around), ...Object.keys(within)])].sort();
  const held = (name: string) => Object.hasOwn(around, name) && around[name] === true;
  const added = (name: string) => Object.hasOwn(within, name) && within[name] === true;
  return Object.fromEntries(
    // The flags ask for the permission model; only the host knows whether it refuses.
    names.map((name) => [name, name === 'permissions' ? added(name) : held(name) || added(name)]),
  );
}

/** 0 to 3: the highest level of which, and of all below, nothing is missing. */
export function isolationLevel(walls: IsolationLayers): number {
  const failing = LEVELS.findIndex((names) => names.some((name) => walls[name] !== true));
  return failing < 0 ? LEVELS.length : failing;
}

/** Why hosts within these walls must not be used where `minimum` is demanded (0 demands nothing); undefined when they may. */
export function checkIsolationLevel(minimum: number, walls: IsolationLayers): string | undefined {
  if (minimum <= 0) return undefined;
  if (walls['reviewedBinding'] !== true) return 'the binary of isolated-vm is not one that was reviewed';
  const level = isolationLevel(walls);
  if (level >= minimum) return undefined;
  const missing = LEVELS.slice(0, minimum)
    .flat()
    .filter((name) => walls[name] !== true)
    .map((name) => LAYER_DESCRIPTIONS[name] ?? name);
  return `sandbox.minimumLevel is ${minimum}, this machine reaches ${level}; missing: ${missing.join(', ')}`;
}
