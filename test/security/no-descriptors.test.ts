// A server that has hardly a descriptor left, or none, when a request is the first to need a process or a thread: the request is
// answered with 503, the server lives, and everything works once there are descriptors again.
import { describe, expect, it } from 'vitest';
import { FIRST_REQUESTS, startStarvedServer } from './starved-server.ts';

const NAMES = Object.keys(FIRST_REQUESTS);
/** More than all of the requests need together. */
const MAX_MARGIN = 40;
/** What a start that fails is followed by before the next is tried. */
const RECOVERED = { timeout: 60_000, interval: 100 };

/** The first of them differs from margin to margin: what one has started another finds. */
const inOrderOf = (margin: number) => NAMES.map((_, at) => NAMES[(at + margin) % NAMES.length] as string);

describe('a server that can open no more than so many descriptors', () => {
  it.each(Array.from({ length: MAX_MARGIN + 1 }, (_, margin) => margin))(
    '(%i) answers first requests of each kind, or says when to repeat them, and lives',
    async (margin) => {
      const starved = await startStarvedServer();
      try {
        starved.limit(margin);
        for (const name of inOrderOf(margin)) {
          const { status, retryAfter, text } = await starved.ask(name);
          const answer = { name, status, retries: Number(retryAfter) > 0 };
          const served = { name, status: expect.toBeOneOf([200, 201]), retries: false };
          expect(answer, text).toEqual(expect.toBeOneOf([served, { name, status: 503, retries: true }]));
        }
        starved.release();
        for (const name of NAMES) {
          const statusOf = async () => (await starved.ask(name)).status;
          await expect.poll(statusOf, RECOVERED).toBeLessThan(300);
        }
        expect(starved.server.process.exitCode).toBe(null);
      } finally {
        await starved.close();
      }
    },
  );
});
