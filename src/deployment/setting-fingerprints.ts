// Settings that must be the same in all processes of a deployment, compared by keyed hashes: no record holds a secret, nor a hash
// that whoever knows a secret of few letters could find by trying.
import { createHmac } from 'node:crypto';
import { AppError } from '../errors/errors.ts';

/** The hash of each setting, by its name. `undefined` stands for a value that the processes share by themselves. */
export function fingerprintSettings(
  settings: Readonly<Record<string, string | undefined>>,
  key: string,
): Readonly<Record<string, string>> {
  const hashOf = (name: string, value: string | undefined) =>
    createHmac('sha256', key)
      .update(JSON.stringify([name, value ?? null]))
      .digest('hex');
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, hashOf(name, value)]));
}

/** The first setting that differs; undefined where those that both name are the same. */
export function findDifference(
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): string | undefined {
  return Object.keys(ours).find((name) => theirs[name] !== undefined && theirs[name] !== ours[name]);
}

/** The error of a start with another value than the processes that run. */
export function differenceError(field: string, address: string): AppError {
  const message = `differs from that of the server at ${address}, which runs on the same database: all processes of one database need the same \`${field}\``;
  return new AppError('CONFIGURATION_INVALID', { field, message });
}
