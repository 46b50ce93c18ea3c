// The types of the admin page are what the generator makes of the API description, and nobody has written in them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GENERATOR, makePageTypes, PAGE_TYPES } from '../../scripts/docs/page-types.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { isProgramInstalled } from '../helpers/server-process/programs.ts';

describe.runIf(isProgramInstalled(join(ROOT, GENERATOR), 'npm run test:servers'))(
  'the types of the admin page',
  () => {
    it('are what is made of the description', () => {
      expect(readFileSync(join(ROOT, PAGE_TYPES), 'utf8')).toBe(makePageTypes(ROOT));
    });
  },
);
