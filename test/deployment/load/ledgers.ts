// Ledgers: creates, updates and removals with revisions, one by one and by queries, of writers that know what was acknowledged.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../helpers/server-process/client.ts';
import type { TrackedWriter } from '../../helpers/store/tracked-writer.ts';
import type { Asked, Watch } from './watch.ts';

const LIST = '/1.0/library/ledger';
/** Milliseconds between two looks of a reader. */
const PACE_MS = 100;

const workOf = (method: string): Asked['work'] => (method === 'GET' ? 'read' : 'write');

/** Writes until the watch is over; what is refused is sent again, to the next server where one is gone. */
export async function keepLedger(ledger: TrackedWriter, watch: Watch, home: number): Promise<void> {
  const client = watch.clientOf(home);
  const send: Client['request'] = async (method, path, body) => {
    const answer = await client.ask({ method, path, body, work: workOf(method) });
    return answer ?? { status: 503, headers: new Headers(), body: undefined };
  };
  const hasty: Client = { token: '', request: send };
  const patient: Client = {
    token: '',
    async request(method, path, body) {
      for (;;) {
        const answer = await send(method, path, body);
        if (answer.status !== 503) return answer;
      }
    },
  };
  while (!watch.isOver()) {
    try {
      await ledger.run(hasty, watch.isOver);
      await ledger.expectAcknowledged(patient);
      await ledger.settlePending(hasty);
      await ledger.verify(patient);
    } catch (error) {
      watch.wrong(`a ledger at server ${client.node()}: ${String(error).slice(0, 2000)}`);
      return;
    }
  }
}

/** Lists a writer's documents at all servers in turn: whole ones, and none older than what was acknowledged before. */
export async function readLedger(
  { writer, ledger }: { readonly writer: number; readonly ledger: TrackedWriter },
  watch: Watch,
): Promise<void> {
  const path = `${LIST}?count=1000&filter=${encodeURIComponent(JSON.stringify({ writer }))}`;
  for (let turn = 0; !watch.isOver(); turn += 1) {
    await pause(PACE_MS);
    const node = turn % 3;
    if (watch.isStopped(node)) continue;
    const least = ledger.minVersions();
    const answer = await watch.ask(node, { method: 'GET', path, work: 'read' });
    for (const { title, v, history } of answer?.body.results ?? []) {
      if (history.length !== v || v < (least.get(title) ?? 0))
        watch.wrong(`${title}: v ${v}, ${history.length} revisions, at least ${least.get(title)}`);
    }
  }
}
