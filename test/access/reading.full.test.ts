// Every way to read documents, and every kind of caller: on both databases, with and without the cache of answers.
import { describeMongo } from '../helpers/store/mongo-servers.ts';
import { describeCells } from './cells/cells.ts';
import { READING_DOCUMENTS } from './cells/reading-ways.ts';
import { READING_FIELDS, READING_REFERENCES } from './cells/reference-ways.ts';

describeMongo('Reading', ({ replicaSet }) => {
  describeCells('documents, through references and fields', replicaSet, [
    ...READING_DOCUMENTS,
    ...READING_REFERENCES,
    ...READING_FIELDS,
  ]);
});
