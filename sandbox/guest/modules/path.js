// `path` as on POSIX systems. It works on texts alone: there are no folders here, and the current one is `/`.
(function path(module, _exports, require) {
  'use strict';
  const { requireText, wrongType } = require('./errors');

  /** The parts of a path without empty ones, `.` and what `..` takes back. */
  function partsOf(text, isAbsolute) {
    const kept = [];
    for (const part of text.split('/')) {
      if (part === '' || part === '.') continue;
      if (part !== '..') kept.push(part);
      else if (kept.length > 0 && kept[kept.length - 1] !== '..') kept.pop();
      else if (!isAbsolute) kept.push(part);
    }
    return kept;
  }

  function normalize(text) {
    requireText(text, 'path');
    if (text === '') return '.';
    const root = text[0] === '/' ? '/' : '';
    const ending = text.endsWith('/') ? '/' : '';
    const parts = partsOf(text, root !== '');
    if (parts.length === 0) return root === '/' ? '/' : `.${ending}`;
    return root + parts.join('/') + ending;
  }

  function join(...texts) {
    for (const text of texts) requireText(text, 'path');
    return normalize(texts.filter((text) => text !== '').join('/'));
  }

  function resolve(...texts) {
    let joined = '';
    for (let index = texts.length - 1; index >= 0 && joined[0] !== '/'; index -= 1) {
      requireText(texts[index], `paths[${index}]`);
      if (texts[index] !== '') joined = joined === '' ? texts[index] : `${texts[index]}/${joined}`;
    }
    return `/${partsOf(`/${joined}`, true).join('/')}`;
  }

  function relative(from, to) {
    requireText(from, 'from');
    requireText(to, 'to');
    const above = partsOf(resolve(from), true);
    const below = partsOf(resolve(to), true);
    let shared = 0;
    while (shared < above.length && shared < below.length && above[shared] === below[shared]) shared += 1;
    return [...above.slice(shared).map(() => '..'), ...below.slice(shared)].join('/');
  }

  /** Where the slashes at the end begin: a path of slashes alone has none of them cut. */
  function endOf(text) {
    let end = text.length;
    while (end > 1 && text[end - 1] === '/') end -= 1;
    return end;
  }

  function dirname(text) {
    requireText(text, 'path');
    const slash = text.lastIndexOf('/', endOf(text) - 1);
    if (text === '' || slash === -1) return '.';
    if (slash === 0) return '/';
    return slash === 1 && text[0] === '/' ? '//' : text.slice(0, slash);
  }

  function lastPart(text) {
    const end = endOf(text);
    const cut = text.slice(0, end);
    return cut === '/' ? '' : cut.slice(cut.lastIndexOf('/') + 1);
  }

  function basename(text, suffix) {
    if (suffix !== undefined) requireText(suffix, 'suffix');
    requireText(text, 'path');
    if (suffix !== undefined && suffix === text) return '';
    const base = lastPart(text);
    const isCut = suffix !== undefined && suffix !== '' && base !== suffix && base.endsWith(suffix);
    return isCut ? base.slice(0, -suffix.length) : base;
  }

  const extensionOf = (base) => {
    const dot = base.lastIndexOf('.');
    return dot <= 0 || base === '..' ? '' : base.slice(dot);
  };

  function extname(text) {
    requireText(text, 'path');
    return extensionOf(lastPart(text));
  }

  function parse(text) {
    requireText(text, 'path');
    const root = text[0] === '/' ? '/' : '';
    const base = lastPart(text);
    const cut = text.slice(0, endOf(text));
    const slash = cut.lastIndexOf('/');
    const ext = extensionOf(base);
    const name = base.slice(0, base.length - ext.length);
    return { root, dir: slash > 0 ? cut.slice(0, slash) : root, base, ext, name };
  }

  function format(parts) {
    if (typeof parts !== 'object' || parts === null) throw wrongType('pathObject', 'of type object', parts);
    const dir = parts.dir || parts.root;
    const ext = parts.ext ? `${parts.ext[0] === '.' ? '' : '.'}${parts.ext}` : '';
    const base = parts.base || `${parts.name || ''}${ext}`;
    if (!dir) return base;
    return dir === parts.root ? `${dir}${base}` : `${dir}/${base}`;
  }

  function isAbsolute(text) {
    requireText(text, 'path');
    return text[0] === '/';
  }

  const functions = { resolve, normalize, isAbsolute, join, relative, dirname, basename, extname };
  const posix = { ...functions, format, parse, toNamespacedPath: (text) => text, sep: '/', delimiter: ':' };
  posix.posix = posix;
  module.exports = posix;
});
