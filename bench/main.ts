// `npm run bench`: collections beside bare Fastify servers on the same database, and the start. `docs/performance.md` says what
// the figures mean.
//   --engine E      sqlite or mongodb (sqlite); mongodb starts a server of its own, or takes
//   --uri U         a deployment that is there, in databases of its own that it drops
//   --documents N   in each server (10,000); with --growth the most (1,000,000)
//   --seconds S     of each turn (2)
//   --growth        10,000, 100,000 and 1,000,000 documents beside each other instead
//   --endpoints     custom endpoints beside workerd and beside no sandbox instead
//   --calls         of these only what a call costs
//   --uploads       files beside a bare Fastify that writes them to a folder, reads meanwhile, a gigabyte instead
//   --delivery      cached images beside a bare Fastify, rendering beside sharp called directly instead
//   --metrics       with and without metrics instead
//   --access        lists by access rules beside the same lists by filters, only
//   --soak N        N calls of good and bad endpoints instead, and what memory they left behind
import { parseArgs } from 'node:util';
import { benchAccess } from './access.ts';
import { benchCollections } from './collections.ts';
import { benchRendering } from './delivery/rendering.ts';
import { benchServing } from './delivery/serving.ts';
import { benchCalls, benchEndpoints } from './endpoints/bench.ts';
import { soak } from './endpoints/soak.ts';
import { openEngine } from './engines.ts';
import { benchGrowth } from './growth.ts';
import { benchMetrics } from './metrics.ts';
import { benchStart } from './start.ts';
import { benchUploads } from './uploads/bench.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    uri: { type: 'string' },
    documents: { type: 'string' },
    seconds: { type: 'string', default: '2' },
    growth: { type: 'boolean', default: false },
    endpoints: { type: 'boolean', default: false },
    calls: { type: 'boolean', default: false },
    uploads: { type: 'boolean', default: false },
    delivery: { type: 'boolean', default: false },
    metrics: { type: 'boolean', default: false },
    access: { type: 'boolean', default: false },
    soak: { type: 'string' },
  },
});
const seconds = Number(values.seconds);

async function benchDatabase(): Promise<void> {
  const engine = await openEngine(values.engine, values.uri);
  try {
    if (values.growth) await benchGrowth(engine, Number(values.documents ?? 1_000_000), seconds);
    else await benchCollections(engine, Number(values.documents ?? 10_000), seconds);
  } finally {
    await engine.stop();
  }
  if (values.growth) return;
  await benchAccess(Number(values.documents ?? 10_000), seconds);
  await benchStart();
}

if (values.soak !== undefined) await soak(Number(values.soak));
else if (values.delivery) {
  await benchServing(seconds);
  await benchRendering();
} else if (values.calls) await benchCalls(seconds);
else if (values.endpoints) await benchEndpoints(seconds);
else if (values.metrics) await benchMetrics(Number(values.documents ?? 10_000), seconds);
else if (values.access) await benchAccess(Number(values.documents ?? 10_000), seconds);
else if (values.uploads) await benchUploads(seconds);
else await benchDatabase();
