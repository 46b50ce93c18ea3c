// Work that is done once, when somebody first needs it.

export interface Lazy<T> {
  /** The result. Begins the work where it has not begun, and again where it failed. */
  get(): Promise<T>;
  /** Undefined where the work has not begun, or failed. */
  started(): Promise<T> | undefined;
}

export function lazily<T>(work: () => Promise<T>): Lazy<T> {
  let promise: Promise<T> | undefined;
  return {
    get() {
      promise ??= work().catch((error: unknown) => {
        promise = undefined;
        throw error;
      });
      return promise;
    },
    started: () => promise,
  };
}
