// The MongoDB servers that all test files of a run share: started when the first file asks, gone when the run is over.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { isMongodInstalled, launchReplicaSet, launchServer } from './helpers/store/mongod.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the connection strings as JSON; undefined where there is no server to start. */
    readonly mongoServers: string | undefined;
  }
}

/**
 * The shared set loses no member: tests of that have sets of three of their own. Of two, both must have a write before it is acknowledged,
 * so that a read which does not wait for that is found out as in a larger set; each further member applies every write once more. No
 * test waits for an election here, and a machine that stalls must not cause one.
 */
const SHARED_SET = { members: 2, electionTimeoutMs: 60_000 };

interface Disposable {
  dispose(): Promise<void>;
}

/** Called once for the run and once for each project, of which only the first counts. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!project.isRootProject()) return undefined;
  if (!isMongodInstalled()) {
    project.provide('mongoServers', undefined);
    return undefined;
  }
  const running: Disposable[] = [];
  const launch = async () => {
    const [standalone, replicaSet] = await Promise.all([launchServer(), launchReplicaSet(SHARED_SET)]);
    running.push(standalone, replicaSet);
    return { standalone: standalone.uri, replicaSet: replicaSet.uri };
  };
  let servers: ReturnType<typeof launch> | undefined;
  const desk = createServer(async (_request, response) => {
    servers ??= launch();
    await servers.then(
      (uris) => response.end(JSON.stringify(uris)),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  const { port } = desk.address() as AddressInfo;
  project.provide('mongoServers', `http://127.0.0.1:${port}/`);
  return async () => {
    desk.close();
    await servers?.catch(() => undefined);
    await Promise.all(running.map((server) => server.dispose()));
  };
}
