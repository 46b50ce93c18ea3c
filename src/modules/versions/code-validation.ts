// Validates posted code before anything is changed: form of the text, then an inspection in a host, which tells its metadata; or only
// its syntax, for commands on machines where no host can start.

import { compileFunction } from 'node:vm';
import type { Inspection, Isolation, ModuleKind } from '../../../sandbox/protocol.ts';
import { AppError } from '../../errors/errors.ts';
import { HTTP_METHODS, isHttpMethod } from '../../lib/http/methods.ts';
import { toOneLine } from '../../lib/printable-text.ts';
import type { Sandbox } from '../../sandbox-supervisor/model/sandbox.ts';
import { createDescriptionParser, type OperationTexts } from '../description/parse-openapi.ts';

/** A name that the code assigns to and never declares. */
interface UndeclaredName {
  readonly name: string;
  /** Line of the first assignment, from 1. */
  readonly line: number;
}

export interface CodeValidatorDeps {
  readonly sandbox: Pick<Sandbox, 'inspect'>;
  /** Names that the code assigns to and never declares. May find none where it takes too long. */
  readonly findUndeclared: (source: string) => Promise<readonly UndeclaredName[]>;
  /** Bytes of code. */
  readonly maxBytes: number;
}

interface ValidatedCode {
  readonly metadata: CodeMetadata;
  readonly warnings: readonly string[];
  readonly suggestedIsolation: Isolation | null;
}

export interface CodeValidator {
  /** The text to keep, without a byte order mark. Throws PAYLOAD_TOO_LARGE, ENDPOINT_INVALID. */
  normalizeText(source: string): string;
  /**
   * Evaluates the code once. `by`: its author, null for files. Rejects with ENDPOINT_INVALID, its item with `code`, `line` and
   * `column`, or like `inspect` of the sandbox.
   */
  inspect(source: string, kind: ModuleKind, isolation: Isolation, by?: string | null): Promise<ValidatedCode>;
}

const MAX_WARNINGS = 50;

function syntaxError(message: string, line: number | null = null, column: number | null = null): AppError {
  return new AppError('ENDPOINT_INVALID', { items: [{ code: 'ENDPOINT_SYNTAX', message, line, column }] });
}

function syntaxErrorAt(source: string, at: number, message: string): AppError {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  return syntaxError(message, line, at - before.lastIndexOf('\n'));
}

function validateText(source: string, maxBytes: number): string {
  const text = source.startsWith('\ufeff') ? source.slice(1) : source;
  if (Buffer.byteLength(text) > maxBytes) throw new AppError('PAYLOAD_TOO_LARGE');
  if (text.trim() === '') throw syntaxError('There is no code');
  const nul = text.indexOf('\0');
  if (nul >= 0) throw syntaxErrorAt(text, nul, 'The code holds a NUL character');
  if (!text.isWellFormed()) throw syntaxError('The code holds half of a character: it is not UTF-8');
  return text;
}

const undeclaredWarning = ({ name, line }: UndeclaredName) =>
  `line ${line}: \`${toOneLine(name)}\` is assigned to but not declared; with isolation "realm" the assignment is lost. Declare it, or set isolation "context" in the policy`;

/** Creates the validator of all code, posted or in files. */
export function createCodeValidator({ sandbox, findUndeclared, maxBytes }: CodeValidatorDeps): CodeValidator {
  const descriptions = createDescriptionParser();
  return {
    normalizeText: (source) => validateText(source, maxBytes),
    async inspect(source, kind, isolation, by = null) {
      const inspection = await sandbox.inspect(source, kind, by);
      if (!inspection.ok) {
        const { code, message, line, column } = inspection;
        const items = [{ code, message: toOneLine(message), line, column }];
        throw new AppError('ENDPOINT_INVALID', { items });
      }
      // With isolation `context`, undeclared names are globals as in any script.
      const names = isolation === 'realm' ? await findUndeclared(source) : [];
      const metadata = parseCodeMetadata(inspection);
      const { operations, warnings } = await descriptions.parse(inspection.openapi, metadata);
      return {
        metadata: operations === undefined ? metadata : { ...metadata, openapi: operations },
        warnings: [
          ...[...inspection.warnings, ...warnings].map(toOneLine),
          ...names.map(undeclaredWarning),
        ].slice(0, MAX_WARNINGS),
        suggestedIsolation: names.length > 0 ? 'context' : inspection.isolation,
      };
    },
  };
}

const FILE = 'posted.js';
const NOTHING = { methods: [], settings: {}, route: null, openapi: null, warnings: [], isolation: null };
const AT_LINE = new RegExp(`^${FILE}:(\\d+)`);

/** Inspects the syntax alone: methods, settings and route stay empty. */
export async function inspectSyntax(source: string): Promise<Inspection> {
  try {
    compileFunction(source, ['module', 'exports', 'require'], { filename: FILE });
    return { ok: true, ...NOTHING };
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error('does not compile');
    const line = AT_LINE.exec(stack)?.[1];
    return {
      ok: false,
      code: 'ENDPOINT_SYNTAX',
      message,
      line: line === undefined ? null : Number(line),
      column: null,
    };
  }
}

export interface CodeMetadata {
  /** Upper-case methods with a handler, sorted. */
  readonly methods: readonly string[];
  readonly authenticate: boolean | readonly string[];
  readonly displayName: string | null;
  /** Custom route as the author wrote it. */
  readonly route: string | null;
  /** What the module says of its methods; absent where it says nothing. */
  readonly openapi?: OperationTexts;
}

type LoadedInspection = Extract<Inspection, { ok: true }>;

const SORTED_METHODS = HTTP_METHODS.toSorted();

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
  if (methods?.every(isHttpMethod)) return [...new Set(methods)];
  throw settingsError('model.settings.authenticate', 'must be true, false or a list of methods');
}

/** Throws ENDPOINT_INVALID for invalid settings of the module. */
export function parseCodeMetadata({ methods, settings, route }: LoadedInspection): CodeMetadata {
  const displayName = Object.hasOwn(settings, 'displayName') ? settings['displayName'] : undefined;
  const authenticate = Object.hasOwn(settings, 'authenticate') ? settings['authenticate'] : undefined;
  return {
    methods: SORTED_METHODS.filter((method) => methods.includes(method)),
    authenticate: parseAuthenticate(authenticate),
    displayName: typeof displayName === 'string' ? toOneLine(displayName) : null,
    route,
  };
}
