// Reads by id that reach one collection in the same turn of the event loop are sent as one query: most of what a read costs,
// here and on the server, is the command. Each remains a read of its own, which succeeds or fails by itself.
import { StoreError } from '../../../errors/errors.ts';
import { type DocumentStore, type Namespace, namespaceKey, type OperationOptions } from '../../ports.ts';
import { createTurnGroups } from '../connection/turn-groups.ts';
import { MAX_EXPANDED_VALUES } from '../filters/value-conditions.ts';

/** Ids of one query: the collection is probed for values of non-JSON types before longer lists. */
export const MAX_GROUPED_IDS = MAX_EXPANDED_VALUES;

interface Member {
  readonly ns: Namespace;
  readonly id: string;
  /** The deadline. */
  readonly limitMs: number | undefined;
  /** Takes the text of the document; undefined if it must be read alone. */
  readonly settle: (text: string | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Finds the document of an id together with others. Resolves with undefined if it must be read alone: because no other
 * read came along, or because the group did not find it, which may have reasons that are none of this document's.
 * Rejects if the server is not available, or time is up.
 */
export type FindWithOthers = (
  ns: Namespace,
  id: string,
  options: OperationOptions,
) => Promise<string | undefined>;

interface LookupGroupsDeps {
  /** Reads whole documents. */
  readonly findByIds: DocumentStore['findByIds'];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Creates the groups of one store. */
export function createLookupGroups(deps: LookupGroupsDeps): FindWithOthers {
  const add = createTurnGroups<string, Member>({
    fits: (members) => members.length < MAX_GROUPED_IDS,
    send: (_, members) => sendGroup(members, deps),
  });
  return (ns, id, { deadline }) =>
    new Promise((settle, fail) => {
      add(namespaceKey(ns), { ns, id, limitMs: deadline, settle, fail });
    });
}

/** Sends a group, and tells each member its outcome. */
async function sendGroup(members: readonly Member[], { findByIds, now }: LookupGroupsDeps): Promise<void> {
  const [{ ns, limitMs: deadline, settle: settleFirst }] = members as [Member];
  if (members.length === 1) return settleFirst(undefined);
  const ids = [...new Set(members.map(({ id }) => id))];
  try {
    const texts = await findByIds(ns, ids, deadline === undefined ? {} : { deadline });
    for (const { id, settle } of members) settle(texts.get(id));
  } catch (error) {
    for (const member of members) {
      if (isErrorOf(member, error, now())) member.fail(error);
      else member.settle(undefined);
    }
  }
}

/** Whether a read of its own would have had the error of the group: its time is up too, or the server is away. */
function isErrorOf({ limitMs: deadline }: Member, error: unknown, now: number): boolean {
  if (!(error instanceof StoreError)) return false;
  if (error.reason === 'timeout') return deadline === undefined || now >= deadline;
  return error.reason === 'unavailable';
}
