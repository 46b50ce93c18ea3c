// Lets a worker that is asked for metrics answer with those of all workers: asks the others, and waits for them, but not for long.
import type { MessageToWorker } from './worker-messages.ts';

interface Worker {
  send(message: MessageToWorker): void;
}

interface Question {
  readonly texts: string[];
  /** Numbers of the workers that have not answered. */
  readonly missing: Set<number>;
  readonly answer: () => void;
}

/** Milliseconds after which a worker that does not answer is left out. */
const MAX_WAIT_MS = 1000;

export class MetricsRelay {
  readonly #questions = new Map<number, Question>();
  #asked = 0;

  /** Asks all other workers for metrics, and sends what they tell to the one that wants it, as the answer to its question `id`. */
  ask(
    asker: number,
    { id, accept }: { id: number; accept: string },
    workers: ReadonlyMap<number, Worker>,
  ): void {
    this.#asked += 1;
    const question = this.#asked;
    const others = [...workers].filter(([number]) => number !== asker);
    const texts: string[] = [];
    const timer = setTimeout(() => answer(), MAX_WAIT_MS).unref();
    const answer = () => {
      clearTimeout(timer);
      if (this.#questions.delete(question)) workers.get(asker)?.send({ kind: 'gathered', id, texts });
    };
    this.#questions.set(question, { texts, missing: new Set(others.map(([number]) => number)), answer });
    for (const [, worker] of others) worker.send({ kind: 'tell', id: question, accept });
    if (others.length === 0) answer();
  }

  /** A worker has told its metrics. */
  take(number: number, { id, text }: { id: number; text: string }): void {
    const question = this.#questions.get(id);
    if (question?.missing.delete(number) !== true) return;
    question.texts.push(text);
    if (question.missing.size === 0) question.answer();
  }

  /** A worker has ended: nobody waits for it. */
  forget(number: number): void {
    for (const { missing, answer } of [...this.#questions.values()]) {
      if (missing.delete(number) && missing.size === 0) answer();
    }
  }
}
