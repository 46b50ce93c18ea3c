// POST /1.0/webhook: a caller that signs what it sends (HMAC with SHA-256) instead of having a token.
module.exports.model = { settings: { authenticate: false } };

// Whoever reads this code can sign, and every admin can read it: keep such a key for this one purpose.
const KEY = 'change me, shared with the sender';
const BLOCK = 64;

async function sha256(...parts) {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

async function hmac(key, text) {
  const bytes = new TextEncoder().encode(key);
  const short = bytes.length > BLOCK ? await sha256(bytes) : bytes;
  const padded = (pad) => Uint8Array.from({ length: BLOCK }, (_, n) => (short[n] ?? 0) ^ pad);
  const inner = await sha256(padded(0x36), new TextEncoder().encode(text));
  const mac = await sha256(padded(0x5c), inner);
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Compares without telling by its duration how much was right. */
function same(a, b) {
  let different = a.length ^ b.length;
  for (let n = 0; n < a.length; n += 1) different |= a.charCodeAt(n) ^ b.charCodeAt(n % b.length);
  return different === 0;
}

module.exports.post = async (req, res) => {
  // A body of text/plain arrives exactly as it was signed.
  const expected = await hmac(KEY, req.body);
  if (!same(expected, String(req.headers['x-signature'])))
    return res.status(401).json({ error: 'wrong signature' });
  const event = JSON.parse(req.body);
  console.info('event', event.type);
  res.json({ received: event.type });
};
