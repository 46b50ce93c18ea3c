// Older settings that have no counterpart: what is lost with each, and whether anybody has to do something about it.
import type { Json } from '../../lib/json/json.ts';
import { type CarryRule, isBelow, isOn, type SettingsPlan } from './settings-plan.ts';

/** By path, with all below: why nothing is lost. */
const LEFT_OUT: readonly (readonly [path: string, why: string])[] = [
  ['app', 'the name of the site had no effect on answers'],
  ['env', 'there is one configuration; `--env` chose this one'],
  ['cluster', 'the process is one; see hosting'],
  ['status', '`/api/status` is always there, for any valid token'],
  ['workQueue', 'work is bounded by `limits`'],
  ['datastore', 'the database is chosen by `database.engine`'],
  ['engines', 'images are made by one engine'],
  ['query.useApiVersion', 'documents keep the version that wrote them'],
  ['server.redirectPort', 'redirects belong to the proxy in front'],
  ['server.enableHTTPSRedirect', 'redirects belong to the proxy in front'],
  ['databaseConnection', 'the driver connects again by itself'],
  ['http', 'redirects of sources are followed within `images.remote.allow`'],
  ['gzip', 'what is worth it is compressed'],
  ['$schema', 'it was for an editor'],
];

/** By path, with all below: what to do where it is in use. */
const LOST: readonly (readonly [path: string, what: string])[] = [
  ['server.protocol', 'this server speaks plain HTTP: put a proxy with the certificate in front of it'],
  ['cloudfront', 'nothing is sent to CloudFront: invalidate it after `POST /api/flush`'],
  ['multiDomain', 'one process serves one site: start one for each domain'],
  ['experimental', 'scripts are sent as they are: transpile them before they are published'],
  ['upload', 'files are uploaded to media collections'],
  ['defaultFiles', 'name the file in the address'],
  ['robots', 'put `robots.txt` into the folder of `images.directory`'],
  ['plugins', 'plugins are not there'],
  ['search', 'search over several collections is not there'],
  ['i18n', 'fields in several languages are not there'],
  ['featureQuery', 'clients cannot ask for what the server can do'],
  [
    'schemas',
    'specifications are files: write each that was kept elsewhere as `collections/<version>/<database>/collection.<name>.json`; addresses have that version, also where clients left it out',
  ],
  ['query', 'it is not there'],
];

const CERTIFICATES = /^server\.ssl/;

/** Whether a value switches anything on. */
function isUsed(path: string, value: Json): boolean {
  if (path === 'server.protocol') return String(value).toLowerCase() !== 'http';
  if (value === null || value === '' || value === false || value === 0 || value === 'false') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** True where the block of a setting, or one around it, says that it is off. */
function isSwitchedOff({ older }: SettingsPlan, path: string): boolean {
  const names = path.split('.');
  return names.some((_, index) => {
    if (index === 0) return false;
    const enabled = older.at([...names.slice(0, index), 'enabled'].join('.'));
    return enabled !== undefined && !isOn(enabled);
  });
}

/** The last rule: says what becomes of a setting that nothing else knows. */
export const withoutCounterpart: CarryRule = (plan, { path, value }) => {
  if ([...plan.older.readSettings].some((name) => isBelow(path, name))) {
    plan.note(path, 'changed', 'in `grants.config` of the code that reads it');
    return true;
  }
  const left = LEFT_OUT.find(([parent]) => isBelow(path, parent));
  const lost = LOST.find(([parent]) => isBelow(path, parent));
  if (left !== undefined) plan.note(path, 'changed', `left out: ${left[1]}`);
  else if (CERTIFICATES.test(path))
    plan.note(path, 'changed', 'left out: certificates belong to the proxy in front');
  else if (isSwitchedOff(plan, path)) plan.note(path, 'changed', 'left out: it was off');
  else if (!isUsed(path, value)) plan.note(path, 'changed', 'left out: it switched nothing on');
  else if (lost !== undefined) plan.note(path, 'hand', lost[1]);
  else
    plan.note(
      path,
      'hand',
      'there is no such setting: where code of the site read it, put the value into the code, or a secret into `sandbox.secrets`',
    );
  return true;
};
