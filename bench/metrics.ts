// What counting costs: two servers with the same documents that differ in `metrics.enabled` alone, in turns. The one that counts is
// scraped meanwhile, three times as often as is usual.
import type { JsonObject } from '../src/lib/json/json.ts';
import { countingNs } from './counting.ts';
import { openEngine } from './engines.ts';
import { startFilledCloister } from './filled-servers.ts';
import { whole } from './format.ts';
import { cpuRatio, type Measurement, measure, printNoise } from './measure.ts';
import { SCENARIOS } from './scenarios.ts';

const SCRAPE_MS = 5000;
const ROUNDS = 15;

const TOKEN = 'a-token-of-the-benchmark';
const MEASURED = ['by id', 'list of 40', 'create, three indexes'];

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** Scrapes a server until it is disposed of. */
function scrapeOften(url: string): Disposable {
  const scrape = async () => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    if (!answer.ok) throw new Error(`metrics: ${answer.status}`);
    await answer.text();
  };
  const timer = setInterval(scrape, SCRAPE_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** `documents` in each server, `seconds` of each turn. */
export async function benchMetrics(documents: number, seconds: number): Promise<void> {
  const engine = await openEngine('sqlite', undefined);
  await using started = new AsyncDisposableStack();
  started.defer(() => engine.stop());
  const start = async (metrics: JsonObject) => {
    const data = started.adopt(await engine.createData(), (one) => one.dispose());
    return started.adopt(await startFilledCloister(data, documents, { metrics }), (one) => one.stop());
  };
  const without = await start({ enabled: false });
  const counting = await start({ token: TOKEN });
  using _scraping = scrapeOften(counting.url);
  const rows: object[] = [];
  const measurements: Measurement[] = [];
  for (const { name, cloister } of SCENARIOS.filter((scenario) => MEASURED.includes(scenario.name))) {
    const targets = {
      without: { server: without, load: cloister(without) },
      counting: { server: counting, load: cloister(counting) },
    };
    const measured = await measure(targets, seconds, ROUNDS);
    const added = cpuRatio(measured.without, measured.counting) - 1;
    rows.push({
      request: name,
      'cpu µs': `${whole(measured.counting.cpu)} : ${whole(measured.without.cpu)}`,
      'least cpu µs': [measured.counting, measured.without]
        .map(({ turns }) => Math.min(...turns.map(({ cpu }) => cpu)).toFixed(1))
        .join(' : '),
      added: percent(added),
      aim: `≤ 2 % ${added <= 0.02 ? 'met' : 'MISSED'}`,
      'p99 ms': `${measured.counting.p99} : ${measured.without.p99}`,
    });
    measurements.push(...Object.values(measured));
  }
  console.log(`\nmetrics: counting and scraped : off; median of ${ROUNDS} turns each`);
  console.table(rows);
  console.log(`counting alone: ${whole(countingNs())} ns of a read with one operation of the database`);
  printNoise(measurements);
}
