// What the routes of the audit log say about themselves.
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { json, type Operation, type ParameterDescription } from '../core/operation.ts';

const TAG = 'Administration';
const nullableText = { type: ['string', 'null'] };
const text = { type: 'string' };

const PLACE = objectOf({
  seq: { type: 'integer' },
  at: { type: 'integer', description: 'Epoch milliseconds' },
});

/** Components of these operations. */
export const AUDIT_SCHEMAS = {
  AuditEntry: objectOf(
    {
      seq: { type: 'integer', description: 'From 1, without gaps' },
      at: { type: 'integer', description: 'Epoch milliseconds' },
      clientId: { ...nullableText, description: 'Null: the operator, or the server' },
      address: text,
      requestId: text,
      action: { type: 'string', examples: ['specification.create'] },
      target: { type: 'string', description: 'A path, or the id of a client' },
      before: { ...nullableText, description: 'SHA-256 of the state before; null: there was none' },
      after: { ...nullableText, description: 'SHA-256 of the state after; null: there is none' },
      policy: objectOf({ before: nullableText, after: nullableText }),
      key: { type: 'string', description: 'Id of the signing key' },
      previous: { type: 'string', description: 'Hash of the entry before' },
      hash: { type: 'string', description: 'HMAC-SHA256 of all other members' },
    },
    ['address', 'requestId', 'policy'],
  ),
  AuditPage: objectOf({ audit: listOf(ref('AuditEntry')) }),
  AuditIssue: objectOf(
    {
      kind: { enum: ['changed', 'missing', 'moved', 'replaced', 'truncated', 'noted'] },
      seq: { type: 'integer' },
      to: { type: 'integer' },
      entry: ref('AuditEntry'),
    },
    ['to', 'entry'],
  ),
  AuditVerification: objectOf(
    {
      count: { type: 'integer', description: 'Valid entries' },
      first: PLACE,
      last: PLACE,
      keys: { type: 'array', items: text, description: 'Ids of the keys that signed them' },
      isAnchored: {
        type: 'boolean',
        description: 'The number of entries is known from outside of the database',
      },
      isComplete: { type: 'boolean', description: 'False: there are more entries to verify' },
      issue: ref('AuditIssue'),
      unknownKey: objectOf({ id: text, seq: { type: 'integer' } }),
    },
    ['first', 'last', 'issue', 'unknownKey'],
  ),
};

const entryNumber = (name: string, description: string): ParameterDescription => ({
  in: 'query',
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});

const textParameter = (name: string, description: string): ParameterDescription => ({
  in: 'query',
  name,
  description,
  schema: { type: 'string' },
});

export const AUDIT: Operation = {
  id: 'listAuditEntries',
  tag: TAG,
  audience: 'admins',
  summary: 'Reads the audit log, at most 1,000 entries',
  parameters: [
    entryNumber('after', 'The number of an entry: those after it are answered'),
    entryNumber('before', 'The number of an entry: those before it are answered'),
    {
      in: 'query',
      name: 'order',
      description: 'Which entries come first',
      schema: { enum: ['oldest', 'newest'], default: 'oldest' },
    },
    {
      in: 'query',
      name: 'limit',
      description: 'How many entries at most',
      schema: { type: 'integer', minimum: 1, default: 1000 },
    },
    textParameter('clientId', 'Changes by this client; empty: those that no client made'),
    textParameter('action', 'This action and those below it: `client`, `client.create`'),
    textParameter('target', 'This target and those below it: `/1.0/library`, `/1.0/library/books`'),
  ],
  answers: {
    200: { description: 'The entries', content: json(ref('AuditPage')) },
  },
};

export const VERIFY_AUDIT: Operation = {
  id: 'verifyAuditLog',
  refusals: [404],
  tag: TAG,
  audience: 'admins',
  summary: 'Verifies the audit log: every entry is as it was signed, and none is missing',
  description:
    'One request verifies 5,000 entries at most. Unless `isComplete` is true, ask again with `after` set to `last.seq`.',
  parameters: [entryNumber('after', 'The number of an entry that is trusted: those after it are verified')],
  answers: {
    200: {
      description: 'What was found',
      content: json(ref('AuditVerification')),
    },
  },
};
