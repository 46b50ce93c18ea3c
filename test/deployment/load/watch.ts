// What clients see of several servers while these, or what they stand on, are killed: answers, refusals and how long they lasted,
// and whatever no server may answer.
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../../helpers/server-process/client.ts';
import type { DeployedServer } from '../../helpers/server-process/deployment.ts';

/** What a request is about: each may be refused for another time. */
type Work = 'read' | 'write' | 'endpoint';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly work: Work;
}

/** Milliseconds between a refusal and the next request. */
const AFTER_REFUSAL_MS = 50;

interface Refusal {
  readonly at: number;
  readonly node: number;
  readonly work: Work;
}

/** Milliseconds without a refusal after which an outage is over: what is refused later is another one, which counts too. */
const OVER_AFTER_MS = 4000;

/** How long 503 was answered from a fault on, in milliseconds, by work: all outages together. */
export type Outage = Readonly<Partial<Record<Work, number>>>;

export class Watch {
  readonly #nodes: () => readonly DeployedServer[];
  readonly #refusals: Refusal[] = [];
  readonly #faults: { readonly name: string; readonly at: number }[] = [];
  readonly #wrong: string[] = [];
  readonly #stopped = new Set<number>();
  #answered = 0;
  #isOver = false;

  constructor(nodes: () => readonly DeployedServer[]) {
    this.#nodes = nodes;
  }

  /** One request to one server. Undefined: the connection broke, or the answer was 503. */
  async ask(node: number, { method, path, body, work }: Asked): Promise<Answer | undefined> {
    const answer = await this.#nodes()
      [node]?.request(method, path, body)
      .catch(() => undefined);
    if (answer?.status === 503) {
      this.#refusals.push({ at: performance.now(), node, work });
      if (!/^[1-9]\d*$/.test(answer.headers.get('retry-after') ?? ''))
        this.wrong(`503 without Retry-After: ${JSON.stringify(answer.body)}`);
    }
    // 504: code that was stopped in the middle has taken too long.
    if (answer === undefined || answer.status === 503 || (answer.status === 504 && work === 'endpoint')) {
      await pause(AFTER_REFUSAL_MS);
      return undefined;
    }
    this.#answered += 1;
    return answer;
  }

  /** The clients of one server as a balancer has them: a connection that breaks leads to the next server. */
  clientOf(home: number): { readonly node: () => number; ask(asked: Asked): Promise<Answer | undefined> } {
    let node = home;
    return {
      node: () => node,
      ask: async (asked) => {
        const before = this.#refusals.length;
        const answer = await this.ask(node, asked);
        const isRefused = this.#refusals.slice(before).some((refusal) => refusal.node === node);
        if (answer === undefined && !isRefused) node = (node + 1) % this.#nodes().length;
        return answer;
      },
    };
  }

  /** A server that answers nobody for a while: only its own clients still ask it. */
  setStopped(node: number, isStopped: boolean): void {
    if (isStopped) this.#stopped.add(node);
    else this.#stopped.delete(node);
  }

  isStopped = (node: number): boolean => this.#stopped.has(node);

  wrong(what: string): void {
    this.#wrong.push(`${this.#faults.at(-1)?.name ?? 'before any fault'}: ${what}`);
  }

  begin(name: string): void {
    this.#faults.push({ name, at: performance.now() });
  }

  /** How long servers answered 503 from each fault on, until the next. */
  outages(): readonly (readonly [name: string, Outage])[] {
    return this.#faults.map(({ name, at }, index) => {
      const end = this.#faults[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      const seen = this.#refusals.filter((refusal) => refusal.at >= at && refusal.at < end);
      const lengthOf = (refusals: readonly Refusal[]) => {
        let last = at;
        let ms = 0;
        for (const refusal of refusals) {
          // The first is felt since the fault.
          if (last === at || refusal.at - last < OVER_AFTER_MS) ms += refusal.at - last;
          last = refusal.at;
        }
        return Math.round(ms);
      };
      const works = [...Map.groupBy(seen, ({ work }) => work)];
      return [name, Object.fromEntries(works.map(([work, refusals]) => [work, lengthOf(refusals)]))];
    });
  }

  wrongs = (): readonly string[] => this.#wrong;
  answered = (): number => this.#answered;
  /** The load ends after what is under way. */
  end(): void {
    this.#isOver = true;
  }
  isOver = (): boolean => this.#isOver;
}
