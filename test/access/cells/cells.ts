// Cells of the matrix: one way to a document, one caller, one outcome; each on every server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallerName } from '../model/callers.ts';
import { openVariants, UNCACHED_NAMES, VARIANT_NAMES, type Variant } from '../variants.ts';
import { EVERYONE, openSite, type Send, type Site, SPECIFICATIONS } from './site.ts';

/** In the order of CALLERS: anonymous, plain, editor, ann, limited, reader, admin. */
type Outcomes = readonly [unknown, unknown, unknown, unknown, unknown, unknown, unknown];

export interface Way {
  /** A sentence after the caller: `reads the open book`. */
  readonly does: string;
  readonly outcomes: Outcomes;
  /** Repeated at once, and once more by everyone in the other order: reads only. */
  readonly isRead: boolean;
  run(send: Send, site: Site, caller: CallerName): Promise<unknown>;
}

/** A read: what it answers depends on the caller alone, whoever asked before. */
export const read = (does: string, outcomes: Outcomes, run: Way['run']): Way => ({
  does,
  outcomes,
  isRead: true,
  run,
});

/** A write, of documents that it creates before. */
export const write = (does: string, outcomes: Outcomes, run: Way['run']): Way => ({
  does,
  outcomes,
  isRead: false,
  run,
});

const SUBJECTS: Readonly<Record<CallerName, string>> = {
  anonymous: 'a caller without a token',
  plain: 'a client without roles',
  editor: 'an editor',
  ann: 'the client that rules name',
  limited: 'an editor whose permissions are reading and updating books',
  reader: 'an editor who may only read',
  admin: 'an admin',
};

const told = (outcome: unknown): string => JSON.stringify(outcome).replaceAll('"', '').replaceAll('%', '');

/** Registers a test for each way, caller and server: of writes, those without a cache. `uri` is a MongoDB server. */
export function describeCells(about: string, uri: string, ways: readonly Way[], config = {}): void {
  const names = ways.some(({ isRead }) => isRead) ? VARIANT_NAMES : UNCACHED_NAMES;
  let variants: readonly Variant[] = [];
  let close = async () => {};
  const sites: Site[] = [];
  beforeAll(async () => {
    ({ variants, close } = await openVariants(uri, { specs: SPECIFICATIONS, config, names }));
    for (const { app } of variants) sites.push(await openSite(app));
  });
  afterAll(() => close());

  describe.each(names.map((name, at) => [name, at] as const))(`${about}, on %s`, (_name, at) => {
    for (const { does, outcomes, isRead, run } of ways) {
      if (!isRead && at >= UNCACHED_NAMES.length) continue;
      for (const [n, caller] of EVERYONE.entries()) {
        it(`${SUBJECTS[caller]} ${does}: ${told(outcomes[n])}`, async () => {
          const site = sites[at] as Site;
          expect(await run(site.as(caller), site, caller)).toEqual(outcomes[n]);
          if (isRead) expect(await run(site.as(caller), site, caller)).toEqual(outcomes[n]);
        });
      }
      if (!isRead) continue;
      it(`every caller, in the other order, ${does}: the same`, async () => {
        const site = sites[at] as Site;
        for (const [n, caller] of [...EVERYONE.entries()].toReversed())
          expect([caller, await run(site.as(caller), site, caller)]).toEqual([caller, outcomes[n]]);
      });
    }
  });
}
