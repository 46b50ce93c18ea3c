// `cloister check --data`: checks the indexes of the embedded database against its documents, those of both databases against the
// specifications, and repairs what it can.

import type { Config } from '../config/schema.ts';
import type { openDataCheck, openWorkspace } from '../setup/cli-services.ts';
import { checkIndexes, counted, placeOf } from './check-indexes.ts';
import { type Io, loadOrReport } from './io.ts';
import { formatAmount } from './transfer.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;
type DatabaseCheck = Awaited<ReturnType<typeof openDataCheck>>;
type DataCheck = NonNullable<Extract<DatabaseCheck, { kind: 'file' }>['data']>;
type Comparison = Extract<DatabaseCheck, { kind: 'server' }>['comparison'];
type DataReport = Awaited<ReturnType<DataCheck['check']>>;
type DataFault = DataReport['issues'][number];
type Outcome = Awaited<ReturnType<DataCheck['repair']>>;

const DESCRIPTIONS: Readonly<Record<DataFault['kind'], (issue: DataFault) => string>> = {
  missing: ({ count }) => counted(count, 'row is missing', 'rows are missing'),
  surplus: ({ count }) => counted(count, 'surplus row', 'surplus rows'),
  wrong: ({ count }) => counted(count, 'row has a wrong key', 'rows have a wrong key'),
  unmarked: ({ count }) =>
    counted(
      count,
      'document has an array that the index does not know of',
      'documents have arrays that the index does not know of',
    ),
  unreadable: ({ count }) => counted(count, 'document cannot be read', 'documents cannot be read'),
  damaged: ({ details }) => `pages of the file are damaged (${details.join('; ')})`,
};

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  rebuilt: 'rebuilt',
  gone: 'not declared any more',
  duplicate: 'cannot be rebuilt: documents are not unique in it; until they are, no query uses it',
  'parallel-arrays': 'cannot be rebuilt: a document has arrays in two of its fields',
  damaged: 'cannot be rebuilt: the pages of the documents are damaged',
};

interface Asked {
  readonly flags: CommandFlags;
  readonly io: Io;
  readonly workspace: Workspace;
}

const isRepaired = (outcome: Outcome) => outcome === 'rebuilt' || outcome === 'gone';

async function repairAll(data: DataCheck, { broken }: DataReport, io: Io): Promise<boolean> {
  let isWhole = true;
  for (const index of broken) {
    const outcome = await data.repair(index);
    io.out(`${placeOf(index)}: ${OUTCOMES[outcome]}`);
    isWhole &&= isRepaired(outcome);
  }
  return isWhole;
}

async function run(data: DataCheck, config: Config, { flags, io, workspace }: Asked): Promise<number> {
  const report = await data.check();
  const { issues, unfinished, broken, documents, collections, indexes } = report;
  for (const issue of issues) io.out(`${placeOf(issue)}: ${DESCRIPTIONS[issue.kind](issue)}`);
  const isInHand = (n: number) => broken.some((index) => index.n === n);
  for (const index of unfinished) {
    if (!isInHand(index.n)) io.out(`${placeOf(index)}: not built yet`);
  }
  const repairs = flags.repair === true;
  const isAsDeclared = await checkIndexes(config, data, { io, workspace, repairs });
  const looked = `${formatAmount(documents, collections)}, ${counted(indexes, 'index', 'indexes')}`;
  if (issues.length === 0 && broken.length === 0) {
    if (isAsDeclared) io.out(`all is well: ${looked}`);
    return isAsDeclared ? 0 : 1;
  }
  // Indexes are rebuilt from documents. Nothing restores documents.
  const lost = issues.filter(({ index }) => index === undefined);
  if (lost.length > 0) io.err('cloister: check: documents or pages are lost: restore a backup');
  if (flags.repair !== true) {
    if (broken.length > 0)
      io.err('cloister: check: `cloister check --data --repair` builds broken indexes anew');
    return 1;
  }
  const isWhole = await repairAll(data, report, io);
  return isWhole && isAsDeclared && lost.length === 0 ? 0 : 1;
}

/** Prints the issues, and what `--repair` did about them. Returns 1 while an issue is left, else 0. */
export async function checkData(flags: CommandFlags, io: Io): Promise<number> {
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { config } = loaded;
  const { openDataCheck: openData, openWorkspace: open } = await import('../setup/cli-services.ts');
  const workspace = await open(config, { cwd: io.cwd });
  try {
    return await checkOpened(await openData(config, { cwd: io.cwd }), config, { flags, io, workspace });
  } finally {
    await workspace.close();
  }
}

async function checkOpened(opened: DatabaseCheck, config: Config, asked: Asked): Promise<number> {
  if (opened.kind === 'server') return checkServed(opened.comparison, config, asked);
  const { data } = opened;
  if (data === undefined) {
    asked.io.out('all is well: there are no data yet');
    return 0;
  }
  try {
    return await run(data, config, asked);
  } finally {
    data.close();
  }
}

/** MongoDB keeps its indexes in step with the documents: only whether it has the declared ones is looked at. */
async function checkServed(
  comparison: Comparison,
  config: Config,
  { flags, io, workspace }: Asked,
): Promise<number> {
  try {
    const isAsDeclared = await checkIndexes(config, comparison, { io, workspace, repairs: false });
    if (isAsDeclared) {
      io.out(
        'all is well: every declared index is there; whether they agree with the documents MongoDB checks (`validate`)',
      );
    } else if (flags.repair === true) {
      io.err('cloister: check: a start of the server builds what can be built');
    }
    return isAsDeclared ? 0 : 1;
  } finally {
    await comparison.close();
  }
}
