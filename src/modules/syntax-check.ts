// Compiles posted code without running it, for commands on machines where no sandbox host can start.
import { compileFunction } from 'node:vm';
import type { Inspection } from '../../sandbox/protocol.ts';

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
