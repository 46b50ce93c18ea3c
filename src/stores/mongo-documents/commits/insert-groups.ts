// Group commit: single inserts that reach one collection in the same turn of the event loop are sent as one command. Each
// remains a commit of its own: it succeeds or fails by itself.
import {
  BSON,
  type Collection,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoWriteConcernError,
} from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { Write } from '../../ports.ts';
import { toBson } from '../bson/bson-conversion.ts';
import { isUnappliedWrite } from '../connection/errors.ts';
import { createTurnGroups } from '../connection/turn-groups.ts';
import type { OperationScope } from '../connection/types.ts';
import { MAX_BATCH, sizeOf } from './write-operations.ts';

type Insert = Extract<Write, { kind: 'insert' }>;

interface Member {
  readonly scope: OperationScope;
  readonly write: Insert;
  /** Characters of the document. */
  readonly size: number;
  readonly limitMs: number | undefined;
  /** Takes whether the document was inserted; false if it must be inserted alone. */
  readonly settle: (isInserted: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Inserts the document together with others. Resolves with true once it is durable, with false if it was not inserted and
 * must be sent alone: because no other came along, or because the server rejected it, whose reasons only a command of its
 * own tells in full. Rejects if the outcome is unknown, or the same for all.
 */
export type InsertWithOthers = (scope: OperationScope, write: Insert) => Promise<boolean>;

/** Creates the groups of one store. */
export function createInsertGroups(): InsertWithOthers {
  const add = createTurnGroups<Collection, Member>({ fits, send: sendGroup });
  return (scope, write) =>
    new Promise((settle, fail) => {
      const member = { scope, write, size: sizeOf(write), limitMs: scope.remainingMs(), settle, fail };
      add(scope.collection(write.ns), member);
    });
}

function fits(members: readonly Member[], more: Member): boolean {
  const size = members.reduce((sum, one) => sum + one.size, more.size);
  return members.length < MAX_BATCH.count && size <= MAX_BATCH.size;
}

/** Sends a group, and tells each member its outcome. */
async function sendGroup(collection: Collection, members: readonly Member[]): Promise<void> {
  const [{ scope, settle }] = members as [Member];
  if (members.length === 1) return settle(false);
  try {
    const session = scope.session();
    const documents = members.map(({ write }) => toBson(write.document));
    await collection.insertMany(documents, { ordered: false, session, ...scope.timeLimit() });
    scope.acknowledged(session);
  } catch (error) {
    return settleAfterError(members, error);
  }
  for (const member of members) member.settle(true);
}

function settleAfterError(members: readonly Member[], thrown: unknown): void {
  const rejected = rejectedIndexes(thrown);
  const unconfirmed = writeConcernError(thrown);
  const error = unconfirmed ?? wrappedError(thrown);
  const isUnapplied = unconfirmed === undefined && (isUnsent(error) || isUnappliedWrite(error));
  for (const [index, { settle, fail }] of members.entries()) {
    if (rejected.has(index)) settle(false);
    else if (rejected.size > 0 && unconfirmed === undefined) settle(true);
    else if (isUnapplied) settle(false);
    else fail(error);
  }
}

/** The error of documents that are inserted, but not known to be durable. */
function writeConcernError(error: unknown): MongoWriteConcernError | undefined {
  const found = error instanceof MongoBulkWriteError ? error.result.getWriteConcernError() : undefined;
  if (found === undefined) return undefined;
  const { code = 0, errmsg = '' } = found;
  return new MongoWriteConcernError({ ok: 1, writeConcernError: { code, errmsg } });
}

/** Indexes of the documents that the server rejected; all others are inserted then, if any is rejected. */
function rejectedIndexes(error: unknown): ReadonlySet<number> {
  const errors = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return new Set(errors.map(({ index }) => index));
}

/** The error that ended the command: the driver wraps it. */
function wrappedError(error: unknown): unknown {
  const cause: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined;
  return cause instanceof Error ? cause : error;
}

/** Whether the group did not leave this process: time was up, or a document cannot be written as BSON. */
function isUnsent(error: unknown): boolean {
  return (
    error instanceof StoreError ||
    error instanceof BSON.BSONError ||
    error instanceof RangeError ||
    error instanceof MongoInvalidArgumentError
  );
}
