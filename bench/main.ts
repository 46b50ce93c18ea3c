// `npm run bench`: collections beside a bare Fastify server on the same database.
//   --engine E      sqlite or mongodb (sqlite); mongodb starts a server of its own, or takes
//   --uri U         a deployment that is there, in databases of its own that it drops
//   --documents N   the largest collection (100,000)      --seconds S   of each turn (2)
//   --endpoints     custom endpoints beside workerd and beside no sandbox instead
//   --soak N        N calls of good and bad endpoints instead, and what memory they left behind
import { parseArgs } from 'node:util';
import { benchCollections } from './collections.ts';
import { benchEndpoints } from './endpoints/bench.ts';
import { soak } from './endpoints/soak.ts';
import { openEngine } from './engines.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    uri: { type: 'string' },
    documents: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '2' },
    endpoints: { type: 'boolean', default: false },
    soak: { type: 'string' },
  },
});

if (values.soak !== undefined) await soak(Number(values.soak));
else if (values.endpoints) await benchEndpoints(Number(values.seconds));
else {
  const engine = await openEngine(values.engine, values.uri);
  try {
    await benchCollections(engine, Number(values.documents), Number(values.seconds));
  } finally {
    await engine.stop();
  }
}
