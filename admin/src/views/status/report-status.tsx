// What runs in the server: the database, caches, queues, uploads and the audit log, each beside its limit.
import { Alert, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Status } from '../../api/types-status.ts';
import { Facts } from '../../parts/facts.tsx';
import { formatBytes, formatNumber, Time } from '../../parts/time.tsx';

/** The members that only admins see, all of them there. */
type Report = Required<Pick<Status, 'store' | 'queues' | 'caches' | 'uploads' | 'unsentBytes' | 'audit'>>;
type Fact = readonly [name: string, value: ReactNode];

/** The report in a status; undefined for whom it is not shown. */
export function reportOf({ store, queues, caches, uploads, unsentBytes, audit }: Status): Report | undefined {
  const isWhole = store && queues && caches && uploads && unsentBytes && audit;
  return isWhole ? { store, queues, caches, uploads, unsentBytes, audit } : undefined;
}

const ENGINES: ReadonlyMap<string, string> = new Map([
  ['sqlite', 'SQLite, in this process'],
  ['mongodb', 'MongoDB'],
  ['memory', 'in memory'],
  ['filesystem', 'in files'],
  ['redis', 'Redis'],
]);
const engineText = (engine: string) => ENGINES.get(engine) ?? engine;

type Lookups = Report['caches']['responses']['lookups'];

function lookupsText(lookups: Lookups): string {
  if (lookups === null) return 'not counted';
  const { hits, misses } = lookups;
  if (hits + misses === 0) return 'nothing was looked up yet';
  const part = Math.round((100 * hits) / (hits + misses));
  return `${formatNumber(hits)} found, ${formatNumber(misses)} not (${part} % found)`;
}

const ofAtMost = (used: number, max: number, format: (value: number) => string = formatNumber) =>
  `${format(used)} of at most ${format(max)}`;

function storeFacts({ store: { engine, pingMs, bytes }, queues: { commits } }: Report): readonly Fact[] {
  return [
    ['Engine', engineText(engine)],
    [
      'Answers',
      pingMs === null ? 'it does not answer' : `after ${pingMs < 1 ? 'less than 1' : Math.round(pingMs)} ms`,
    ],
    ['Size', bytes === null ? 'not told in time' : formatBytes(bytes)],
    ...(commits === null
      ? []
      : ([['Writes that wait', ofAtMost(commits.waiting, commits.maxWaiting)]] as const)),
  ];
}

function workFacts({ queues: { calls, renderings }, uploads, unsentBytes }: Report): readonly Fact[] {
  return [
    ['Calls of endpoints and hooks', `${calls.running} running, ${calls.waiting} waiting`],
    [
      'Images being rendered',
      `${ofAtMost(renderings.running, renderings.maxRunning)} running, ${ofAtMost(renderings.waiting, renderings.maxWaiting)} waiting`,
    ],
    ['Uploads', ofAtMost(uploads.running, uploads.maxRunning)],
    ['Bytes of these uploads', ofAtMost(uploads.bytes, uploads.maxBytes, formatBytes)],
    ['Bytes of answers not read yet', ofAtMost(unsentBytes.used, unsentBytes.max, formatBytes)],
  ];
}

function cacheFacts({ caches: { responses, renderedImages } }: Report): readonly Fact[] {
  return [
    ['Answers', responses.engine === null ? 'not cached' : engineText(responses.engine)],
    ...(responses.engine === null ? [] : ([['Answers found', lookupsText(responses.lookups)]] as const)),
    ['Rendered images found', lookupsText(renderedImages.lookups)],
  ];
}

function auditFacts({ audit: { entries, newestAt, unwritten } }: Report): readonly Fact[] {
  return [
    ['Entries', entries === null ? 'not told in time' : formatNumber(entries)],
    ...(newestAt === null ? [] : ([['Newest', <Time key="newest" at={newestAt} />]] as const)),
    ...(unwritten === 0 ? [] : ([['Not written yet', formatNumber(unwritten)]] as const)),
  ];
}

export function ReportStatus({ report }: { readonly report: Report }) {
  const parts: readonly (readonly [string, readonly Fact[]])[] = [
    ['Database', storeFacts(report)],
    ['Work', workFacts(report)],
    ['Caches', cacheFacts(report)],
    ['Audit log', auditFacts(report)],
  ];
  const { responses } = report.caches;
  return (
    <>
      {parts.map(([title, facts]) => (
        <Stack key={title} gap="xs">
          <Title order={2}>{title}</Title>
          {title === 'Caches' && !responses.isReachable && (
            <Alert color="red" variant="outline" title="The cache is away" role="alert">
              {engineText(responses.engine ?? '')} does not answer: every answer is asked of the database.
            </Alert>
          )}
          <Facts facts={facts} />
        </Stack>
      ))}
    </>
  );
}
