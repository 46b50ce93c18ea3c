// Collections: Cloister (authentication on, response cache off) beside bare Fastify servers on the same database: same machine,
// same run, same documents, same durability. The hard baseline is as fast as a server that works with documents can be, the floor
// the least that can be done at all, the ordinary one what a developer writes in an afternoon. Each server has one core, the
// generator the other.
import type { BaselineName, Engine } from './engines.ts';
import { type FilledServer, startBaseline, startFilledCloister } from './filled-servers.ts';
import { aimOf, megabytes, times, whole } from './format.ts';
import { cpuRatio, type Measurement, measure, printNoise, type Target } from './measure.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

type Baselines<T> = Readonly<Partial<Record<BaselineName, T>>>;
type Each<T> = Baselines<T> & { readonly cloister: T };

/** The first baseline is the one that the aim is for. */
function row(engine: Engine, { name, aims }: Scenario, { cloister, ...baselines }: Each<Measurement>) {
  const all = [cloister, ...Object.values(baselines)];
  const each = (text: (one: Measurement) => string | number) => all.map(text).join(' : ');
  const ratios = Object.entries(baselines).map(
    ([of, baseline]) => [of, cpuRatio(cloister, baseline)] as const,
  );
  return {
    request: name,
    'cpu µs': each(({ cpu }) => whole(cpu)),
    ...Object.fromEntries(ratios.map(([of, ratio]) => [of, times(ratio)])),
    aim: aimOf(ratios[0]?.[1] ?? Number.NaN, aims[engine.name]),
    ...(engine.name === 'sqlite' ? {} : { 'db µs': each(({ databaseCpu }) => whole(databaseCpu)) }),
    'server MB': megabytes(cloister.server),
    'all MB': megabytes(cloister.all),
    '/s': each(({ perSecond }) => whole(perSecond)),
    'p50 ms': each(({ p50 }) => p50),
    'p99 ms': each(({ p99 }) => p99),
  };
}

async function measureScenario(
  scenario: Scenario,
  servers: Each<FilledServer>,
  seconds: number,
): Promise<Each<Measurement>> {
  const targets = Object.entries(servers).map(([name, server]): [string, Target] => {
    const load = name === 'cloister' ? scenario.cloister(server) : scenario.baseline(server);
    return [name, { server, load }];
  });
  return (await measure(Object.fromEntries(targets), seconds)) as unknown as Each<Measurement>;
}

/** `documents` in each server, `seconds` of each turn. */
export async function benchCollections(engine: Engine, documents: number, seconds: number): Promise<void> {
  const names = ['cloister', ...Object.keys(engine.baselines)].join(' : ');
  console.log(`\n${engine.name}, ${whole(documents)} documents; columns are ${names}`);
  await using started = new AsyncDisposableStack();
  const data = started.adopt(await engine.createData(), (one) => one.dispose());
  const baselines: Partial<Record<BaselineName, FilledServer>> = {};
  for (const [name, baseline] of Object.entries(engine.baselines)) {
    const server = await startBaseline(baseline, data, documents);
    baselines[name as BaselineName] = started.adopt(server, (one) => one.stop());
  }
  const cloister = started.adopt(await startFilledCloister(data, documents), (server) => server.stop());
  const rows: object[] = [];
  const measurements: Measurement[] = [];
  for (const scenario of SCENARIOS) {
    const measured = await measureScenario(scenario, { cloister, ...baselines }, seconds);
    rows.push(row(engine, scenario, measured));
    measurements.push(...Object.values(measured));
  }
  console.table(rows);
  printNoise(measurements);
}
