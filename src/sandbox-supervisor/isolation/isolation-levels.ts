// The isolation layers of a host by name, and the isolation level that they reach together.

/** Whether each layer is active. */
export type IsolationLayers = Readonly<Record<string, boolean>>;

/** The layers that each level needs, besides those of the levels below. */
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

/** The layers that the server put around a host, and those that the host reported in its `ready` message. */
export function activeLayers(outer: IsolationLayers, reported: IsolationLayers): IsolationLayers {
  const names = [...new Set([...Object.keys(outer), ...Object.keys(reported)])].sort();
  const isOuter = (name: string) => Object.hasOwn(outer, name) && outer[name] === true;
  const isReported = (name: string) => Object.hasOwn(reported, name) && reported[name] === true;
  return Object.fromEntries(
    // The flags ask for the permission model; only the host knows whether it is active.
    names.map((name) => [
      name,
      name === 'permissions' ? isReported(name) : isOuter(name) || isReported(name),
    ]),
  );
}

/** 0 to 3: the highest level that has all its layers, and so do all levels below. */
export function isolationLevel(layers: IsolationLayers): number {
  const failing = LEVELS.findIndex((names) => names.some((name) => layers[name] !== true));
  return failing < 0 ? LEVELS.length : failing;
}

/** What the next level needs beside these layers, in words; empty at the highest level. */
export function missingForNextLevel(layers: IsolationLayers): readonly string[] {
  const next = LEVELS[isolationLevel(layers)] ?? [];
  return next.filter((name) => layers[name] !== true).map((name) => LAYER_DESCRIPTIONS[name] ?? name);
}

/** Why hosts with these layers are below the minimum level (0 accepts all); undefined when they are not. */
export function checkIsolationLevel(minimum: number, layers: IsolationLayers): string | undefined {
  if (minimum <= 0) return undefined;
  if (layers['reviewedBinding'] !== true) return 'the binary of isolated-vm is not one that was reviewed';
  const level = isolationLevel(layers);
  if (level >= minimum) return undefined;
  const missing = LEVELS.slice(0, minimum)
    .flat()
    .filter((name) => layers[name] !== true)
    .map((name) => LAYER_DESCRIPTIONS[name] ?? name);
  return `sandbox.minimumLevel is ${minimum}, this machine reaches ${level}; missing: ${missing.join(', ')}`;
}
