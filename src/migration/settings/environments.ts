// The configuration files of a site, by environment, and which of them is carried over.
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import type { SiteEntry } from '../files/list-folder.ts';
import type { SourceFiles } from '../files/source-files.ts';
import { MigrationError } from '../report/migration-error.ts';
import { named, type ReportSection } from '../report/report.ts';
import { MAX_JSON_BYTES, readJson5 } from './json5.ts';

const CONFIG_FILE = /^config\/config(?:\.(?<name>[A-Za-z0-9_-]+))?\.json$/;
/** What later versions had beside it: how documents are kept. */
const DATABASE_FILE = /^config\/(?<block>mongodb|filestore)(?:\.(?<name>[A-Za-z0-9_-]+))?\.json$/;
/** What the older servers took without `NODE_ENV`. */
const DEFAULT_NAME = 'development';
/** The name of the environment of files without one. */
const NAMELESS = 'default';

export interface OlderEnvironment {
  readonly name: string;
  /** The files that it was read from. */
  readonly paths: readonly string[];
  readonly settings: JsonObject;
}

interface ReadEnvironmentOptions {
  readonly root: string;
  readonly files: SourceFiles;
  readonly section: ReportSection;
}

async function readFileOf(
  path: string,
  { root, files, section }: ReadEnvironmentOptions,
): Promise<JsonObject | undefined> {
  const read = await files.read(`${root}/${path}`, MAX_JSON_BYTES);
  const json = 'text' in read ? readJson5(read.text) : read;
  if (!('value' in json)) {
    section.add(path, 'hand', `left out: ${json.why}`);
    return undefined;
  }
  if (json.repeated.length > 0)
    section.add(path, 'changed', `${named(json.repeated[0] ?? '')} is given twice; the last one counts`);
  return json.value;
}

/** Reads the configuration of every environment. `entries`: those of the folder `config`. */
export async function readEnvironments(
  entries: readonly SiteEntry[],
  options: ReadEnvironmentOptions,
): Promise<readonly OlderEnvironment[]> {
  const found = new Map<string, { paths: string[]; settings: JsonObject }>();
  for (const { path, kind } of entries) {
    const [config, database] = [CONFIG_FILE.exec(path), DATABASE_FILE.exec(path)];
    const match = config ?? database;
    if (kind !== 'file' || match === null) continue;
    const read = await readFileOf(path, options);
    if (read === undefined) continue;
    const name = match.groups?.['name'] ?? NAMELESS;
    const known = found.get(name) ?? { paths: [], settings: {} };
    const block = database?.groups?.['block'] ?? '';
    const given = known.settings[block];
    const settings = config === null ? { [block]: { ...(isJsonObject(given) ? given : {}), ...read } } : read;
    found.set(name, { paths: [...known.paths, path], settings: { ...known.settings, ...settings } });
  }
  return [...found].map(([name, rest]) => ({ name, ...rest })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The environment that is carried over; undefined where there is no configuration. Throws a MigrationError where it is not clear. */
export function chooseEnvironment(
  environments: readonly OlderEnvironment[],
  name: string | undefined,
): OlderEnvironment | undefined {
  const names = environments.map((one) => named(one.name)).join(', ');
  const chosen = environments.find((one) => one.name === (name ?? DEFAULT_NAME));
  if (chosen !== undefined || environments.length === 0) {
    if (name !== undefined && chosen === undefined)
      throw new MigrationError('there is no configuration in `config`: leave --env out');
    return chosen;
  }
  if (name !== undefined)
    throw new MigrationError(`there is no environment ${named(name)}: --env takes ${names}`);
  if (environments.length === 1) return environments[0];
  throw new MigrationError(
    `there are several environments, none of them ${named(DEFAULT_NAME)}: choose with --env ${names}`,
  );
}
