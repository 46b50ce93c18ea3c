// Every way to create, change and remove documents, and every kind of caller: on both databases, with and without the cache of answers.
import { describeMongo } from '../helpers/store/mongo-servers.ts';
import { describeCells } from './cells/cells.ts';
import { FIELDS, HISTORIES, SUB_DOCUMENTS } from './cells/nested-ways.ts';
import { CREATING, REMOVING, UPDATING } from './cells/writing-ways.ts';

describeMongo('Writing', ({ replicaSet }) => {
  describeCells('documents, histories and fields', replicaSet, [
    ...CREATING,
    ...UPDATING,
    ...REMOVING,
    ...SUB_DOCUMENTS,
    ...HISTORIES,
    ...FIELDS,
  ]);
});
