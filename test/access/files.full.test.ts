// Every way to records and bytes of files, and every kind of caller, also where the bytes of collections without rules are public.
import { describeMongo } from '../helpers/store/mongo-servers.ts';
import { describeCells } from './cells/cells.ts';
import { FILES } from './cells/file-ways.ts';

describeMongo('Files', ({ replicaSet }) => {
  describeCells('of a collection with rules', replicaSet, FILES);
  describeCells('of a collection with rules, with media.public', replicaSet, FILES, {
    media: { public: true },
  });
});
