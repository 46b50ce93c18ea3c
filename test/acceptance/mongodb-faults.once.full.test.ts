// A MongoDB that answers with errors, at the start and later: the server stays up, says 503, and goes on by itself.
import type { Document } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { startApp } from '../helpers/app/app.ts';
import { book } from '../helpers/fixtures/library.ts';
import { describeMongo, ownServer, rawClient } from '../helpers/store/mongo-servers.ts';
import { mongoEnvironment, withDatabase } from '../helpers/temp/workspace.ts';

const BOOKS = '/1.0/library/books';
const OF_THE_START = ['listIndexes', 'createIndexes', 'find', 'insert', 'update', 'aggregate', 'count'];

async function open() {
  const server = await ownServer();
  const fail = (mode: Document | string, data: Document) =>
    rawClient(server.uri).db('admin').command({ configureFailPoint: 'failCommand', mode, data });
  const start = async (database: string) => {
    const log: string[] = [];
    const app = await startApp({ env: mongoEnvironment(withDatabase(server.uri, database)), log });
    onTestFinished(() => app.close());
    return { ...app, log };
  };
  return { fail, start };
}

describeMongo('A MongoDB that fails', () => {
  it('with any error in a step of the start does not end the start', async () => {
    const { fail, start } = await open();
    for (const errorCode of [8, 175, 211, 11_601]) {
      await fail({ times: 12 }, { failCommands: OF_THE_START, errorCode });
      const { app, inject, log } = await start(`start-${errorCode}`);
      await app.started;
      expect((await inject('POST', BOOKS, { body: book(1) })).status).toBe(200);
      const told = log.filter((line) => /the start is|step of the start/.test(line));
      expect(new Set(told).size).toBe(told.length);
    }
  });

  it('later answers 503, tells nothing, and is used again at once', async () => {
    const { fail, start } = await open();
    const { inject, log } = await start('later');
    const made = await inject('POST', BOOKS, { body: book(1) });
    const { _id: id } = made.body.results[0];
    await fail('alwaysOn', { failCommands: ['find', 'count', 'insert', 'update', 'delete'], errorCode: 8 });
    const requests = [
      ['GET', BOOKS],
      ['GET', `${BOOKS}/${id}`],
      ['GET', `${BOOKS}/count`],
      ['POST', BOOKS, book(2)],
      ['POST', BOOKS, [book(3), book(4)]],
      ['PUT', `${BOOKS}/${id}`, { title: 'New' }],
      ['DELETE', `${BOOKS}/${id}`],
    ] as const;
    for (const [method, path, body] of requests) {
      const answer = await inject(method, path, { body });
      expect([method, path, answer.status]).toEqual([method, path, 503]);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]/);
      expect(JSON.stringify(answer.body)).not.toMatch(/failpoint|failCommand|mongo/i);
    }
    await fail('off', {});
    expect((await inject('GET', BOOKS)).body.metadata.totalCount).toBe(1);
    const lines = log.filter((line) => line.includes('database operation failed'));
    expect(lines).toHaveLength(1);
    await expect.poll(async () => (await inject('GET', '/health')).status).toBe(200);
  });
});
