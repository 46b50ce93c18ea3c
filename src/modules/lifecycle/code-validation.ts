// Validates posted code before anything is changed: form of the text, then an inspection in a host; or only its syntax, for
// commands on machines where no host can start.

import { compileFunction } from 'node:vm';
import type { Inspection, Isolation, ModuleKind } from '../../../sandbox/protocol.ts';
import { AppError } from '../../errors/errors.ts';
import { toOneLine } from '../../lib/printable-text.ts';
import type { Sandbox } from '../../sandbox-supervisor/model/sandbox.ts';
import { type CodeMetadata, parseCodeMetadata } from '../versions/code-metadata.ts';

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
      return {
        metadata: parseCodeMetadata(inspection),
        warnings: [...inspection.warnings.map(toOneLine), ...names.map(undeclaredWarning)].slice(
          0,
          MAX_WARNINGS,
        ),
        suggestedIsolation: names.length > 0 ? 'context' : inspection.isolation,
      };
    },
  };
}

const FILE = 'posted.js';
const NOTHING = { methods: [], settings: {}, route: null, warnings: [], isolation: null };
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
