// `res`: buffered until `end`, then sent as one text. What an author calls here is checked here, and again outside.
(function responses(kit) {
  'use strict';
  const { JSONStringify, NumberIsInteger, ObjectKeys, RangeError, String, StringIncludes, StringSlice } =
    kit.p;
  const { Headers } = kit;
  const { contentTypeOf, encodeUrl, joinBytes } = kit.answerText;
  const { bytesOf, finish } = kit.requests;
  const { viewOf, copyOf, lengthOf, toBase64, encode } = kit.bytes;
  const LIMIT = kit.options.responseBytes;
  const JSON_TYPE = '["Content-Type","application/json; charset=utf-8"]';
  const HTML_TYPE = '["Content-Type","text/html; charset=utf-8"]';
  const BINARY_TYPE = '["Content-Type","application/octet-stream"]';

  class Response {
    #request;
    #status = 200;
    #headers = undefined;
    #text = '';
    /** JSON of the type that `json` or `send` chose, unless the author sets one. */
    #ownType = '';
    /** Takes the place of `#text` as soon as there are bytes in the body. */
    #parts = undefined;
    /** Bytes so far; where only text was written, three for each character after `#counted`. */
    #bytes = 0;
    #exact = 0;
    #counted = 0;

    constructor(request) {
      this.#request = request;
    }

    get statusCode() {
      return this.#status;
    }

    set statusCode(value) {
      const status = +value;
      if (!NumberIsInteger(status) || status < 200 || status > 599) {
        throw new RangeError('A status is a whole number from 200 to 599');
      }
      if (!this.#request.ended) this.#status = status;
    }

    get statusMessage() {
      return '';
    }

    set statusMessage(_ignored) {}

    get headersSent() {
      return this.#request.ended;
    }

    get finished() {
      return this.#request.ended;
    }

    get writableEnded() {
      return this.#request.ended;
    }

    status(value) {
      this.statusCode = value;
      return this;
    }

    setHeader(name, value) {
      if (this.#request.ended) return this;
      if (this.#headers === undefined) this.#headers = new Headers();
      this.#headers.set(name, value);
      return this;
    }

    /** One header, or all members of an object. */
    set(name, value) {
      if (typeof name !== 'object' || name === null) return this.setHeader(name, value);
      const names = ObjectKeys(name);
      for (let index = 0; index < names.length; index += 1) this.setHeader(names[index], name[names[index]]);
      return this;
    }

    getHeader(name) {
      return this.#headers === undefined ? undefined : this.#headers.get(name);
    }

    hasHeader(name) {
      return this.#headers === undefined ? false : this.#headers.has(name);
    }

    removeHeader(name) {
      if (!this.#request.ended && this.#headers !== undefined) this.#headers.remove(name);
    }

    getHeaders() {
      return this.#headers === undefined ? { __proto__: null } : this.#headers.all();
    }

    writeHead(status, message, headers) {
      this.statusCode = status;
      const given = typeof message === 'string' ? headers : (message ?? headers);
      if (given !== undefined) this.set(given);
      return this;
    }

    type(value) {
      const text = String(value);
      return this.setHeader('Content-Type', StringIncludes(text, '/') ? text : contentTypeOf(text));
    }

    write(chunk) {
      if (this.#request.ended) return false;
      const view = viewOf(chunk);
      if (view === undefined) this.#addText(String(chunk));
      else this.#addBytes(view);
      return true;
    }

    end(chunk) {
      if (this.#request.ended) return this;
      if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') this.write(chunk);
      const head = this.#headersJson();
      const empty = this.#status === 204 || this.#status === 304;
      const base64 = this.#parts !== undefined;
      const body = empty ? '' : base64 ? this.#joined() : this.#text;
      finish(this.#request, 'end', `[${this.#status},[${head}],"${base64 ? 'base64' : 'text'}"]`, body);
      return this;
    }

    json(value) {
      const text = JSONStringify(value);
      this.#default(JSON_TYPE);
      return this.end(text === undefined ? '' : text);
    }

    send(value) {
      if (value === undefined || value === null) return this.end();
      if (viewOf(value) !== undefined) {
        this.#default(BINARY_TYPE);
        return this.end(value);
      }
      if (typeof value !== 'string') return this.json(value);
      this.#default(HTML_TYPE);
      return this.end(value);
    }

    /** `redirect(url)` or `redirect(status, url)`. */
    redirect(status, url) {
      this.statusCode = url === undefined ? 302 : status;
      this.setHeader('Location', encodeUrl(String(url === undefined ? status : url)));
      return this.end();
    }

    #default(type) {
      this.#ownType = type;
    }

    #headersJson() {
      if (this.#headers === undefined) return this.#ownType;
      const given = this.#headers.json();
      if (this.#ownType === '' || this.#headers.has('content-type')) return given;
      return given === '' ? this.#ownType : `${given},${this.#ownType}`;
    }

    #admit(bytes) {
      if (this.#bytes + bytes <= LIMIT) return;
      this.#request.tooLarge = new RangeError(`The body of an answer has at most ${LIMIT} bytes`);
      throw this.#request.tooLarge;
    }

    #addText(text) {
      if (this.#parts !== undefined) {
        this.#admit(text.length);
        this.#addBytes(encode(text));
        return;
      }
      // A character has at most three bytes: only what may be too large is counted.
      const maxBytes = text.length * 3;
      if (this.#bytes + maxBytes <= LIMIT) {
        this.#bytes += maxBytes;
        this.#text += text;
        return;
      }
      this.#exact += bytesOf(StringSlice(this.#text, this.#counted));
      this.#bytes = this.#exact;
      this.#counted = this.#text.length;
      this.#admit(text.length);
      const bytes = bytesOf(text);
      this.#admit(bytes);
      this.#text += text;
      this.#exact += bytes;
      this.#bytes = this.#exact;
      this.#counted = this.#text.length;
    }

    #addBytes(view) {
      if (this.#parts === undefined) {
        const before = this.#text === '' ? undefined : encode(this.#text);
        this.#bytes = before === undefined ? 0 : lengthOf(before);
        this.#admit(lengthOf(view));
        this.#parts = { __proto__: null, length: 0 };
        if (before !== undefined) this.#addPart(before);
        this.#text = '';
      }
      this.#admit(lengthOf(view));
      this.#bytes += lengthOf(view);
      this.#addPart(copyOf(view));
    }

    #addPart(part) {
      this.#parts[this.#parts.length] = part;
      this.#parts.length += 1;
    }

    #joined() {
      if (this.#parts.length === 1) return toBase64(this.#parts[0]);
      return toBase64(joinBytes(this.#parts, this.#bytes));
    }
  }

  kit.facade(Response);
  const { prototype } = Response;
  kit.alias(prototype, 'get', prototype.getHeader);
  kit.alias(prototype, 'header', prototype.set);
  return Response;
});
