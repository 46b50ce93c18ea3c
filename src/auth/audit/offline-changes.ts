// Audits files that changed while no server ran: a start compares them with the audit log and records the differences before it
// serves requests.
import type { Filter } from '../../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import type { Audit } from './audit.ts';
import type { AuditAction, AuditEntry } from './audit-entry.ts';
import type { AuditLogger } from './audit-head.ts';

const STATE_NAMESPACE: Namespace = { database: null, collection: 'cloister.auditFiles' };
const ID = '0'.repeat(24);
const PAGE_SIZE = 1000;
/** Entries of one commit. */
const MAX_ENTRIES = 100;

/** An audited file. Its entries have the action `<what>.found`. */
interface AuditedFile {
  readonly what: 'specification' | 'configuration' | 'endpoint.policy' | 'hook.policy';
  readonly target: string;
}

/** A file with the SHA-256 of its text. */
export interface AuditedFileState extends AuditedFile {
  readonly hash: string;
}

interface AuditOfflineChangesDeps {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  readonly audit: Pick<Audit, 'read' | 'record'>;
  /** The current state of every audited file. */
  readonly files: () => Promise<readonly AuditedFileState[]>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
  readonly log: AuditLogger;
}

type State = Map<string, string>;

const nameOf = ({ what, target }: AuditedFile) => `${what} ${target}`;

function fileOf(name: string): AuditedFile {
  const end = name.indexOf(' ');
  return { what: name.slice(0, end) as AuditedFile['what'], target: name.slice(end + 1) };
}

const WHOLE = /^(?<what>specification|configuration|(?:endpoint|hook)\.policy)(?:\.[a-z]+)?$/;
const CODE = /^(?<kind>endpoint|hook)\.(?<done>approve|remove)$/;

/** The file that an action changed, and its hash afterwards; undefined for actions about other things. */
function changeBy({
  action,
  target,
  after,
  policy,
}: Omit<AuditAction, 'actor'>): readonly [string, string | null] | undefined {
  const what = WHOLE.exec(action)?.groups?.['what'];
  if (what !== undefined) return [`${what} ${target}`, after];
  const { kind, done } = CODE.exec(action)?.groups ?? {};
  if (kind === undefined) return undefined;
  const name = `${kind}.policy ${target}`;
  if (done === 'remove') return [name, null];
  return policy === undefined ? undefined : [name, policy.after];
}

const FAILED = '.failed';

/** Applies entries to the state of the files. A failed change is reverted. */
function createFollower(state: State) {
  const earlier = new Map<string, string | undefined>();
  const set = (name: string, hash: string | undefined) => {
    if (hash === undefined) state.delete(name);
    else state.set(name, hash);
  };
  return (entry: AuditEntry): void => {
    const isFailed = entry.action.endsWith(FAILED);
    const action = isFailed ? entry.action.slice(0, -FAILED.length) : entry.action;
    const [name, hash] = changeBy({ ...entry, action }) ?? [];
    if (name === undefined) return;
    const last = state.get(name);
    set(name, isFailed ? (earlier.get(name) ?? entry.before ?? undefined) : (hash ?? undefined));
    earlier.set(name, last);
  };
}

/** Saved from one start to the next, so that no start reads the whole log. */
interface SavedState {
  /** Number of the newest entry that `state` includes. */
  readonly seq: number;
  readonly state: State;
  readonly v: number;
}

function parseSavedState(document: StoredDocument): SavedState {
  const { seq, files, v } = document as unknown as {
    seq: number;
    files: readonly { readonly name: string; readonly hash: string }[];
    v: number;
  };
  return { seq, v, state: new Map(files.map(({ name, hash }) => [name, hash])) };
}

function writeOf(known: SavedState | undefined, seq: number, found: State): Write {
  const files = [...found].map(([name, hash]) => ({ name, hash }));
  const document = { _id: ID, v: (known?.v ?? 0) + 1, seq, files };
  if (known === undefined) return { kind: 'insert', ns: STATE_NAMESPACE, document };
  return { kind: 'update', ns: STATE_NAMESPACE, id: ID, v: known.v, document, changed: ['seq', 'files'] };
}

/**
 * Records each file that differs from the log and from the last start. The first start accepts files that the log does not
 * mention. Rejects with the store's StoreError.
 */
export async function auditOfflineChanges({
  store,
  audit,
  files,
  now,
  queryMs,
  log,
}: AuditOfflineChangesDeps): Promise<void> {
  const timely = () => ({ deadline: now() + queryMs });
  const own: Filter = { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: ID }] };
  const [document] = await store.find(
    STATE_NAMESPACE,
    { filter: own, sort: [], skip: 0, limit: 1 },
    timely(),
  );
  const known = document === undefined ? undefined : parseSavedState(document);
  const state: State = new Map(known?.state);
  const follow = createFollower(state);
  let seq = known?.seq ?? 0;
  const catchUp = async () => {
    for (;;) {
      const page = await audit.read(seq, PAGE_SIZE, timely());
      for (const entry of page) follow(entry);
      seq = page.at(-1)?.seq ?? seq;
      if (page.length < PAGE_SIZE) return;
    }
  };
  await catchUp();
  const audited = new Set(state.keys());
  const found: State = new Map((await files()).map((file) => [nameOf(file), file.hash]));
  const names = [...new Set([...audited, ...found.keys()])].filter(
    (name) => known !== undefined || audited.has(name),
  );
  const actions = names
    .filter((name) => state.get(name) !== found.get(name))
    .map((name): AuditAction => {
      const { what, target } = fileOf(name);
      const hashes = { before: state.get(name) ?? null, after: found.get(name) ?? null };
      return { actor: null, action: `${what}.found`, target, ...hashes };
    });
  for (let from = 0; from < actions.length; from += MAX_ENTRIES) {
    await audit.record(actions.slice(from, from + MAX_ENTRIES));
  }
  if (known === undefined || actions.length > 0 || seq !== known.seq) {
    await catchUp();
    const written = store.commit([writeOf(known, seq, found)], timely());
    await written.catch((error) =>
      log.error({ err: error }, 'cannot save the position in the audit log; the next start reads more of it'),
    );
  }
}
