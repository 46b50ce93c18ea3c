// Cloister (authentication on, response cache off) beside a bare Fastify server on the same database: same machine, same
// run, same documents, same durability. At 10,000 documents and each power of ten up to the largest. After a warm-up the
// two take five turns each; all figures are medians of these. `cpu` is the processor time of a server for one request: it
// minds least what else runs; `db` is that of the database, where it is a process of its own, which both keep busy on the
// same cores. Answers of Cloister always tell the total, so the baseline counts too; the last rows show it without.
import type { Engine } from './engines.ts';
import { type Comparison, compare } from './measure.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { type Contestant, startBaseline, startCloister } from './servers.ts';

const SMALLEST = 10_000;
const MEGABYTE = 1024 * 1024;

const whole = (n: number) => Math.round(n).toLocaleString('en');

function row(engine: Engine, { name, aims }: Scenario, { ours, theirs, ratio, cpuRatio }: Comparison) {
  const aim = aims?.[engine.name];
  // Counting a million documents takes longer than a turn: where a server answered nothing, nothing can be compared.
  const isComparable = ours.perSecond > 0 && theirs.perSecond > 0;
  return {
    request: name,
    'cloister/s': whole(ours.perSecond),
    'baseline/s': whole(theirs.perSecond),
    ratio: isComparable ? `${ratio.toFixed(2)}×` : '',
    aim: aim === undefined || !isComparable ? '' : `≥ ${aim}× ${ratio >= aim ? 'met' : 'MISSED'}`,
    'cpu µs': `${whole(ours.cpu)} : ${whole(theirs.cpu)}`,
    'by cpu': `${cpuRatio.toFixed(2)}×`,
    ...(engine.name === 'sqlite'
      ? {}
      : { 'db µs': `${whole(ours.databaseCpu)} : ${whole(theirs.databaseCpu)}` }),
    'p50 ms': `${ours.p50} : ${theirs.p50}`,
    'p99 ms': `${ours.p99} : ${theirs.p99}`,
    'RSS MB': whole(ours.rss / MEGABYTE),
  };
}

interface Round {
  readonly documents: number;
  readonly comparisons: readonly Comparison[];
  readonly readyMs: number;
}

// Their cost should not depend on the number of documents; a page of many matches counts these.
const FLAT = ['by id', 'indexed filter, one match', 'indexed filter and sort of 40'];

async function contest(cloister: Contestant, baseline: Contestant, seconds: number): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const scenario of SCENARIOS) {
    const ours = { target: cloister, load: scenario.cloister(cloister) };
    const theirs = { target: baseline, load: scenario.baseline(baseline) };
    comparisons.push(await compare(ours, theirs, seconds));
  }
  return comparisons;
}

async function round(engine: Engine, documents: number, seconds: number): Promise<Round> {
  console.log(`\n${engine.name}, ${whole(documents)} documents: filling both`);
  await using started = new AsyncDisposableStack();
  const ground = started.adopt(await engine.ground(), (place) => place.dispose());
  const baseline = started.adopt(await startBaseline(ground, documents), (server) => server.stop());
  const cloister = started.adopt(await startCloister(ground, documents), (server) => server.stop());
  const comparisons = await contest(cloister, baseline, seconds);
  console.table(
    SCENARIOS.flatMap((scenario, at) =>
      comparisons.slice(at, at + 1).map((one) => row(engine, scenario, one)),
    ),
  );
  return { documents, comparisons, readyMs: cloister.readyMs };
}

/** Processor time of one request, the database's included, HTTP and authentication too. */
function bySize({ documents, comparisons, readyMs }: Round) {
  const cost = (name: string) => {
    const ours = comparisons[SCENARIOS.findIndex((scenario) => scenario.name === name)]?.ours;
    return ours === undefined ? '' : `${whole(ours.cpu + ours.databaseCpu)} (${ours.p50} ms)`;
  };
  return {
    documents: whole(documents),
    ...Object.fromEntries(FLAT.map((name) => [`${name}, µs`, cost(name)])),
    'peak RSS MB (aim < 250)': whole(Math.max(...comparisons.map(({ ours }) => ours.rss)) / MEGABYTE),
    'ready ms (aim < 500)': whole(readyMs),
  };
}

/** `largest`: documents in the last round; `seconds` of each turn. */
export async function benchCollections(engine: Engine, largest: number, seconds: number): Promise<void> {
  const sizes = [SMALLEST, 100_000, 1_000_000].filter((size) => size < largest);
  const rounds: Round[] = [];
  for (const documents of [...sizes, largest]) rounds.push(await round(engine, documents, seconds));

  console.log(
    '\nBy size: processor time of one request (and its median), HTTP, authentication and database included',
  );
  console.table(rounds.map(bySize));
}
