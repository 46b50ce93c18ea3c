// Running a program as an ordinary user, where the tests run as root.
import { spawnSync } from 'node:child_process';

const COMMAND = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];

/** What to put in front of a command. */
export function asNobody(): readonly string[] {
  return COMMAND;
}

/** Whether that works here. When it does not, the tests run as one user only, and say so. */
export function canBeNobody(): boolean {
  if (process.getuid?.() !== 0) return false;
  const [program = '', ...args] = COMMAND;
  const works = spawnSync(program, [...args, process.execPath, '--version']).status === 0;
  if (!works) console.warn('an ordinary user cannot run node here: tested as root only');
  return works;
}
