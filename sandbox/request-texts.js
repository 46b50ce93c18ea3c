// The texts of the requests that came in one frame.

/**
 * Bytes of all requests that share an entry. All of them lie in the isolate at once, so that large ones of several callers would
 * exhaust it together.
 */
const SHARED_BYTES = 65_536;

/** @typedef {readonly [number: number, headLength: number, bodyLength: number]} Sizes Of one request: in bytes, or in characters. */

/**
 * The texts of a frame: head, body, head, body, … Where all is ASCII, which is nearly always, the bytes are decoded once.
 * @param {Buffer} raw
 */
export function createTexts(raw) {
  const whole = raw.toString();
  const isAscii = whole.length === raw.length;
  let at = 0;
  const take = (/** @type {number} */ bytes) => {
    const from = at;
    at += bytes;
    return isAscii ? whole.slice(from, at) : raw.toString('utf8', from, at);
  };
  return {
    take,
    skip(/** @type {readonly Sizes[]} */ requests) {
      for (const [, headBytes, bodyBytes] of requests) at += headBytes + bodyBytes;
    },
    /** The texts of the next requests as one, with their lengths in characters. None of it is taken. */
    peek(/** @type {readonly Sizes[]} */ requests) {
      const from = at;
      if (isAscii) {
        this.skip(requests);
        const texts = whole.slice(from, at);
        at = from;
        return { requests, texts };
      }
      let texts = '';
      /** @type {Sizes[]} */
      const sizes = requests.map(([number, headBytes, bodyBytes]) => {
        const head = take(headBytes);
        const body = take(bodyBytes);
        texts += head + body;
        return [number, head.length, body.length];
      });
      at = from;
      return { requests: sizes, texts };
    },
  };
}

/** The requests from the first on that are small enough to share an entry. @param {readonly Sizes[]} waiting */
export function smallOnes(waiting) {
  let bytes = 0;
  const tooMany = waiting.findIndex(([, headBytes, bodyBytes]) => {
    bytes += headBytes + bodyBytes;
    return bytes > SHARED_BYTES;
  });
  return tooMany === -1 ? waiting : waiting.slice(0, tooMany);
}
