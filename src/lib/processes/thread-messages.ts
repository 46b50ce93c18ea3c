// Messages between a pool and its threads.

export interface ThreadTask {
  /** Address of a module, and the name of the function that it exports. */
  readonly module: string;
  readonly name: string;
  readonly task: unknown;
}

/** `unloaded`: the module of the task could not be loaded. */
export type ThreadAnswer =
  | { readonly kind: 'value'; readonly value: unknown }
  | {
      readonly kind: 'thrown' | 'unloaded';
      readonly error: unknown;
      /** Of an error of the system: an error that is sent loses it. */
      readonly code: string | undefined;
    };

/** A result of a task whose buffers move to the other thread instead of being copied. */
export class MovedResult {
  readonly value: unknown;
  readonly buffers: readonly ArrayBuffer[];

  constructor(value: unknown, buffers: readonly ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}
