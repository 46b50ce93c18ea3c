// What the fields of a policy have in common: members that are set or left out, and where the server's messages belong.

import type { PolicyLimits } from '../../../api/types-modules.ts';

export interface FieldsProps<T> {
  /** Of the operator; undefined while they are not known. */
  readonly bounds: PolicyLimits | undefined;
  /** Messages by the path of a member, such as `limits.cpuMs`. */
  readonly errors: ReadonlyMap<string, string>;
  readonly onChange: (value: T) => void;
}

/** An object with a member set, or without it where there is nothing to set. */
export function withMember<T extends object, N extends keyof T & string>(
  object: T,
  name: N,
  value: T[N] | undefined,
): T {
  const { [name]: _, ...rest } = object;
  return (value === undefined ? rest : { ...rest, [name]: value }) as T;
}

/** The message of a member, or of one below it. */
export function errorAt(errors: ReadonlyMap<string, string>, path: string): string | undefined {
  return [...errors].find(([field]) => field === path || field.startsWith(`${path}.`))?.[1];
}

export const toNumber = (value: number | string): number | undefined =>
  value === '' || Number.isNaN(Number(value)) ? undefined : Number(value);
