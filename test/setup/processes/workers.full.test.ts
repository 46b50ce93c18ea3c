import { afterAll, describe } from 'vitest';
import { createDatabase, describeMongo } from '../../helpers/store/mongo-servers.ts';
import { mongoEnvironment } from '../../helpers/temp/workspace.ts';
import { describeWorkers } from './workers-cases.ts';

describe('a server of two workers on the embedded database', () => {
  describeWorkers(async () => ({}));
});

describeMongo('a server of two workers', ({ replicaSet }) => {
  describe('on MongoDB', () => {
    const { uri, drop } = createDatabase(replicaSet);
    describeWorkers(async () => mongoEnvironment(uri));
    afterAll(drop);
  });
});
