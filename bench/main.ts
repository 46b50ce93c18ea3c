// `npm run bench [-- --documents N] [--seconds S]`: Cloister beside a bare Fastify and SQLite server, same machine, same
// run, same documents, at 10,000 documents and each power of ten up to N (100,000 unless given). Each request is measured
// in turns of S seconds (2 unless given); `cpu` is the processor time of the two servers for one request.
import { parseArgs } from 'node:util';
import { book, CATEGORIES } from './documents.ts';
import { compare, type Load, type Measurement } from './measure.ts';
import { type Contestant, startBaseline, startCloister } from './servers.ts';

const SMALLEST = 10_000;
const MEGABYTE = 1024 * 1024;

interface Scenario {
  readonly name: string;
  /** What the ratio should be at least. */
  readonly aim?: number;
  readonly cloister: (contestant: Contestant) => Load;
  readonly baseline: (contestant: Contestant) => Load;
}

const get = (...paths: string[]): Load => ({ method: 'GET', paths });
const enc = (value: unknown) => encodeURIComponent(JSON.stringify(value));
const categories = Array.from({ length: CATEGORIES }, (_, n) => `category-${n}`);
const BOOKS = '/1.0/bench/books';

const filtered = () =>
  get(...categories.map((category) => `${BOOKS}?filter=${enc({ category })}&sort=${enc({ pages: -1 })}`));

let serial = 100_000_000;
const create = (path: string, { author }: Contestant): Load => ({
  method: 'POST',
  paths: [path],
  body: () => {
    serial += 1;
    return JSON.stringify(book(serial, author));
  },
});

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'by id',
    aim: 1,
    cloister: ({ ids }) => get(...ids.map((id) => `${BOOKS}/${id}`)),
    baseline: ({ ids }) => get(...ids.map((id) => `/books/${id}`)),
  },
  { name: 'list of 40', aim: 1.5, cloister: () => get(BOOKS), baseline: () => get('/books') },
  {
    name: 'indexed filter and sort of 40',
    aim: 1.5,
    cloister: filtered,
    baseline: () => get(...categories.map((category) => `/books?category=${category}`)),
  },
  {
    name: 'composed list of 40',
    aim: 1.2,
    cloister: () => get(`${BOOKS}?compose=true`),
    baseline: () => get('/books?compose=true'),
  },
  {
    name: 'create, three indexes',
    aim: 0.8,
    cloister: (contestant) => create(BOOKS, contestant),
    baseline: (contestant) => create('/books', contestant),
  },
  {
    name: 'list of 40, baseline counts too',
    cloister: () => get(BOOKS),
    baseline: () => get('/books?total=1'),
  },
  {
    name: 'filter of 40, baseline counts too',
    cloister: filtered,
    baseline: () => get(...categories.map((category) => `/books?category=${category}&total=1`)),
  },
];

const whole = (n: number) => Math.round(n).toLocaleString('en');

function row({ name, aim }: Scenario, ours: Measurement, theirs: Measurement) {
  const ratio = ours.perSecond / theirs.perSecond;
  return {
    request: name,
    'cloister/s': whole(ours.perSecond),
    'baseline/s': whole(theirs.perSecond),
    ratio: `${ratio.toFixed(2)}×`,
    aim: aim === undefined ? '' : `≥ ${aim.toFixed(1)}× ${ratio >= aim ? 'met' : 'MISSED'}`,
    'cpu µs': `${whole(ours.cpu)} : ${whole(theirs.cpu)}`,
    'p50 ms': ours.p50,
    'p99 ms': ours.p99,
    'RSS MB': whole(ours.rss / MEGABYTE),
  };
}

interface Round {
  readonly documents: number;
  readonly byId: number;
  readonly filter: number;
  readonly rss: number;
  readonly readyMs: number;
}

async function round(documents: number, seconds: number): Promise<Round> {
  console.log(`\n${whole(documents)} documents: filling both`);
  const baseline = await startBaseline(documents);
  const cloister = await startCloister(documents);
  try {
    const rows = [];
    const all: Measurement[] = [];
    for (const scenario of SCENARIOS) {
      const pair = [
        [cloister, scenario.cloister(cloister)],
        [baseline, scenario.baseline(baseline)],
      ] as const;
      const [ours, theirs] = await compare(pair, seconds);
      if (ours === undefined || theirs === undefined) throw new Error('nothing was measured');
      rows.push(row(scenario, ours, theirs));
      all.push(ours);
    }
    console.table(rows);
    const rss = Math.max(...all.map((measurement) => measurement.rss));
    const [byId, , filter] = all;
    const { readyMs } = cloister;
    return { documents, byId: byId?.perSecond ?? 0, filter: filter?.perSecond ?? 0, rss, readyMs };
  } finally {
    await cloister.stop();
    await baseline.stop();
  }
}

const { values } = parseArgs({
  options: { documents: { type: 'string', default: '100000' }, seconds: { type: 'string', default: '2' } },
});
const largest = Number(values.documents);
const sizes = [SMALLEST, 100_000, 1_000_000].filter((size) => size < largest);
const rounds: Round[] = [];
for (const documents of [...sizes, largest]) rounds.push(await round(documents, Number(values.seconds)));

console.log('\nBy size: cost of one request in microseconds (with the client, HTTP and authentication)');
console.table(
  rounds.map(({ documents, byId, filter, rss, readyMs }) => ({
    documents: whole(documents),
    'by id µs': whole(1_000_000 / byId),
    'indexed filter µs': whole(1_000_000 / filter),
    'peak RSS MB (aim < 250)': whole(rss / MEGABYTE),
    'ready ms (aim < 500)': whole(readyMs),
  })),
);
