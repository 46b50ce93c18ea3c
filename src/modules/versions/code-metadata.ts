// Metadata of code: parsed once from its inspection, and stored with its version.
import type { Inspection } from '../../../sandbox/protocol.ts';
import { AppError } from '../../errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { toOneLine } from '../../lib/printable-text.ts';

export interface CodeMetadata {
  /** Upper-case methods with a handler, sorted. */
  readonly methods: readonly string[];
  readonly authenticate: boolean | readonly string[];
  readonly displayName: string | null;
  /** Custom route as the author wrote it. */
  readonly route: string | null;
}

type LoadedInspection = Extract<Inspection, { ok: true }>;

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

function settingsError(field: string, message: string): AppError {
  return new AppError('ENDPOINT_INVALID', { items: [{ field, message, code: 'ENDPOINT_LOAD' }] });
}

// An invalid value must not mean "open to everybody", nor silently the opposite.
function parseAuthenticate(value: unknown): CodeMetadata['authenticate'] {
  if (value === undefined) return true;
  if (typeof value === 'boolean') return value;
  // Texts only: converting a list in lists, ten thousand deep, would overflow the stack.
  const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  const methods = isList ? value.map((entry) => entry.toUpperCase()) : undefined;
  if (methods?.every((method) => METHODS.includes(method))) return [...new Set(methods)];
  throw settingsError('model.settings.authenticate', 'must be true, false or a list of methods');
}

/** Throws ENDPOINT_INVALID for invalid settings of the module. */
export function parseCodeMetadata({ methods, settings, route }: LoadedInspection): CodeMetadata {
  const displayName = Object.hasOwn(settings, 'displayName') ? settings['displayName'] : undefined;
  const authenticate = Object.hasOwn(settings, 'authenticate') ? settings['authenticate'] : undefined;
  return {
    methods: METHODS.filter((method) => methods.includes(method)),
    authenticate: parseAuthenticate(authenticate),
    displayName: typeof displayName === 'string' ? toOneLine(displayName) : null,
    route,
  };
}

/** Decodes stored metadata; undefined for what this version of the server would not have stored. */
export function decodeStoredMetadata(value: unknown): CodeMetadata | undefined {
  if (!isJsonObject(value as JsonObject)) return undefined;
  const { methods, authenticate, displayName, route } = value as unknown as CodeMetadata;
  const known =
    Array.isArray(methods) &&
    (typeof authenticate === 'boolean' || Array.isArray(authenticate)) &&
    (displayName === null || typeof displayName === 'string') &&
    (route === null || typeof route === 'string');
  return known ? { methods, authenticate, displayName, route } : undefined;
}
