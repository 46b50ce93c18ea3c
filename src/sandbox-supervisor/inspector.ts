// Compiles and evaluates posted code once, before it is accepted, in hosts of its own: the code may do anything.
import type { Inspection, ModuleKind } from '../../sandbox/protocol.ts';
import { AppError } from '../errors/errors.ts';
import { type Host, inspectionDomain } from './host.ts';
import { LOAD_MS } from './host-contents.ts';
import { SLOW_INSPECTION } from './host-exit.ts';
import type { HostPool } from './host-pool.ts';
import type { InspectedMessage } from './protocol/host-messages.ts';

interface InspectorDeps {
  readonly pool: Pick<HostPool, 'acquire' | 'kill' | 'isBroken' | 'keepSpare'>;
  readonly now: () => number;
}

export interface Inspector {
  /** `author`: whose code it is, null for files. */
  inspect(source: string, kind: ModuleKind, author: string | null): Promise<Inspection>;
  /** Accepts a result; false when this host was not sent that inspection. */
  onInspected(host: Host, message: InspectedMessage): boolean;
  onHostReady(host: Host): void;
  onHostExit(host: Host): void;
  /** Sends the next inspection if a host is available. */
  next(): void;
  close(): void;
}

interface QueuedInspection {
  readonly source: string;
  readonly kind: ModuleKind;
  readonly author: string | null;
  readonly resolve: (inspection: Inspection) => void;
  readonly reject: (error: AppError) => void;
  attempts: number;
}

const HEAP_MB = 64;
/** The load limit, and time to compile: no timeout but this one stops a compiler. */
const TIMEOUT_MS = 2000;
const MAX_WAITING = 2000;
/** A host may be killed through no fault of the code; hardly twice. */
const MAX_ATTEMPTS = 2;
const RETRY_AFTER_SECONDS = 2;

const disabled = () => new AppError('SANDBOX_DISABLED', { retryAfter: RETRY_AFTER_SECONDS });

function loadError(message: string): Inspection {
  return { ok: false, code: 'ENDPOINT_LOAD', message, line: null, column: null };
}

/**
 * Creates the inspector. It inspects one module at a time. A compromised host could lie about the code that it inspects next:
 * it gets that of one author only, and is killed within a second of being idle.
 */
export function createInspector({ pool, now }: InspectorDeps): Inspector {
  const queue: QueuedInspection[] = [];
  let current: { readonly host: Host; readonly inspection: QueuedInspection } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastId = 0;
  let hasTimedOut = false;
  let isClosed = false;

  const rejectAll = () => {
    for (const { reject } of queue.splice(0)) reject(disabled());
  };

  const startTimer = (host: Host) => {
    hasTimedOut = false;
    timer = setTimeout(() => {
      hasTimedOut = true;
      pool.kill(host, SLOW_INSPECTION);
    }, TIMEOUT_MS);
  };

  const next = () => {
    const inspection = queue[0];
    if (current !== undefined || inspection === undefined) return;
    if (isClosed) return rejectAll();
    const host = pool.acquire(inspectionDomain(inspection.author));
    if (host === null) {
      // Not before trying: nothing else may ever start the host that shows that they come up again.
      if (pool.isBroken()) rejectAll();
      return;
    }
    queue.shift();
    current = { host, inspection };
    lastId += 1;
    const { source, kind } = inspection;
    host.sendInspection({ t: 'inspect', id: lastId, kind, loadMs: LOAD_MS, heapMb: HEAP_MB }, source);
    if (host.state === 'ready') startTimer(host);
    pool.keepSpare();
  };

  const finish = (host: Host) => {
    clearTimeout(timer);
    timer = undefined;
    host.endInspection(now());
    current = undefined;
  };

  /** Its host exited: the code is to blame if it took too long, or if it happens again. */
  const retryOrFail = (inspection: QueuedInspection) => {
    inspection.attempts += 1;
    if (hasTimedOut) inspection.resolve(loadError('The module takes too long to load'));
    else if (inspection.attempts < MAX_ATTEMPTS) queue.unshift(inspection);
    else inspection.resolve(loadError('The module cannot be loaded: it ends the process that loads it'));
  };

  return {
    inspect: (source, kind, author) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(disabled());
        if (queue.length >= MAX_WAITING)
          return reject(new AppError('ENDPOINT_BUSY', { retryAfter: RETRY_AFTER_SECONDS }));
        queue.push({ source, kind, author, resolve, reject, attempts: 0 });
        next();
      }),
    onInspected(host, { id, inspection: result }) {
      if (current?.host !== host || id !== lastId) return false;
      const { inspection } = current;
      finish(host);
      inspection.resolve(result);
      next();
      return true;
    },
    onHostReady(host) {
      if (current?.host === host) startTimer(host);
    },
    onHostExit(host) {
      if (current?.host !== host) return;
      const { inspection } = current;
      const wasStarting = timer === undefined;
      finish(host);
      if (wasStarting) queue.unshift(inspection);
      else retryOrFail(inspection);
      next();
    },
    next,
    close() {
      isClosed = true;
      rejectAll();
    },
  };
}
