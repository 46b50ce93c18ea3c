// `npm run bench -- --endpoints`: the small JSON handler of `handler.ts` at 50 connections, authentication off: in a Cloister
// endpoint without and with the just-in-time compiler, in workerd, and in a bare Fastify without any sandbox, in turns. Each server
// with its processes shares one core, the generator has the other. Then: first calls, a good endpoint beside bad ones, a thousand
// endpoints.
import { aimOf, megabytes, times, whole } from '../format.ts';
import { cpuRatio, type Load, type Measurement, measure, printNoise } from '../measure.ts';
import type { RunningServer } from '../servers.ts';
import { benchDeployed, benchFirstCalls } from './deployed.ts';
import { BODY, PATH } from './handler.ts';
import { benchNeighbours } from './neighbours.ts';
import { startBare, startEndpoints, startWorkerd } from './servers.ts';

const CONNECTIONS = 50;
const LOAD: Load = { method: 'POST', paths: [PATH], body: BODY, connections: CONNECTIONS };
/** Least ratios of processor time. */
const AIM_WORKERD = 1.1;
const AIM_WORKERD_JIT = 1.4;
const AIM_BARE = 0.5;

function row(server: string, measurement: Measurement) {
  return {
    server,
    'cpu µs': whole(measurement.cpu),
    'server MB': megabytes(measurement.server),
    'all MB': megabytes(measurement.all),
    '/s': whole(measurement.perSecond),
    'p50 ms': measurement.p50,
    'p99 ms': measurement.p99,
  };
}

const stop = (server: RunningServer) => server.stop();

/** Measures one call, beside workerd and beside no sandbox; `seconds` of each turn. */
export async function benchCalls(seconds: number): Promise<void> {
  await using started = new AsyncDisposableStack();
  const cloister = started.adopt(await startEndpoints(), stop);
  const compiled = started.adopt(await startEndpoints({ jit: true }), stop);
  const workerd = started.adopt(await startWorkerd(), stop);
  const bare = started.adopt(await startBare(), stop);
  console.log(`\nThe same small JSON handler, ${CONNECTIONS} connections, authentication off`);
  const targets = {
    cloister: { server: cloister, load: LOAD },
    compiled: { server: compiled, load: LOAD },
    workerd: { server: workerd, load: LOAD },
    bare: { server: bare, load: LOAD },
  };
  const measured = await measure(targets, seconds);
  console.table(Object.entries(measured).map(([name, measurement]) => row(name, measurement)));
  const print = (name: string, measurement: Measurement, aim: number) => {
    const besideWorkerd = cpuRatio(measurement, measured.workerd);
    const besideBare = cpuRatio(measurement, measured.bare);
    console.log(
      `${name} by processor time: ${times(besideWorkerd)} workerd (aim ${aimOf(besideWorkerd, aim)}),`,
      `${times(besideBare)} no sandbox (aim ${aimOf(besideBare, AIM_BARE)})`,
    );
  };
  print('without the compiler', measured.cloister, AIM_WORKERD);
  print('with the compiler', measured.compiled, AIM_WORKERD_JIT);
  printNoise(Object.values(measured));
}

/** The same, then first calls, neighbours, and a thousand endpoints. */
export async function benchEndpoints(seconds: number): Promise<void> {
  await benchCalls(seconds);
  await using started = new AsyncDisposableStack();
  const cloister = started.adopt(await startEndpoints(), stop);
  await benchFirstCalls(cloister);
  await benchNeighbours(cloister, seconds);
  await benchDeployed(cloister);
}
