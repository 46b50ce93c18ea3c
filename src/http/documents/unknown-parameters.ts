// Query parameters that a list does not know: they have no effect, the answer says so among its metadata, and the log names each once.
import { READ_PARAMETERS } from '../../collections/model/read-parameters.ts';
import { didYouMean } from '../../lib/nearest-name.ts';
import type { HttpLogger } from '../core/http-deps.ts';
import { isKnownParameter, KNOWN_PARAMETERS, parsePairs } from '../core/request-url.ts';

/** Names of one request that are told. */
const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 100;

const DIGITS = /^\d+$/;

const shown = (name: string) => name.slice(0, MAX_NAME_CHARACTERS).toWellFormed();

/** The unknown names of a query string, each once, in order; long ones shortened. Throws BAD_REQUEST for text that does not decode. */
export function unknownParameters(text: string): readonly string[] {
  const names = new Set<string>();
  for (const [name] of parsePairs(text)) {
    // Digits alone are the time of day, with which clients get around caches.
    const isName = name !== '' && !DIGITS.test(name);
    if (isName && names.size < MAX_NAMES && !isKnownParameter(name)) names.add(shown(name));
  }
  return [...names];
}

/** The parameter that hooks and `Model` know by this name. */
const otherName = (name: string) =>
  READ_PARAMETERS.find(
    ({ hookOption, modelOptions }) =>
      hookOption === name || (modelOptions as readonly string[]).includes(name),
  )?.query;

/** What a list says of a parameter that it does not know. */
export function parameterWarning(name: string): string {
  const meant = otherName(name);
  const hint = meant === undefined ? didYouMean(name, KNOWN_PARAMETERS) : `: did you mean \`${meant}\`?`;
  return `\`${name}\` is no parameter and has no effect${hint}`;
}

/** Names that are remembered, and so told to the log once. No further ones are told. */
const MAX_LOGGED_NAMES = 1000;

/** Makes the function that tells the log of unknown parameters, of each once. */
export function createParameterLog(logger: Pick<HttpLogger, 'warn'>): (names: readonly string[]) => void {
  const told = new Set<string>();
  return (names) => {
    for (const name of names) {
      if (told.has(name) || told.size >= MAX_LOGGED_NAMES) continue;
      told.add(name);
      logger.warn({ parameter: name }, parameterWarning(name));
    }
  };
}
