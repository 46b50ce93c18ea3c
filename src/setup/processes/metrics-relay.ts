// Lets a worker that is asked for metrics answer with those of all workers: asks the others, and waits for them, but not for long.
import type { MessageToWorker } from './worker-messages.ts';

interface Worker {
  send(message: MessageToWorker): void;
}

interface Question {
  /** Number of the worker that wants to know. */
  readonly asker: number;
  readonly texts: string[];
  /** Numbers of the workers that have not answered. */
  readonly missing: Set<number>;
  readonly timer: NodeJS.Timeout;
  readonly answer: () => void;
}

/** Milliseconds after which a worker that does not answer is left out. */
const MAX_WAIT_MS = 1000;

export class MetricsRelay {
  readonly #questions = new Map<number, Question>();
  #asked = 0;

  /**
   * Asks all workers but the one that wants metrics, the asker, and sends it what they tell, as the answer to its question `id`.
   */
  ask(
    [asker, worker]: readonly [number, Worker],
    { id, accept }: { id: number; accept: string },
    workers: ReadonlyMap<number, Worker>,
  ): void {
    this.#asked += 1;
    const question = this.#asked;
    const others = [...workers].filter(([number]) => number !== asker);
    const texts: string[] = [];
    const answer = () => {
      this.#end(question);
      worker.send({ kind: 'gathered', id, texts });
    };
    const timer = setTimeout(answer, MAX_WAIT_MS).unref();
    const missing = new Set(others.map(([number]) => number));
    this.#questions.set(question, { asker, texts, missing, timer, answer });
    for (const [, other] of others) other.send({ kind: 'tell', id: question, accept });
    if (others.length === 0) answer();
  }

  /** A worker has told its metrics. */
  take(number: number, { id, text }: { id: number; text: string }): void {
    const question = this.#questions.get(id);
    if (question?.missing.delete(number) !== true) return;
    question.texts.push(text);
    if (question.missing.size === 0) question.answer();
  }

  /** A worker has ended: nobody waits for it, and who replaces it gets no answers to what it asked. */
  forget(number: number): void {
    for (const [question, { asker, missing, answer }] of [...this.#questions]) {
      if (asker === number) this.#end(question);
      else if (missing.delete(number) && missing.size === 0) answer();
    }
  }

  #end(question: number): void {
    clearTimeout(this.#questions.get(question)?.timer);
    this.#questions.delete(question);
  }
}
