// `npm run bench`: collections beside a bare Fastify server on the same database.
//   --engine E      sqlite or mongodb (sqlite); mongodb starts a server of its own, or takes
//   --uri U         a deployment that is there, in databases of its own that it drops
//   --documents N   the largest collection (100,000)      --seconds S   of each turn (2)
//   --endpoints     custom endpoints beside workerd and beside no sandbox instead
//   --uploads       files beside a bare Fastify that writes them to a folder, reads meanwhile, a gigabyte instead
//   --delivery      cached images beside a bare Fastify, rendering beside sharp called directly instead
//   --soak N        N calls of good and bad endpoints instead, and what memory they left behind
import { parseArgs } from 'node:util';
import { benchCollections } from './collections.ts';
import { benchRendering } from './delivery/rendering.ts';
import { benchServing } from './delivery/serving.ts';
import { benchEndpoints } from './endpoints/bench.ts';
import { soak } from './endpoints/soak.ts';
import { openEngine } from './engines.ts';
import { benchUploads } from './uploads/bench.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    uri: { type: 'string' },
    documents: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '2' },
    endpoints: { type: 'boolean', default: false },
    uploads: { type: 'boolean', default: false },
    delivery: { type: 'boolean', default: false },
    soak: { type: 'string' },
  },
});

if (values.soak !== undefined) await soak(Number(values.soak));
else if (values.delivery) {
  await benchServing(Number(values.seconds));
  await benchRendering();
} else if (values.endpoints) await benchEndpoints(Number(values.seconds));
else if (values.uploads) await benchUploads(Number(values.seconds));
else {
  const engine = await openEngine(values.engine, values.uri);
  try {
    await benchCollections(engine, Number(values.documents), Number(values.seconds));
  } finally {
    await engine.stop();
  }
}
