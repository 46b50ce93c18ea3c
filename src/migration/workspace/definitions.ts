// Routes and recipes of the older CDN, and its code, which does not move.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { SiteEntry } from '../files/list-folder.ts';
import { MAX_JSON_BYTES, readJson5 } from '../settings/json5.ts';
import { type FolderFiles, noteSpecial, partsBelow, type SiteContents } from '../site/site-contents.ts';

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*\.json$/;

/** A recipe whose originals came from the one other server that was configured. */
function withRemotePath(recipe: JsonObject, remotePath: string | undefined): JsonObject {
  const { path } = recipe;
  if (remotePath === undefined || (typeof path === 'string' && /^https?:/.test(path))) return recipe;
  const own = typeof path === 'string' ? path.replace(/^\/+/, '') : '';
  return { ...recipe, path: own === '' ? remotePath : `${remotePath.replace(/\/+$/, '')}/${own}` };
}

function pluginNames(recipe: JsonObject): readonly Json[] {
  const { plugins } = recipe;
  return Array.isArray(plugins) ? plugins : [];
}

interface DefinitionOptions {
  readonly kind: 'routes' | 'recipes';
  /** The address that all originals came from, for recipes. */
  readonly remotePath?: string | undefined;
}

async function migrateDefinition(
  site: SiteContents,
  { path }: SiteEntry,
  file: string,
  options: DefinitionOptions,
): Promise<void> {
  const { section, files, root, written } = site;
  const read = await files.read(`${root}/${path}`, MAX_JSON_BYTES);
  const json = 'text' in read ? readJson5(read.text) : read;
  if (!('text' in read) || !('value' in json)) {
    section.add(path, 'hand', `left out: ${'why' in json ? json.why : ''}`);
    return;
  }
  const isRecipe = options.kind === 'recipes';
  if (isRecipe && pluginNames(json.value).length > 0 && !isJsonObject(json.value['settings'])) {
    section.add(path, 'hand', 'left out: all that it does is done by plugins, which are not there');
    return;
  }
  const value = isRecipe ? withRemotePath(json.value, options.remotePath) : json.value;
  const isChanged = json.isLoose || value !== json.value;
  written.set(`${options.kind}/${file}`, isChanged ? `${JSON.stringify(value, null, 2)}\n` : read.text);
  if (isRecipe && pluginNames(json.value).length > 0) section.add(path, 'hand', 'its plugins are not there');
  if (value !== json.value) section.add(path, 'changed', '`path` has the address of `images.remote.path`');
  section.add(path, json.isLoose ? 'changed' : 'kept', ...(json.isLoose ? ['as plain JSON'] : []));
}

/** Brings routes or recipes over. */
export async function migrateDefinitions(
  site: SiteContents,
  found: FolderFiles,
  options: DefinitionOptions,
): Promise<void> {
  for (const entry of found.entries) {
    site.assertTime();
    if (noteSpecial(site.section, entry) || entry.kind === 'folder') continue;
    const [file = '', ...more] = partsBelow(found, entry);
    if (more.length === 0 && FILE_NAME.test(file)) await migrateDefinition(site, entry, file, options);
    else site.section.add(entry.path, 'changed', `left out: it is not \`${options.kind}/<name>.json\``);
  }
}

/** What a query string of the CDN could set, as far as it has an effect here. */
const QUERY_SETTINGS = [
  ...['format', 'quality', 'width', 'height', 'ratio', 'resizeStyle', 'gravity', 'crop', 'devicePixelRatio'],
  ...['blur', 'sharpen', 'saturate', 'rotate', 'flip', 'progressive'],
];

/** Writes the recipe of images that are asked for by their plain path with a query string. Returns its name, which no other has. */
export function writePlainRecipe({ section, written }: SiteContents, remotePath: string | undefined): string {
  const isFree = (name: string) =>
    !written.has(`recipes/${name}.json`) && !written.has(`routes/${name}.json`);
  const recipe = ['plain', 'plain-images'].find(isFree) ?? 'images-by-their-plain-path';
  const value = withRemotePath({ recipe, settings: { allowOverride: QUERY_SETTINGS } }, remotePath);
  const file = `recipes/${recipe}.json`;
  written.set(file, `${JSON.stringify(value, null, 2)}\n`);
  const what = 'new: what images are when they are asked for by their plain path with a query string';
  section.add(`workspace/${file}`, 'changed', `${what}; open only what your pages set`);
  return recipe;
}

/** Processors and plugins of the CDN ran in the server. */
export function noteServerCode({ section }: SiteContents, found: FolderFiles): void {
  for (const entry of found.entries) {
    if (noteSpecial(section, entry) || entry.kind === 'folder') continue;
    const isCode = /\.[cm]?js$/.test(entry.path);
    if (isCode)
      section.add(
        entry.path,
        'hand',
        'left out: code in the delivery of files is not there; an endpoint, or a service of its own, can do its work',
      );
    else section.add(entry.path, 'changed', 'left out: it belongs to code that does not move');
  }
}
