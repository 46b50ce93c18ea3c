// What went wrong with a request: the server's own words, for the whole form or for one of its fields.

export interface ErrorItem {
  readonly message: string;
  /** Name or path of a field of the body: `title`, `fields.title.type`. */
  readonly field?: string;
  readonly code?: string;
  /** Of posted code: from 1. */
  readonly line?: number;
  readonly column?: number;
}

const NO_ANSWER = 'The server does not answer. Nothing is known about what it did with the request.';
const STATUS_TEXTS: ReadonlyMap<number, string> = new Map([
  [401, 'You may not do this.'],
  [403, 'You may not do this.'],
  [404, 'There is no such thing, or you may not see it.'],
  [409, 'Somebody else changed this meanwhile.'],
  [412, 'Somebody else changed this meanwhile.'],
  [413, 'This is too large.'],
  [503, 'The server cannot do this now.'],
]);

export class ApiError extends Error {
  /** Status of the answer; 0 without one. */
  readonly status: number;
  readonly items: readonly ErrorItem[];
  /** Seconds after which another attempt makes sense. */
  readonly retryAfter: number | undefined;
  /** The parsed body of the answer. */
  readonly body: unknown;
  readonly requestId: string | undefined;

  constructor(
    status: number,
    items: readonly ErrorItem[],
    more: {
      readonly retryAfter?: number | undefined;
      readonly body?: unknown;
      readonly requestId?: string | undefined;
    } = {},
  ) {
    super(
      items[0]?.message ??
        STATUS_TEXTS.get(status) ??
        (status === 0 ? NO_ANSWER : `The server answered ${status}.`),
    );
    this.name = 'ApiError';
    this.status = status;
    this.items = items;
    this.retryAfter = more.retryAfter;
    this.body = more.body;
    this.requestId = more.requestId;
  }

  /** Somebody else changed what this was about. */
  get isConflict(): boolean {
    return this.status === 409 || this.status === 412;
  }
}

/** A write began with a state that is not the present one any more: that is asked about, and no error. */
export const isOutdated = (error: unknown): boolean => error instanceof ApiError && error.status === 412;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseItem(value: unknown): readonly ErrorItem[] {
  if (typeof value === 'string') return [{ message: value }];
  if (!isObject(value)) return [];
  // Recipes have `error` where all others have `message`.
  const { message, details, title, error, field, code, line, column } = value;
  const text = [message, details, title, error].find((part) => typeof part === 'string' && part !== '');
  return [
    {
      message: typeof text === 'string' ? text : JSON.stringify(value),
      ...(typeof field === 'string' && { field }),
      ...(typeof code === 'string' && { code }),
      ...(typeof line === 'number' && { line }),
      ...(typeof column === 'number' && { column }),
    },
  ];
}

/** The items of an error body, whichever of its forms it has. */
export function parseErrorItems(body: unknown): readonly ErrorItem[] {
  if (!isObject(body)) return [];
  const { errors, message } = body;
  if (Array.isArray(errors)) return errors.flatMap(parseItem);
  return typeof message === 'string' ? [{ message }] : [];
}

/** Any thrown value as an error that can be shown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(-1, [{ message: thrown instanceof Error ? thrown.message : String(thrown) }]);
}
