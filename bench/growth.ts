// `npm run bench -- --growth`: whether requests cost more the more documents there are. One server for each size, all of them
// measured in turn, each beside the smallest.
import type { Engine } from './engines.ts';
import { startFilledCloister } from './filled-servers.ts';
import { times, whole } from './format.ts';
import { cpuRatio, type Measurement, measure, printNoise } from './measure.ts';
import { SCENARIOS } from './scenarios.ts';

const SIZES = [10_000, 100_000, 1_000_000];
/** How many times as much a request may cost as beside the fewest documents. */
const AIM = 1.3;

type ScenarioName = (typeof SCENARIOS)[number]['name'];

const MEASURED: Readonly<Record<Engine['name'], readonly ScenarioName[]>> = {
  sqlite: ['by id', 'indexed filter, one match', 'list of 40', 'create, three indexes'],
  mongodb: ['by id', 'indexed filter, one match'],
};

/** Database included. */
const costOf = ({ cpu, databaseCpu }: Measurement) => cpu + databaseCpu;

function row(name: string, measured: readonly Measurement[]) {
  const [smallest] = measured;
  if (smallest === undefined) return {};
  const growth = (one: Measurement) =>
    one.databaseCpu > 0 ? costOf(one) / costOf(smallest) : cpuRatio(smallest, one);
  return {
    request: name,
    'cpu µs': measured.map((one) => whole(costOf(one))).join(' : '),
    growth: measured
      .slice(1)
      .map((one) => times(growth(one)))
      .join(' : '),
    aim: measured.every((one) => growth(one) <= AIM) ? `≤ ${AIM} met` : `≤ ${AIM} MISSED`,
    'server MB': measured.map(({ server }) => whole(server / 1024 ** 2)).join(' : '),
    'p50 ms': measured.map(({ p50 }) => p50).join(' : '),
  };
}

/** Sizes below `largest` documents and that itself, `seconds` of each turn. */
export async function benchGrowth(engine: Engine, largest: number, seconds: number): Promise<void> {
  const sizes = [...SIZES.filter((size) => size < largest), largest];
  console.log(`\n${engine.name}; columns are ${sizes.map(whole).join(' : ')} documents`);
  await using started = new AsyncDisposableStack();
  const servers = new Map<string, Awaited<ReturnType<typeof startFilledCloister>>>();
  for (const size of sizes) {
    const data = started.adopt(await engine.createData(), (one) => one.dispose());
    const began = performance.now();
    const server = started.adopt(await startFilledCloister(data, size), (one) => one.stop());
    servers.set(`${size} documents`, server);
    console.log(`${whole(size)} documents filled in ${whole((performance.now() - began) / 1000)} s`);
  }
  const rows: object[] = [];
  const all: Measurement[] = [];
  for (const { name, cloister } of SCENARIOS.filter((one) => MEASURED[engine.name].includes(one.name))) {
    const targets = [...servers].map(([size, server]) => [size, { server, load: cloister(server) }] as const);
    const measured = Object.values(await measure(Object.fromEntries(targets), seconds));
    rows.push(row(name, measured));
    all.push(...measured);
  }
  console.table(rows);
  printNoise(all);
}
