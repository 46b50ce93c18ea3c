// Whatever goes wrong, nobody learns the credentials of the connection string.
import { inspect } from 'node:util';
import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';
import { describeMongo, ownServer } from '../../../helpers/store/mongo-servers.ts';
import { openConnection, rejection } from '../connections.ts';

const BOOKS = { database: null, collection: 'books' };
const PASSWORD = 's3:cr/et@word';
const WRITTEN = encodeURIComponent(PASSWORD);
const USER = 'librarian';

/** Everything that can be seen of an error, and of the errors behind it. */
function seen(error: unknown): string {
  const all = inspect(error, { depth: null, showHidden: true });
  return error instanceof Error ? `${all}${error.stack}${seen(error.cause)}` : all;
}

async function failAt(uri: string) {
  const { connection, lines } = openConnection(uri);
  const deadline = Date.now() + 5000;
  const read = connection.run({ deadline }, (scope) => scope.collection(BOOKS).findOne());
  const errors = [await rejection(read), await rejection(connection.health())];
  expect(errors).toMatchObject([{ reason: 'unavailable' }, { reason: 'unavailable' }]);
  const told = [...errors, ...lines].map(seen).join('\n');
  for (const secret of [PASSWORD, WRITTEN, 's3:cr', 's3%3Acr', USER]) expect(told).not.toContain(secret);
  return lines;
}

describeMongo('credentials are not logged', () => {
  it('for a server that is down', async () => {
    const lines = await failAt(`mongodb://${USER}:${WRITTEN}@127.0.0.1:1/site?authSource=${USER}`);
    expect(lines).toMatchObject([{ level: 'warn', message: 'database unavailable' }]);
  });

  it('for an unknown host', async () => {
    await failAt(`mongodb://${USER}:${WRITTEN}@no-such-host.invalid/site`);
    await failAt(`mongodb+srv://${USER}:${WRITTEN}@no-such-host.invalid/site`);
  });

  it('when they are wrong, lack a privilege, or are right', async () => {
    const server = await ownServer({ auth: true });
    const { host } = new URL(server.uri);
    const at = (login: string, rest: string) => `mongodb://${login}@${host}/site${rest}`;
    const refused = await failAt(at(`${USER}:${WRITTEN}`, '?authSource=admin'));
    expect(refused).toMatchObject([
      {
        level: 'error',
        message: 'database authentication failed: check the user and password in database.mongodb.uri',
      },
    ]);

    const root = new MongoClient(server.uri);
    const roles = [{ role: 'readWrite', db: 'site' }];
    await root.db('admin').command({ createUser: USER, pwd: PASSWORD, roles });
    await root.close();
    const { connection, lines } = openConnection(at(`${USER}:${WRITTEN}`, '?authSource=admin'));
    await connection.run({}, (scope) => scope.collection(BOOKS).insertOne({ title: 'PRIVATE' }));
    await connection.health();
    const elsewhere = { database: 'other', collection: 'books' };
    const insert = connection.run({}, (scope) => scope.collection(elsewhere).insertOne({ title: 'PRIVATE' }));
    const error = await rejection(insert);
    expect(error).toMatchObject({ reason: 'unavailable' });
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringContaining('standalone'),
      expect.stringContaining('lacks a privilege'),
    ]);
    expect([error, ...lines].map(seen).join('\n')).not.toMatch(/s3|PRIVATE|librarian/);
  });
});
