// Collections: Cloister (authentication on, response cache off) beside bare Fastify servers on the same database: same machine,
// same run, same documents, same durability. The hard baseline is the least that can be done, the ordinary one what a developer
// writes in an afternoon. Each server has one core, the generator the other.
import type { Engine } from './engines.ts';
import { type FilledServer, startBaseline, startFilledCloister } from './filled-servers.ts';
import { aimOf, megabytes, times, whole } from './format.ts';
import { cpuRatio, type Measurement, measure, printNoise, type Target } from './measure.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

type Name = 'cloister' | 'hard' | 'ordinary';
type Measured = Readonly<Partial<Record<Name, Measurement>>> & { readonly cloister: Measurement };

function row(engine: Engine, { name, aims }: Scenario, measured: Measured) {
  const { cloister, hard, ordinary } = measured;
  const all = [cloister, hard, ordinary].filter((one) => one !== undefined);
  const each = (text: (one: Measurement) => string | number) => all.map(text).join(' : ');
  const reference = hard ?? ordinary;
  const ratio = reference === undefined ? Number.NaN : cpuRatio(cloister, reference);
  return {
    request: name,
    'cpu µs': each(({ cpu }) => whole(cpu)),
    ...(hard === undefined ? {} : { hard: times(cpuRatio(cloister, hard)) }),
    ...(ordinary === undefined ? {} : { ordinary: times(cpuRatio(cloister, ordinary)) }),
    aim: aimOf(ratio, aims[engine.name]),
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
  servers: Readonly<Partial<Record<Name, FilledServer>>>,
  seconds: number,
): Promise<Measured> {
  const targets = Object.entries(servers).map(([name, server]): [string, Target] => {
    const load = name === 'cloister' ? scenario.cloister(server) : scenario.baseline(server);
    return [name, { server, load }];
  });
  return (await measure(Object.fromEntries(targets), seconds)) as Measured;
}

/** `documents` in each server, `seconds` of each turn. */
export async function benchCollections(engine: Engine, documents: number, seconds: number): Promise<void> {
  const { hard: hardScript, ordinary: ordinaryScript } = engine.baselines;
  const names = ['cloister', ...Object.keys(engine.baselines)].join(' : ');
  console.log(`\n${engine.name}, ${whole(documents)} documents; columns are ${names}`);
  await using started = new AsyncDisposableStack();
  const data = started.adopt(await engine.createData(), (one) => one.dispose());
  const start = async (script: string | undefined) =>
    script === undefined
      ? undefined
      : started.adopt(await startBaseline(script, data, documents), (server) => server.stop());
  const hard = await start(hardScript);
  const ordinary = await start(ordinaryScript);
  const cloister = started.adopt(await startFilledCloister(data, documents), (server) => server.stop());
  const servers = {
    cloister,
    ...(hard === undefined ? {} : { hard }),
    ...(ordinary === undefined ? {} : { ordinary }),
  };
  const rows: object[] = [];
  const measurements: Measurement[] = [];
  for (const scenario of SCENARIOS) {
    const measured = await measureScenario(scenario, servers, seconds);
    rows.push(row(engine, scenario, measured));
    measurements.push(...Object.values(measured));
  }
  console.table(rows);
  printNoise(measurements);
}
