// Small texts of answers: what `res.type` knows by name, and URLs as a header may carry them.
(function answerText(kit) {
  'use strict';
  const { StringCharCodeAt, StringSlice, StringStartsWith, TypedArraySet, Uint8Array, encodeURIComponent } =
    kit.p;

  const TYPES = {
    __proto__: null,
    html: 'text/html; charset=utf-8',
    htm: 'text/html; charset=utf-8',
    txt: 'text/plain; charset=utf-8',
    text: 'text/plain; charset=utf-8',
    json: 'application/json; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    csv: 'text/csv; charset=utf-8',
    md: 'text/markdown; charset=utf-8',
    xml: 'application/xml; charset=utf-8',
    svg: 'image/svg+xml',
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    avif: 'image/avif',
    ico: 'image/x-icon',
    pdf: 'application/pdf',
    zip: 'application/zip',
    bin: 'application/octet-stream',
  };

  /** Type of a file name ending, with or without its dot. */
  function contentTypeOf(name) {
    return TYPES[StringStartsWith(name, '.') ? StringSlice(name, 1) : name] ?? TYPES.bin;
  }

  /** Percent-encodes what may not stand in a header; what is encoded already stays. */
  function encodeUrl(url) {
    let text = '';
    for (let index = 0; index < url.length; index += 1) {
      const code = StringCharCodeAt(url, index);
      if (code > 0x20 && code < 0x7f) {
        text += url[index];
        continue;
      }
      const pair = code >= 0xd800 && code < 0xdc00 ? 2 : 1;
      text += encodeURIComponent(StringSlice(url, index, index + pair));
      index += pair - 1;
    }
    return text;
  }

  /** `parts`: byte arrays and their `length`. */
  function joinBytes(parts, bytes) {
    const all = new Uint8Array(bytes);
    let offset = 0;
    for (let index = 0; index < parts.length; index += 1) {
      TypedArraySet(all, parts[index], offset);
      offset += kit.bytes.lengthOf(parts[index]);
    }
    return all;
  }

  return { contentTypeOf, encodeUrl, joinBytes };
});
