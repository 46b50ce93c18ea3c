// A promise that failed with nobody waiting is a defect of one request: it is logged, and the others go on.

interface FailureSource {
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

interface FailureLog {
  error(fields: object, message: string): void;
}

/** Keeps such a failure from ending the process, as it would by default. */
export function logUnhandledRejections(source: FailureSource, log: FailureLog): void {
  source.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled promise rejection'));
}
