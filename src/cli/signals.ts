// SIGTERM and SIGINT: the first asks for an orderly end, the second gets one at once.

const SIGNALS = { SIGTERM: 143, SIGINT: 130 } as const;

export interface SignalSource {
  on(signal: keyof typeof SIGNALS, listener: () => void): unknown;
}

/**
 * Resolves at the first signal. A second one calls `exit` with the code that shells give to that signal.
 * Listening begins at once, so that a signal during the start is not lost.
 */
export function firstSignal(source: SignalSource, exit: (code: number) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  for (const [signal, code] of Object.entries(SIGNALS) as [keyof typeof SIGNALS, number][]) {
    source.on(signal, () => {
      if (asked) exit(code);
      asked = true;
      resolve();
    });
  }
  return promise;
}
