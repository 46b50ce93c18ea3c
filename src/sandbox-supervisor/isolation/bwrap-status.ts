// Talking to bubblewrap while it starts a host.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

interface BwrapPipes {
  readonly filter: Socket | undefined;
  readonly status: Socket | undefined;
}

const MAX_STATUS_CHARACTERS = 4096;

/** The host is the only child of the first process in its namespace, whose pid bubblewrap prints as `{"child-pid": …}`. */
function hostPid(status: string): number | undefined {
  const first = /"child-pid":\s*(\d{1,10})/.exec(status)?.[1];
  if (first === undefined) return undefined;
  try {
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8');
    return Number.parseInt(children, 10) || undefined;
  } catch {
    return undefined;
  }
}

/** Hands bubblewrap the filter of system calls. The result says, once that is known, which process of this machine the host is. */
export function watchBwrap(
  { filter, status }: BwrapPipes,
  program: Uint8Array | null,
): () => number | undefined {
  for (const stream of [filter, status]) {
    // It may be gone before it has read: then its exit says so.
    stream?.on('error', () => undefined);
    stream?.unref();
  }
  filter?.end(program ?? '');
  let printed = '';
  status?.on('data', (chunk: Buffer) => {
    if (printed.length < MAX_STATUS_CHARACTERS) printed += chunk.toString();
  });
  let pid: number | undefined;
  return () => {
    pid ??= hostPid(printed);
    return pid;
  };
}
