// Settings of the older servers: values that they wrote in another form, and settings whose silent loss would be dangerous.
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import type { SettingIssue } from './config-file.ts';

/** Objects from media types to values as a list of `type: value`; anything else as it is. */
function cacheControlList(value: Json): Json {
  const groups: readonly Json[] = Array.isArray(value) ? value : [value];
  if (groups.length === 0 || !groups.every(isJsonObject)) return value;
  const entries = groups.flatMap((group) => Object.entries(group));
  if (entries.some(([, header]) => typeof header !== 'string')) return value;
  return entries.map(([type, header]) => `${type}: ${String(header)}`);
}

/** The settings with `headers.cacheControl` in the form that it has now. */
export function readOlderForms(settings: JsonObject): JsonObject {
  const headers = settings['headers'];
  const cacheControl = isJsonObject(headers) ? headers['cacheControl'] : undefined;
  if (!isJsonObject(headers) || cacheControl === undefined) return settings;
  if (typeof cacheControl === 'string') {
    return { ...settings, headers: { ...headers, cacheControl: { default: cacheControl } } };
  }
  if (!isJsonObject(cacheControl) || cacheControl['mimetypes'] === undefined) return settings;
  const mimetypes = cacheControlList(cacheControl['mimetypes']);
  return { ...settings, headers: { ...headers, cacheControl: { ...cacheControl, mimetypes } } };
}

interface LostSetting {
  readonly path: string;
  /** Whether losing this value is dangerous. */
  readonly isDangerous: (value: Json) => boolean;
  /** A setting that says that the operator knows. */
  readonly unless?: string;
  readonly message: string;
}

const LOST: readonly LostSetting[] = [
  {
    path: 'server.protocol',
    isDangerous: (value) => String(value).toLowerCase() !== 'http',
    message:
      'is not a setting: this server speaks plain HTTP, and tokens would be sent in the clear. Put a proxy with the certificate in front (server.trustProxy, publicUrl), then remove this setting',
  },
  {
    path: 'database.hosts',
    isDangerous: () => true,
    unless: 'database.engine',
    message:
      'is not a setting: without database.engine the site would begin with an empty embedded database. Set database.engine to mongodb and the connection string (CLOISTER_DATABASE_MONGODB_URI), or to sqlite, or remove this setting',
  },
];

function valueAt(settings: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = settings;
  for (const key of path.split('.'))
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** What an unknown key would lose that must not be lost in silence. `isSet` tells of settings from any source. */
export function findLostSettings(
  settings: JsonObject,
  unknown: ReadonlySet<string>,
  isSet: (path: string) => boolean,
): readonly SettingIssue[] {
  return LOST.flatMap(({ path, isDangerous, unless, message }) => {
    const value = valueAt(settings, path);
    if (value === undefined || !unknown.has(path) || !isDangerous(value)) return [];
    return unless !== undefined && isSet(unless) ? [] : [{ written: path, message }];
  });
}
