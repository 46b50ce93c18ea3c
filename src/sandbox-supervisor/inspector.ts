// Has posted code compiled and evaluated once, before it is accepted. In hosts of its own: the code may be anything.
import type { Inspection, ModuleKind } from '../../sandbox/protocol.ts';
import { AppError } from '../errors.ts';
import { SLOW_INSPECTION } from './exit-causes.ts';
import { LOAD_MS } from './host.ts';
import type { HostPool, InspectedMessage } from './host-pool.ts';
import { inspectionDomain } from './inspection-domain.ts';
import type { Host } from './state.ts';

interface InspectorDeps {
  readonly pool: Pick<HostPool, 'take' | 'kill' | 'isBroken' | 'keepSpare'>;
  readonly now: () => number;
}

export interface Inspector {
  /** `by`: whose code it is, null for files. */
  inspect(source: string, kind: ModuleKind, by: string | null): Promise<Inspection>;
  /** Takes in a result; false when this host was not asked for it. */
  inspected(host: Host, message: InspectedMessage): boolean;
  ready(host: Host): void;
  fell(host: Host): void;
  /** There may be a host now. */
  next(): void;
  close(): void;
}

interface Waiting {
  readonly source: string;
  readonly kind: ModuleKind;
  readonly by: string | null;
  readonly resolve: (inspection: Inspection) => void;
  readonly reject: (error: AppError) => void;
  attempts: number;
}

const HEAP_MB = 64;
/** The load limit, and time to compile: no clock but this one stops a compiler. */
const DEADLINE_MS = 2000;
const MAX_QUEUED_INSPECTIONS = 2000;
/** A host may be killed by somebody who is not to blame; hardly twice. */
const MAX_ATTEMPTS = 2;

function refusal(message: string): Inspection {
  return { ok: false, code: 'ENDPOINT_LOAD', message, line: null, column: null };
}

/**
 * One at a time. A host that was taken over could lie about the code that it inspects next: it sees that of one author, and
 * goes within a second of having nothing to do.
 */
export function createInspector({ pool, now }: InspectorDeps): Inspector {
  const queue: Waiting[] = [];
  let current: { readonly host: Host; readonly waiting: Waiting } | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let lastId = 0;
  let isOverdue = false;
  let isClosed = false;

  const refuseAll = () => {
    for (const { reject } of queue.splice(0)) reject(new AppError('SANDBOX_DISABLED', { retryAfter: 2 }));
  };

  const arm = (host: Host) => {
    isOverdue = false;
    deadline = setTimeout(() => {
      isOverdue = true;
      pool.kill(host, SLOW_INSPECTION);
    }, DEADLINE_MS);
  };

  const next = () => {
    const [waiting] = queue;
    if (current !== undefined || waiting === undefined) return;
    if (isClosed || pool.isBroken()) return refuseAll();
    const host = pool.take(inspectionDomain(waiting.by));
    if (host === null) return;
    queue.shift();
    current = { host, waiting };
    host.inspecting = true;
    lastId += 1;
    const { source, kind } = waiting;
    const bounds = { kind, loadMs: LOAD_MS, heapMb: HEAP_MB };
    host.link.send({ t: 'inspect', id: lastId, ...bounds }, [source], Buffer.byteLength(source));
    if (host.state === 'ready') arm(host);
    pool.keepSpare();
  };

  const finish = () => {
    clearTimeout(deadline);
    deadline = undefined;
    if (current !== undefined) current.host.inspecting = false;
    current = undefined;
  };

  /** Its host died: the code is to blame if it took too long, or if it happens again. */
  const failed = (waiting: Waiting) => {
    waiting.attempts += 1;
    if (isOverdue) waiting.resolve(refusal('The module takes too long to load'));
    else if (waiting.attempts < MAX_ATTEMPTS) queue.unshift(waiting);
    else waiting.resolve(refusal('The module cannot be loaded: it ends the process that loads it'));
  };

  return {
    inspect: (source, kind, by) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new AppError('SANDBOX_DISABLED', { retryAfter: 2 }));
        if (queue.length >= MAX_QUEUED_INSPECTIONS)
          return reject(new AppError('ENDPOINT_BUSY', { retryAfter: 2 }));
        queue.push({ source, kind, by, resolve, reject, attempts: 0 });
        next();
      }),
    inspected(host, { id, inspection }) {
      if (current?.host !== host || id !== lastId) return false;
      const { waiting } = current;
      finish();
      host.idleSince = now();
      waiting.resolve(inspection);
      next();
      return true;
    },
    ready(host) {
      if (current?.host === host) arm(host);
    },
    fell(host) {
      if (current?.host !== host) return;
      const { waiting } = current;
      const wasStarting = deadline === undefined;
      finish();
      if (wasStarting) queue.unshift(waiting);
      else failed(waiting);
      next();
    },
    next,
    close() {
      isClosed = true;
      refuseAll();
    },
  };
}
