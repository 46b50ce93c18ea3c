// `url`: addresses in parts, as the older interface has them, beside `URL` and `URLSearchParams`.
(function urls(module, _exports, require) {
  'use strict';
  const querystring = require('querystring');
  const { requireText, withCode, wrongType } = require('./errors');

  /** Schemes whose addresses begin with two slashes. */
  const SLASHED = new Set(
    ['http', 'https', 'ftp', 'gopher', 'file', 'ws', 'wss'].flatMap((name) => [name, `${name}:`]),
  );
  const isHostless = (protocol) => protocol === 'javascript' || protocol === 'javascript:';
  /** Characters that are never sent as they are. */
  const UNSAFE = /[\t\n\r "'<>\\^`{|}]/g;
  const NO_HOST = /[/?#]/;
  const SIMPLE = /^\/\/?(?!\/)[^?\s#@\\]*(?:\?[^\s#@]*)?$/;
  const ENDS_HOST = new Set([' ', '"', '%', "'", ';', '<', '>', '\\', '^', '`', '{', '|', '}']);

  const escapeUnsafe = (text) =>
    text.replace(UNSAFE, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

  function hostToASCII(host) {
    if (host === '') return '';
    return URL.parse(`ws://${host}`)?.hostname ?? '';
  }

  const invalid = (input) =>
    withCode(Object.assign(new TypeError('Invalid URL'), { input }), 'ERR_INVALID_URL');

  class Url {
    protocol = null;
    slashes = null;
    auth = null;
    host = null;
    port = null;
    hostname = null;
    hash = null;
    search = null;
    query = null;
    pathname = null;
    path = null;
    href = null;

    format() {
      return formatParts(this);
    }

    resolve(relative) {
      return resolve(this.format(), relative);
    }

    resolveObject(relative) {
      return parse(this.resolve(typeof relative === 'string' ? relative : formatParts(relative)));
    }
  }

  /** Backslashes before the query are slashes; white space around it goes. */
  function cleaned(text) {
    const trimmed = text.replace(/^[\s\ufeff]+|[\s\ufeff]+$/g, '');
    const end = trimmed.search(/[?#]/);
    const first = end === -1 ? trimmed : trimmed.slice(0, end);
    return first.replaceAll('\\', '/') + trimmed.slice(first.length);
  }

  /** Where the authority ends, and where its last `@` is. */
  function authorityOf(text) {
    let nonHost = -1;
    let at = -1;
    for (let index = 0; index < text.length; index += 1) {
      const character = text[index];
      if (character === '@') {
        at = index;
        nonHost = -1;
      } else if (nonHost === -1 && (ENDS_HOST.has(character) || NO_HOST.test(character))) nonHost = index;
      if (NO_HOST.test(character)) break;
    }
    return { at, end: nonHost === -1 ? text.length : nonHost };
  }

  /** Fills in user, host and port; answers what is behind them. */
  function readAuthority(url, text) {
    const first = /^[^/?#]*/.exec(text)[0];
    const given = first.replace(/[\t\n\r]/g, '') + text.slice(first.length);
    const { at, end } = authorityOf(given);
    if (at !== -1) url.auth = decodeURIComponent(given.slice(0, at));
    const host = given.slice(at + 1, end);
    let rest = given.slice(end);
    const port = /:(\d*)$/.exec(host);
    let name = port === null ? host : host.slice(0, port.index);
    if (port !== null && port[1] !== '') url.port = port[1];
    const isIpv6 = name[0] === '[' && name.endsWith(']');
    if (!isIpv6) {
      const bad = name.indexOf(':');
      if (bad !== -1) {
        rest = `/${name.slice(bad)}${rest}`;
        name = name.slice(0, bad);
      }
    }
    name = name.length > 255 ? '' : name.toLowerCase();
    if (name !== '' && !isIpv6) {
      name = hostToASCII(name);
      if (name === '') throw invalid(text);
    }
    url.host = `${name}${url.port === null ? '' : `:${url.port}`}`;
    url.hostname = isIpv6 ? name.slice(1, -1) : name;
    return isIpv6 && rest[0] !== '/' ? `/${rest}` : rest;
  }

  function readRest(url, text, parseQuery) {
    const hash = text.indexOf('#');
    const before = hash === -1 ? text : text.slice(0, hash);
    if (hash !== -1) url.hash = text.slice(hash);
    const question = before.indexOf('?');
    if (question !== -1) {
      url.search = before.slice(question);
      url.query = parseQuery ? querystring.parse(url.search.slice(1)) : url.search.slice(1);
    } else if (parseQuery) url.query = { __proto__: null };
    const pathname = question === -1 ? before : before.slice(0, question);
    if (pathname !== '') url.pathname = pathname;
    else if (SLASHED.has(url.protocol) && url.hostname) url.pathname = '/';
    if (url.pathname !== null || url.search !== null) url.path = (url.pathname ?? '') + (url.search ?? '');
  }

  function parse(text, parseQuery, slashesDenoteHost) {
    if (text instanceof Url) return text;
    requireText(text, 'url');
    const url = new Url();
    let rest = cleaned(text);
    const scheme = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
    if (scheme !== undefined) {
      url.protocol = scheme.toLowerCase();
      rest = rest.slice(scheme.length);
    }
    const hasSlashes = rest.startsWith('//');
    const mayHaveHost = slashesDenoteHost || scheme !== undefined || /^\/\/[^@/]+@[^@/]+/.test(rest);
    const isSlashed = mayHaveHost && hasSlashes && !(scheme !== undefined && isHostless(url.protocol));
    if (isSlashed) {
      url.slashes = true;
      rest = rest.slice(2);
    }
    // An address such as `mailto:name@example.com` has a host without slashes.
    const isHost =
      isSlashed || (scheme !== undefined && !isHostless(url.protocol) && !SLASHED.has(url.protocol));
    if (isHost) rest = readAuthority(url, rest);
    // What a server gets, a path with a query alone, stays as it came.
    const staysAsIs = isHostless(url.protocol) || (!slashesDenoteHost && SIMPLE.test(text));
    readRest(url, staysAsIs ? rest : escapeUnsafe(rest), parseQuery);
    url.href = formatParts(url);
    return url;
  }

  function formatParts(parts) {
    const auth = parts.auth ? `${encodeURIComponent(parts.auth).replace(/%3A/i, ':')}@` : '';
    const protocol = parts.protocol ? `${parts.protocol}`.replace(/:?$/, ':') : '';
    let pathname = parts.pathname ?? '';
    let host = '';
    if (parts.host) host = auth + parts.host;
    else if (parts.hostname) {
      const isIpv6 = parts.hostname.includes(':') && !parts.hostname.startsWith('[');
      host = `${auth}${isIpv6 ? `[${parts.hostname}]` : parts.hostname}${parts.port ? `:${parts.port}` : ''}`;
    }
    const query =
      typeof parts.query === 'object' && parts.query !== null ? querystring.stringify(parts.query) : '';
    const search = (parts.search || (query && `?${query}`) || '')
      .replace(/^(?=[^?])/, '?')
      .replaceAll('#', '%23');
    const hash = (parts.hash || '').replace(/^(?=[^#])/, '#');
    pathname = pathname.replaceAll('#', '%23').replaceAll('?', '%3F');
    if (parts.slashes || SLASHED.has(protocol)) {
      if (parts.slashes || host) {
        if (pathname && pathname[0] !== '/') pathname = `/${pathname}`;
        host = `//${host}`;
      } else if (protocol === 'file:') host = '//';
    }
    return protocol + host + pathname + search + hash;
  }

  function format(value, options) {
    if (typeof value === 'string') return parse(value).format();
    if (typeof value !== 'object' || value === null)
      throw wrongType('urlObject', 'of type string or an instance of URL', value);
    if (!(value instanceof URL)) return formatParts(value);
    const copy = new URL(value.href);
    if (options?.auth === false) copy.username = copy.password = '';
    if (options?.fragment === false) copy.hash = '';
    if (options?.search === false) copy.search = '';
    return copy.href;
  }

  /** Of two addresses without a scheme the answer has none. */
  function resolve(from, to) {
    requireText(from, 'from');
    const url = new URL(to, new URL(from, 'resolve://'));
    if (url.protocol !== 'resolve:') return url.href;
    return `${url.host === '' ? '' : `//${url.host}`}${url.pathname}${url.search}${url.hash}`;
  }

  module.exports = {
    ...{ Url, parse, format, resolve, URL, URLSearchParams },
    resolveObject: (from, to) => parse(from, false, true).resolveObject(to),
    domainToASCII: hostToASCII,
    domainToUnicode: (host) => require('punycode').toUnicode(hostToASCII(host)),
  };
});
