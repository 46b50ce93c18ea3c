// The HTTP methods that this server knows. Where something depends on the method, it is a table over `HttpMethod` or asks here:
// a method that is added without a row is an error of the compiler, and one that is not in the table is never taken for another.

interface MethodTraits {
  /** Changes nothing (RFC 9110, 9.2.1). */
  readonly isSafe: boolean;
  /** The method defines a meaning for a body, so that a request without one says `Content-Length: 0` (RFC 9110, 8.6). */
  readonly definesBody: boolean;
  /** Paths of the server itself may support it; of others the code of endpoints decides. */
  readonly isRouted: boolean;
}

const METHODS = {
  GET: { isSafe: true, definesBody: false, isRouted: true },
  HEAD: { isSafe: true, definesBody: false, isRouted: true },
  POST: { isSafe: false, definesBody: true, isRouted: true },
  PUT: { isSafe: false, definesBody: true, isRouted: true },
  PATCH: { isSafe: false, definesBody: true, isRouted: false },
  DELETE: { isSafe: false, definesBody: false, isRouted: true },
  OPTIONS: { isSafe: true, definesBody: false, isRouted: true },
} as const satisfies Record<string, MethodTraits>;

/** A method that is known, in upper case. */
export type HttpMethod = keyof typeof METHODS;

/** All methods, in the order in which `Allow` names them. */
export const HTTP_METHODS = Object.keys(METHODS) as readonly HttpMethod[];

/** True for a known method in upper case: methods are case-sensitive (RFC 9110, 9.1). */
export function isHttpMethod(value: unknown): value is HttpMethod {
  return typeof value === 'string' && Object.hasOwn(METHODS, value);
}

/** True for a known method that changes nothing. */
export const isSafeMethod = (method: string): boolean => isHttpMethod(method) && METHODS[method].isSafe;

/** What is known of a method; undefined for any other text. */
export function methodTraits(method: string): MethodTraits | undefined {
  return isHttpMethod(method) ? METHODS[method] : undefined;
}
