// Cloister (authentication on, response cache off) beside a bare Fastify and SQLite server: same machine, same run, same
// documents, same durability. At 10,000 documents and each power of ten up to the largest. After a warm-up the two take
// five turns each; all figures are medians of these. `cpu` is the processor time of a server for one request: it minds
// least what else runs. Answers of Cloister always tell the total, so the baseline counts too; the last rows show it without.
import { book, CATEGORIES } from './documents.ts';
import { type Comparison, compare, type Load } from './measure.ts';
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
  { name: 'list of 40', aim: 1.5, cloister: () => get(BOOKS), baseline: () => get('/books?total=1') },
  {
    name: 'indexed filter and sort of 40',
    aim: 1.5,
    cloister: filtered,
    baseline: () => get(...categories.map((category) => `/books?category=${category}&total=1`)),
  },
  {
    name: 'composed list of 40',
    aim: 1.2,
    cloister: () => get(`${BOOKS}?compose=true`),
    baseline: () => get('/books?compose=true&total=1'),
  },
  {
    name: 'create, three indexes',
    aim: 0.8,
    cloister: (contestant) => create(BOOKS, contestant),
    baseline: (contestant) => create('/books', contestant),
  },
  {
    name: 'list of 40, baseline without total',
    cloister: () => get(BOOKS),
    baseline: () => get('/books'),
  },
  {
    name: 'filter and sort, baseline without total',
    cloister: filtered,
    baseline: () => get(...categories.map((category) => `/books?category=${category}`)),
  },
  {
    name: 'composed list, baseline without total',
    cloister: () => get(`${BOOKS}?compose=true`),
    baseline: () => get('/books?compose=true'),
  },
];

const whole = (n: number) => Math.round(n).toLocaleString('en');

function row({ name, aim }: Scenario, { ours, theirs, ratio, cpuRatio }: Comparison) {
  return {
    request: name,
    'cloister/s': whole(ours.perSecond),
    'baseline/s': whole(theirs.perSecond),
    ratio: `${ratio.toFixed(2)}×`,
    aim: aim === undefined ? '' : `≥ ${aim.toFixed(1)}× ${ratio >= aim ? 'met' : 'MISSED'}`,
    'cpu µs': `${whole(ours.cpu)} : ${whole(theirs.cpu)}`,
    'by cpu': `${cpuRatio.toFixed(2)}×`,
    'p50 ms': ours.p50,
    'p99 ms': ours.p99,
    'RSS MB': whole(ours.rss / MEGABYTE),
  };
}

interface Round {
  readonly documents: number;
  /** Processor time of one request, in microseconds. */
  readonly byId: number;
  readonly filter: number;
  readonly rss: number;
  readonly readyMs: number;
}

async function contest(cloister: Contestant, baseline: Contestant, seconds: number): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const scenario of SCENARIOS) {
    const ours = { target: cloister, load: scenario.cloister(cloister) };
    const theirs = { target: baseline, load: scenario.baseline(baseline) };
    comparisons.push(await compare(ours, theirs, seconds));
  }
  return comparisons;
}

async function round(documents: number, seconds: number): Promise<Round> {
  console.log(`\n${whole(documents)} documents: filling both`);
  await using started = new AsyncDisposableStack();
  const baseline = started.adopt(await startBaseline(documents), (server) => server.stop());
  const cloister = started.adopt(await startCloister(documents), (server) => server.stop());
  const comparisons = await contest(cloister, baseline, seconds);
  console.table(
    SCENARIOS.flatMap((scenario, at) => comparisons.slice(at, at + 1).map((one) => row(scenario, one))),
  );
  const [byId, , filter] = comparisons.map(({ ours }) => ours.cpu);
  const rss = Math.max(...comparisons.map(({ ours }) => ours.rss));
  return { documents, byId: byId ?? 0, filter: filter ?? 0, rss, readyMs: cloister.readyMs };
}

/** `largest`: documents in the last round; `seconds` of each turn. */
export async function benchCollections(largest: number, seconds: number): Promise<void> {
  const sizes = [SMALLEST, 100_000, 1_000_000].filter((size) => size < largest);
  const rounds: Round[] = [];
  for (const documents of [...sizes, largest]) rounds.push(await round(documents, seconds));

  console.log('\nBy size: processor time of one request, HTTP and authentication included');
  console.table(
    rounds.map(({ documents, byId, filter, rss, readyMs }) => ({
      documents: whole(documents),
      'by id µs': whole(byId),
      'indexed filter µs': whole(filter),
      'peak RSS MB (aim < 250)': whole(rss / MEGABYTE),
      'ready ms (aim < 500)': whole(readyMs),
    })),
  );
}
