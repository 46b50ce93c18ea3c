// What is read from a module once, when its code is accepted, and kept with its version.
import type { Inspection } from '../../../sandbox/protocol.ts';
import { AppError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { oneLine } from './author-text.ts';

export interface Metadata {
  /** Upper-case methods with a handler, sorted. */
  readonly methods: readonly string[];
  readonly authenticate: boolean | readonly string[];
  readonly displayName: string | null;
  /** Custom route as the author wrote it. */
  readonly route: string | null;
}

type Accepted = Extract<Inspection, { ok: true }>;

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

function refuse(field: string, message: string): AppError {
  return new AppError('ENDPOINT_INVALID', { items: [{ field, message, code: 'ENDPOINT_LOAD' }] });
}

// What is not understood must not pass for "open to everybody", nor silently for the opposite.
function readAuthenticate(value: unknown): Metadata['authenticate'] {
  if (value === undefined) return true;
  if (typeof value === 'boolean') return value;
  // Of texts only: a list in lists, ten thousand deep, is no text and cannot be made one.
  const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  const methods = isList ? value.map((entry) => entry.toUpperCase()) : undefined;
  if (methods?.every((method) => METHODS.includes(method))) return [...new Set(methods)];
  throw refuse('model.settings.authenticate', 'must be true, false or a list of methods');
}

/** Throws ENDPOINT_INVALID when the settings of the module are not understood. */
export function readMetadata({ methods, settings, route }: Accepted): Metadata {
  const displayName = Object.hasOwn(settings, 'displayName') ? settings['displayName'] : undefined;
  const authenticate = Object.hasOwn(settings, 'authenticate') ? settings['authenticate'] : undefined;
  return {
    methods: METHODS.filter((method) => methods.includes(method)),
    authenticate: readAuthenticate(authenticate),
    displayName: typeof displayName === 'string' ? oneLine(displayName) : null,
    route,
  };
}

/** Metadata as they were stored with a version; undefined for what this version of the server would not have stored. */
export function storedMetadata(value: unknown): Metadata | undefined {
  if (!isJsonObject(value as JsonObject)) return undefined;
  const { methods, authenticate, displayName, route } = value as unknown as Metadata;
  const known =
    Array.isArray(methods) &&
    (typeof authenticate === 'boolean' || Array.isArray(authenticate)) &&
    (displayName === null || typeof displayName === 'string') &&
    (route === null || typeof route === 'string');
  return known ? { methods, authenticate, displayName, route } : undefined;
}
