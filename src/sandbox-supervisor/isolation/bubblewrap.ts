// The command line of bubblewrap: a machine of nothing but Node, for one host.

interface BwrapOptions {
  /** Absolute paths, all that is to be seen, read-only. */
  readonly files: readonly string[];
  /** Descriptor from which the filter of system calls is read, if there is one for this machine. */
  readonly filter: number | undefined;
  /** Descriptor to which the pid is written. */
  readonly status: number;
}

/** Libraries of the running Node, by the names under which a start of it looks for them. */
export function nodeLibraryPaths(): string[] {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const before = report.excludeNetwork;
  // Asking for the network would look up names of hosts.
  report.excludeNetwork = true;
  const { sharedObjects } = report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
  report.excludeNetwork = before;
  return sharedObjects.filter((path) => path.startsWith('/') && !path.endsWith('.node'));
}

/**
 * Arguments of `bwrap` before the command. There is no `/proc` and no `/dev` in the cage: Node does without, and many
 * containers do not allow to mount them.
 */
export function bwrapArguments({ files, filter, status }: BwrapOptions): string[] {
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--clearenv', '--setenv', 'PWD', '/'],
    ...files.flatMap((file) => ['--ro-bind', file, file]),
    ...['--remount-ro', '/', '--chdir', '/'],
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    ...['--json-status-fd', String(status), '--'],
  ];
}
