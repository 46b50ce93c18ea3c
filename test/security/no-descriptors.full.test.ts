// A server that has hardly a descriptor or a thread left, or none, when a request is the first to need a process or a thread: the
// request is answered with 503, the server lives, and everything works once there are some again.
import { describe, expect, it } from 'vitest';
import { FIRST_REQUESTS, startStarvedServer } from './starved-server.ts';

const NAMES = Object.keys(FIRST_REQUESTS);
/** Some of those that were fatal once, and more than all of the requests need together; `MARGINS=all` tries every one between. */
const SOME_MARGINS = [0, 1, 3, 6, 9, 12, 17, 40];
const MARGINS =
  process.env['MARGINS'] === 'all' ? Array.from({ length: 41 }, (_, margin) => margin) : SOME_MARGINS;
/** What a start that fails is followed by before the next is tried. */
const RECOVERED = { timeout: 60_000, interval: 100 };

/** Whole processes may be started and lame, so what they answer is theirs: 400 for code whose process ends while it is loaded. */
const ENDINGS = [200, 201, 400, 502, 503];
/** The first of them differs from margin to margin: what one has started another finds. */
const inOrderOf = (margin: number) => NAMES.map((_, at) => NAMES[(at + margin) % NAMES.length] as string);

describe('a server that can open no more than so many descriptors', () => {
  it.each(MARGINS)(
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

describe('a server that can start no more than so many threads', () => {
  it.each([0, 4])('(%i) answers first requests of each kind, and lives', async (margin) => {
    const starved = await startStarvedServer();
    try {
      starved.limitThreads(margin);
      for (const name of NAMES) {
        const { status, text } = await starved.ask(name);
        expect(status, `${name}: ${text}`).toBeOneOf(ENDINGS);
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
  });

  it.each([0, 1, 2, 3])('(%i) lives whenever the time of a pattern is watched', async (margin) => {
    const starved = await startStarvedServer();
    try {
      // Its thread is there, or is to be started: the others of the process change in between.
      for (const ready of [false, true]) {
        starved.release();
        if (ready) await expect.poll(async () => (await starved.ask('pattern')).status, RECOVERED).toBe(200);
        starved.limitThreads(margin);
        for (let time = 0; time < 5; time += 1) {
          const { status, text } = await starved.ask('pattern');
          expect(status, text).toBeOneOf([200, 400, 503]);
        }
      }
      expect(starved.server.process.exitCode).toBe(null);
    } finally {
      await starved.close();
    }
  });
});
