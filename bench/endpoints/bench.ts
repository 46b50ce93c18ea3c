// `npm run bench -- --endpoints`: the small JSON handler of `handler.ts` at 50 connections, authentication off: in a Cloister
// endpoint, in workerd, and in a bare Fastify without any sandbox, in turns. Each server with its processes shares one core, the
// generator has the other. Then: first calls, a good endpoint beside bad ones, a thousand endpoints.
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

/** `seconds` of each turn. */
export async function benchEndpoints(seconds: number): Promise<void> {
  await using started = new AsyncDisposableStack();
  const stop = (server: RunningServer) => server.stop();
  const cloister = started.adopt(await startEndpoints(), stop);
  const workerd = started.adopt(await startWorkerd(), stop);
  const bare = started.adopt(await startBare(), stop);
  console.log(`\nThe same small JSON handler, ${CONNECTIONS} connections, authentication off`);
  const targets = {
    cloister: { server: cloister, load: LOAD },
    workerd: { server: workerd, load: LOAD },
    bare: { server: bare, load: LOAD },
  };
  const measured = await measure(targets, seconds);
  console.table(Object.entries(measured).map(([name, measurement]) => row(name, measurement)));
  const besideWorkerd = cpuRatio(measured.cloister, measured.workerd);
  const besideBare = cpuRatio(measured.cloister, measured.bare);
  console.log(
    `cloister by processor time: ${times(besideWorkerd)} workerd (aim ${aimOf(besideWorkerd, AIM_WORKERD)}),`,
    `${times(besideBare)} no sandbox (aim ${aimOf(besideBare, AIM_BARE)})`,
  );
  printNoise(Object.values(measured));
  await benchFirstCalls(cloister);
  await benchNeighbours(cloister, seconds);
  await benchDeployed(cloister);
}
