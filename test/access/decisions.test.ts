// Which code reads documents of a store, and by what right. A query that nobody thought of would be a way around the access rules.
import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from '../helpers/fixtures/source-tree.ts';

/** Calls with a namespace or a collection and something more, or by a name that only stores have. */
const QUERIES =
  /\.(?:find|count)\(\s*[\w.$]+(?:\([^()]*\))?,|\b(?:findText|findPage|findByIds)\(|\.stats\(|\bstore\.(?:find|count)\b(?!\()/g;

type Reasons = Readonly<Record<string, readonly [number, string]>>;

/** Files that ask a store: how often, and what keeps its answers from those who may not have them. */
const ASKING: Reasons = {
  'src/auth/audit/audit-head.ts': [1, 'records of changes, which commands of the operator show'],
  'src/auth/audit/audit-verify.ts': [1, 'records of changes, which commands of the operator show'],
  'src/auth/audit/offline-changes.ts': [1, 'the state of the server'],
  'src/auth/auth-service.ts': [1, 'the key of tokens'],
  'src/auth/clients/client-store.ts': [1, 'clients'],
  'src/capabilities/model-calls.ts': [2, 'the service, which obeys the rules; statistics after `readsAll`'],
  'src/collections/filters/resolve-references.ts': [
    1,
    'queries of the caller; default filters see everything',
  ],
  'src/collections/internals/underscored-service.ts': [1, 'the service, which obeys the rules'],
  'src/collections/reads/compose.ts': [2, 'queries of the caller; by ids only where it may read everything'],
  'src/collections/reads/history-loader.ts': [
    1,
    'ids and numbers of revisions whose document was found already',
  ],
  'src/collections/reads/read-history.ts': [1, 'queries of the caller'],
  'src/collections/reads/read-removed.ts': [1, 'whether a document is there: no more than that is told'],
  'src/collections/reads/read-page.ts': [5, 'queries of the caller'],
  'src/collections/reads/reader.ts': [2, 'queries of the caller'],
  'src/collections/reads/revisions.ts': [2, 'queries of the caller'],
  'src/collections/specifications/revision-checks.ts': [2, 'whether there is a document'],
  'src/collections/writes/answer.ts': [2, 'passes on what the composer reads by ids'],
  'src/collections/writes/commit.ts': [
    1,
    'documents that hooks wrote and that were found for the caller, read again',
  ],
  'src/collections/writes/file-removals/file-removals.ts': [1, 'files that are to be removed'],
  'src/collections/writes/file-removals/remove-files.ts': [1, 'whether a record uses the file'],
  'src/collections/writes/plan-sub-documents.ts': [1, 'each is tested: what may not be read is unknown'],
  'src/collections/writes/remove.ts': [1, 'queries of the caller'],
  'src/collections/writes/restore/removed-history.ts': [2, 'states and numbers for the rules and the write'],
  'src/collections/writes/restore/document-rights.ts': [
    2,
    'what a client may do, for admins: no document is told',
  ],
  'src/collections/writes/restore/restore.ts': [2, 'each is tested: what may not be read is unknown'],
  'src/collections/writes/targets.ts': [2, 'queries of the caller; by id, each is tested'],
  'src/http/admin/client-access-route.ts': [1, 'clients, for admins'],
  'src/http/admin/client-routes.ts': [1, 'clients, for admins'],
  'src/http/documents/document-reads.ts': [
    2,
    'the service, which obeys the rules; statistics after `readsAll`',
  ],
  'src/media/copy-records.ts': [2, 'a command of the operator'],
  'src/media/used-upload-tokens.ts': [2, 'signed addresses that were used'],
  'src/deployment/change-log.ts': [1, 'changes of the server'],
  'src/deployment/process-records.ts': [2, 'processes of the server'],
  'src/deployment/shared-locks.ts': [1, 'locks of the server'],
  'src/modules/lifecycle/operator-orders.ts': [1, 'orders of the operator'],
  'src/modules/versions/module-records.ts': [5, 'modules'],
  'src/setup/cli-services.ts': [1, 'a command of the operator'],
  'src/setup/media.ts': [1, 'whether a record uses a file that is to be removed'],
  'src/transfer/export.ts': [4, 'a command of the operator'],
  'src/transfer/import-batch.ts': [1, 'a command of the operator'],
  'src/transfer/older/stored-database.ts': [1, 'a command of the operator'],
};

/** Queries of the server itself, beside those of callers. */
const FOR_THE_SERVER: Reasons = {
  'src/collections/filters/resolve-references.ts': [1, 'default filters: the operator wrote them'],
  'src/collections/reads/history-loader.ts': [
    1,
    'ids and numbers of revisions whose document was found already',
  ],
  'src/collections/reads/read-history.ts': [
    2,
    'whether a document is there, and its last state: the query of the caller that follows must find them too',
  ],
  'src/collections/writes/restore/removed-history.ts': [1, 'states and numbers for the rules and the write'],
  'src/collections/writes/restore/document-rights.ts': [
    1,
    'what a client may do, for admins: no document is told',
  ],
  'src/collections/writes/restore/restore.ts': [1, 'the revision is tested before anything is made of it'],
  'src/collections/writes/targets.ts': [1, 'the document is tested before anything is told of it'],
};

/** Parts of the domain whose store takes queries that nobody was asked for. */
const UNGUARDED: Reasons = {
  'src/collections/document-service.ts': [1, 'hands the store on, as one of the domain'],
  'src/collections/specifications/apply-changes.ts': [1, 'checks and indexes of specifications, by admins'],
  'src/collections/specifications/cross-checks.ts': [1, 'checks of specifications, by admins'],
  'src/collections/specifications/revision-checks.ts': [1, 'checks of specifications, by admins'],
  'src/collections/specifications/specification-service.ts': [1, 'specifications, by admins'],
  'src/collections/writes/file-removals/remove-files.ts': [1, 'whether a record uses the file'],
};

/** Stores themselves, their ports, and what counts their operations. */
const isOfStores = ({ path }: SourceFile) =>
  path.startsWith('src/stores/') || path === 'src/metrics/store-counts.ts';

const files = sourceFiles('src').filter((file) => !isOfStores(file));

/** How often each file has the pattern, without comments. */
function occurrences(pattern: RegExp, among = files): Readonly<Record<string, number>> {
  const counts = among.map(({ path, text }) => {
    const code = text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
    return [path, code.match(pattern)?.length ?? 0] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const countsOf = (reasons: Reasons) =>
  Object.fromEntries(Object.entries(reasons).map(([path, [count]]) => [path, count]));

describe('the access rules', () => {
  it('are asked in each place that reads documents of a store', () => {
    const advice =
      'A query came or went. What it finds must be the caller’s to read (`permit`), or tested before any of it is told, or data of ' +
      'the server. Say which in ASKING.';
    expect(occurrences(QUERIES), advice).toEqual(countsOf(ASKING));
  });

  it('are left out only where the server reads for itself', () => {
    const advice =
      'A use of `permitServer` came or went. Nothing that such a query finds may reach a caller before it is tested; say in ' +
      'FOR_THE_SERVER why that holds, or use `permit`.';
    const uses = occurrences(/(?<!function )\bpermitServer\(/g);
    expect(uses, advice).toEqual(countsOf(FOR_THE_SERVER));
    const handedOn = occurrences(/\bpermitServer\b(?!\()(?!,\n|, | \})|\bas PermittedFilter\b/g);
    expect(handedOn, advice).toEqual({ 'src/collections/model/access.ts': 4 });
  });

  it('are minded by the compiler wherever the domain holds a store that reads', () => {
    const advice =
      'A part of src/collections takes a `DocumentStore` that finds documents. With `PermittedStore` the compiler refuses queries ' +
      'that no caller was asked for. If it reads data of the server only, say so in UNGUARDED.';
    const domain = files.filter(
      ({ path }) => path.startsWith('src/collections/') && path !== 'src/collections/model/access.ts',
    );
    const reading = /: DocumentStore;|Pick<DocumentStore, [^>]*'(?:find|count)/g;
    expect(occurrences(reading, domain), advice).toEqual(countsOf(UNGUARDED));
  });
});
