// The configuration of one of several processes of a machine: of what is a total of the machine, each has its part.
import { buildConfig, settingValuesOf } from './build-config.ts';
import type { Config } from './schema.ts';
import { SETTINGS, type Setting } from './setting-names.ts';

/** A part of at least 1, and not below what the setting may be: many parts together may be more than a small total. */
function partOf({ leaf }: Setting, total: number, workers: number): number {
  const minimum = 'minimum' in leaf ? (leaf.minimum ?? 1) : 1;
  return total === 0 ? 0 : Math.max(1, minimum, Math.floor(total / workers));
}

/** Folders of caches: each belongs to one process, which knows by itself what is in it. */
const OWN_FOLDERS = ['cache.path', 'delivery.cache.path'];

/**
 * What the process of this number, from 1, runs with; the same where there is one. The first has the folders that the settings name,
 * each other one a folder in them.
 */
export function configOfWorker(config: Config, number: number): Config {
  const { workers } = config.server;
  if (workers === 1) return config;
  const values = new Map(settingValuesOf(config));
  for (const setting of SETTINGS.filter(({ leaf }) => leaf.dividedAmongWorkers === true)) {
    const total = values.get(setting.path);
    if (typeof total === 'number') values.set(setting.path, partOf(setting, total, workers));
  }
  const isInBucket = config.delivery.cache.storage === 's3';
  for (const path of OWN_FOLDERS) {
    const isShared = number === 1 || (path === 'delivery.cache.path' && isInBucket);
    if (!isShared) values.set(path, `${values.get(path)}/worker-${number}`);
  }
  return buildConfig(values);
}
