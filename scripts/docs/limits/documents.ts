// Limits of documents, patterns and stores.
import type { Limit } from './tables.ts';
import { constant, setting } from './values.ts';

const CACHED = 'src/stores/sqlite-documents/query/fetch-documents.ts';
const PREPARED = 'src/collections/reads/prepare-read.ts';
const PLANS = 'src/stores/sqlite-documents/query/plan.ts';
const LOG = 'src/stores/sqlite-documents/checkpointer.ts';
const MI = 1_048_576;

/** A number of characters in units of 1,048,576. */
const mebi = (text: string) => `${Number(text.replaceAll(',', '')) / MI} Mi characters`;

export const DOCUMENT_LIMITS: readonly Limit[] = [
  {
    limit: 'one document',
    default: `${constant('src/collections/model/stored-document.ts', 'MAX_DOCUMENT_BYTES', 'bytes')} as BSON`,
    past: '413',
    tests: ['http/core/limits'],
  },
  {
    limit: 'text that one answer gathers',
    default: mebi(constant('src/stores/sqlite-documents/query/execute.ts', 'MAX_RESULT_TEXT')),
    past: '400',
    tests: ['stores/sqlite-documents/query/execute', 'stores/mongo-documents/query/page.full'],
  },
  {
    limit: 'ids of revisions that one answer gathers',
    default: `${constant('src/collections/reads/history-loader.ts', 'MAX_ADDED_IDS')}, besides the first and latest of each document`,
    past: 'documents show only the first and latest',
    tests: ['collections/reads/history-loader'],
  },
  {
    limit: 'database work for the answer to a committed write',
    default: `${constant('src/collections/writes/answer.ts', 'MIN_ANSWER_MS', 'ms')}, or what is left of \`limits.queryMs\``,
    past: 'ids instead of documents, no count; the write stays a success',
    tests: ['collections/writes/answer'],
  },
  {
    limit: 'memory for sorting without an index',
    default: `${constant('src/stores/sqlite-documents/query/page-selection.ts', 'DEFAULT_LIMITS.maxBytes', 'bytes')} of keys a query`,
    past: 'the documents are scanned again, within `limits.queryMs`',
    tests: ['stores/sqlite-documents/query/page-selection'],
  },
  {
    limit: 'free space on the disk of the data folder',
    default: `${constant(LOG, 'RESERVED_BYTES', 'bytes')}, and ${constant(LOG, 'BYTES_PER_TEXT_UNIT')} bytes for each character that a write adds`,
    past: '503 for what adds, not for removals',
    tests: ['stores/sqlite-documents/checkpointer', 'stores/sqlite-documents/full-disk.full'],
  },
  {
    limit: 'patterns of one filter',
    default: `${constant('src/lib/regex/linear-regex.ts', 'MAX_LENGTH')} characters each, ${constant('src/collections/filters/parse.ts', 'MAX_PATTERNS_SIZE')} instructions together; where classes or escapes are used their characters count too`,
    past: '400',
    tests: ['security/patterns.full', 'collections/filters/operators'],
  },
  {
    limit: 'patterns of one specification in the linear-time engine',
    default: `${constant('src/collections/specifications/pattern-compiler.ts', 'MAX_PATTERNS_SIZE')} characters and instructions together`,
    past: 'further ones run on the worker thread',
    tests: ['collections/specifications/pattern-compiler'],
  },
  {
    limit: 'a pattern of a specification, on its worker thread',
    default: constant('src/workers/pattern-worker.ts', 'JOB_TIMEOUT_MS', 'ms'),
    past: 'the field fails',
    tests: ['workers/pattern-worker'],
  },
  {
    limit: 'query strings whose parsed form is remembered',
    default: `${constant('src/http/documents/read-query.ts', 'MAX_QUERIES')} of up to ${constant('src/http/documents/read-query.ts', 'MAX_QUERY_CHARACTERS')} characters`,
    past: 'the least recently used is forgotten',
    tests: ['http/documents/read-query'],
  },
  {
    limit: 'requests whose read is remembered as prepared',
    default: `${constant(PREPARED, 'MAX_PREPARED_READS')} of up to ${constant(PREPARED, 'MAX_REQUEST_CHARACTERS')} characters as JSON`,
    past: 'the least recently used is forgotten',
    tests: ['lib/text-cache'],
  },
  {
    limit: 'query plans that are remembered (SQLite)',
    default: `${constant(PLANS, 'MAX_PLANS')} of up to ${constant(PLANS, 'MAX_KEY_CHARACTERS')} characters as JSON, by each thread`,
    past: 'the least recently used is forgotten',
    tests: ['stores/sqlite-documents/query/plan'],
  },
  {
    limit: 'documents that composition reads by their ids, in memory (SQLite)',
    default: `${constant('src/stores/sqlite-documents/queries.ts', 'MAX_CACHE_BYTES', 'bytes')} of all collections together; none of more than ${constant(CACHED, 'MAX_TEXT_LENGTH')} characters`,
    past: 'the cache is emptied; they are read from the file',
    tests: ['stores/sqlite-documents/query/fetch-documents'],
  },
  {
    limit: 'cached answers, `cache.maxBytes`',
    default: setting('cache.maxBytes'),
    past: 'the least used are removed',
    tests: ['stores/memory-cache'],
  },
  {
    limit: 'waiting writes on the embedded database, `limits.writeQueue`',
    default: setting('limits.writeQueue'),
    past: '503',
    tests: ['stores/sqlite-documents/commit/write-queue'],
  },
  {
    limit: 'connections to each MongoDB server, `database.mongodb.maxPoolSize`',
    default: setting('database.mongodb.maxPoolSize'),
    past: 'operations wait for a slot, 503 at `limits.queryMs`',
    tests: [
      'stores/mongo-documents/connection/operation-slots.full',
      'stores/mongo-documents/connection/connection.full',
    ],
  },
  {
    limit: 'queries on MongoDB that may scan a collection',
    default: 'one in 32 connections, 2 at least where there are 11 or more',
    past: 'they wait in order, 503 at `limits.queryMs`',
    tests: ['stores/mongo-documents/connection/operation-slots.full'],
  },
  {
    limit: `pages over ${constant('src/stores/mongo-documents/query/query-costs.ts', 'MAX_SHORT_PAGE_BYTES', 'bytes')} on MongoDB that are read at a time`,
    default: `${constant('src/stores/mongo-documents/connection/operation-slots.ts', 'MAX_PAGES')}, while \`limits.unsentBytes\` allows it`,
    past: 'they wait in order, then 503',
    tests: ['stores/mongo-documents/query/page.full'],
  },
  {
    limit: 'finding out whether a server of MongoDB is available',
    default: constant(
      'src/stores/mongo-documents/connection/connection-string.ts',
      'SERVER_SELECTION_MS',
      'ms',
    ),
    past: '503',
    tests: ['stores/mongo-documents/connection/outages.full'],
  },
  {
    limit: 'documents that a commit on a standalone MongoDB keeps for a rollback',
    default: constant('src/stores/mongo-documents/commits/rollback.ts', 'MAX_BYTES', 'bytes'),
    past: '400, nothing written',
    tests: ['stores/mongo-documents/commits/without-transaction.full'],
  },
  {
    limit: 'a line of an import',
    default: constant('src/transfer/import-lines.ts', 'MAX_LINE_BYTES', 'bytes'),
    past: 'the import ends there',
    tests: ['transfer/import-lines'],
  },
];
