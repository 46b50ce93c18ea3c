// Settings of the older CDN that have another form now.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type CarryRule, isBelow, isOn, numberValue, textValue } from './settings-plan.ts';

const DEFAULT_CONTENT_PORT = 8081;

/** Its port was that of delivery, and its address too. */
const server: CarryRule = (plan, { path, value }) => {
  if (path === 'server.host') {
    plan.set('delivery.host', value);
    plan.note(path, 'changed', 'now `delivery.host`');
    return true;
  }
  if (path !== 'server.port') return false;
  const port = numberValue(value);
  if (port === undefined) {
    plan.note(path, 'hand', 'it is no port: set `delivery.port`');
    return true;
  }
  plan.set('delivery.port', port);
  if (port === DEFAULT_CONTENT_PORT) plan.set('server.port', port + 1);
  plan.note(path, 'changed', 'now `delivery.port`; `server.port` is that of the content API');
  return true;
};

/** Its one client could do everything. */
const client: CarryRule = (plan, { path, value }) => {
  if (path === 'auth.tokenUrl') {
    plan.note(path, 'changed', 'left out: it is `/token` always');
    return true;
  }
  if (path === 'auth.privateKey') {
    plan.note(path, 'changed', 'left out: tokens are signed with a secret that is made at the first start');
    return true;
  }
  if (path !== 'auth.clientId' && path !== 'auth.secret') return false;
  const variable = path === 'auth.clientId' ? 'CLOISTER_ADMIN_ID' : 'CLOISTER_ADMIN_SECRET';
  const isWhole = ['auth.clientId', 'auth.secret'].every(
    (name) => textValue(plan.older.at(name)) !== undefined,
  );
  if (isWhole) plan.setSecret(variable, textValue(value) ?? '');
  plan.note(
    path,
    'changed',
    isWhole
      ? `the admin's, \`${variable}\` in \`.env\``
      : 'left out: id and secret belong together; the first start makes an admin',
  );
  return true;
};

function isPrivateHost(host: string): boolean {
  return !host.includes('.') || isIP(host) !== 0 || /\.(?:local|internal|localhost)$/.test(host);
}

/** Any web server could be asked; those that are allowed are named now. */
const remote: CarryRule = (plan, { path, value }) => {
  if (!isBelow(path, 'images.remote')) return false;
  if (!isOn(plan.older.at('images.remote.enabled'))) {
    plan.note(path, 'changed', 'left out: it was off');
    return true;
  }
  const address = textValue(plan.older.at('images.remote.path'));
  const url = address === undefined ? null : URL.parse(address);
  plan.set('images.remote.enabled', true);
  if (url !== null && /^https?:$/.test(url.protocol)) {
    plan.set('images.remote.allow', [url.origin]);
    if (isPrivateHost(url.hostname)) plan.set('images.remote.allowPrivateAddresses', true);
  }
  if (path === 'images.remote.enabled') plan.note(path, 'kept');
  else if (path === 'images.remote.path') {
    plan.note(
      path,
      'hand',
      url === null
        ? 'it is no address: list the origins in `images.remote.allow`'
        : 'its origin is in `images.remote.allow` and the address in `path` of each recipe; what was asked for without a recipe needs one',
    );
  } else if (path === 'images.remote.allowFullURL') {
    if (isOn(value))
      plan.note(path, 'hand', 'list the origins that images come from in `images.remote.allow`');
    else plan.note(path, 'changed', 'left out: only the origins of `images.remote.allow` are asked');
  } else return false;
  return true;
};

/** What was no image could have a folder of its own, and other sources. */
const assets: CarryRule = (plan, { path }) => {
  if (!isBelow(path, 'assets')) return false;
  if (isBelow(path, 'assets.directory')) {
    // The default was below the folder of the older server.
    const isDefault = textValue(plan.older.at('assets.directory.path')) === undefined;
    if (isDefault && isOn(plan.older.at('assets.directory.enabled')))
      plan.set('assets.directory.path', resolve(plan.older.root, './public'));
    return false;
  }
  const [, block = ''] = path.split('.');
  const isUsed = isOn(plan.older.at(`assets.${block}.enabled`));
  plan.note(
    path,
    isUsed ? 'hand' : 'changed',
    isUsed
      ? 'files that are no images come from `assets.directory` and the sources of `images`: have them there'
      : 'left out: it was off',
  );
  return true;
};

/** Two greatest lengths are one greatest area. */
const security: CarryRule = (plan, { path }) => {
  if (path !== 'security.maxWidth' && path !== 'security.maxHeight') return false;
  const width = numberValue(plan.older.at('security.maxWidth')) ?? 2048;
  const height = numberValue(plan.older.at('security.maxHeight')) ?? 1024;
  if (width > 0 && height > 0) plan.set('delivery.render.maxOutputPixels', Math.round(width * height));
  plan.note(path, 'changed', 'now `delivery.render.maxOutputPixels`, the product of both');
  return true;
};

/** Rendered images are kept in a folder of this server's own, for as long as there is room. */
const caching: CarryRule = (plan, { path }) => {
  if (!isBelow(path, 'caching') && path !== 'cache404') return false;
  const isAnotherPlace = isBelow(path, 'caching.redis') && isOn(plan.older.at('caching.redis.enabled'));
  plan.note(
    path,
    'changed',
    isAnotherPlace
      ? 'left out: rendered images are kept on the disk'
      : 'left out: rendered images are kept as `delivery.cache` says',
  );
  return true;
};

const headers: CarryRule = (plan, { path, value }) => {
  if (path === 'headers.useGzipCompression') {
    plan.note(path, 'changed', 'left out: what is worth it is compressed');
    return true;
  }
  if (!isBelow(path, 'headers.cacheControl.paths')) return false;
  const isUsed = !Array.isArray(value) || value.length > 0;
  plan.note(
    path,
    isUsed ? 'hand' : 'changed',
    isUsed
      ? '`Cache-Control` by path is not there: set it by type in `headers.cacheControl.mimetypes`, or in a proxy'
      : 'left out: it was empty',
  );
  return true;
};

export const CDN_RULES: readonly CarryRule[] = [server, client, remote, assets, security, caching, headers];
