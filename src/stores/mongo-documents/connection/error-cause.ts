// The driver's errors carry whole commands, documents and what it sees of the servers: only their words go on.

/** Beyond this many characters the rest of a message is dropped. */
const MAX_MESSAGE = 1000;

/** Parts of messages that repeat what a document or a command holds. */
const SENSITIVE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/( dup key: ).*/s, '$1…'],
  [/(to execute command \{ \w+: ).*/s, '$1…'],
  [/\/\/[^\s/@]*@/g, '//…@'],
];

const withoutSensitiveParts = (text: string): string =>
  SENSITIVE_PARTS.reduce((kept, [content, instead]) => kept.replace(content, instead), text).slice(
    0,
    MAX_MESSAGE,
  );

/** An error that says what the driver's says, with its name, its code and its stack, and holds nothing else. */
export function sanitizedCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(withoutSensitiveParts(String(error)));
  const plain = new Error(withoutSensitiveParts(error.message));
  plain.name = error.name;
  // The stack repeats the message.
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  plain.stack = [`${plain.name}: ${plain.message}`, ...frames].join('\n');
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'number' || typeof code === 'string' ? Object.assign(plain, { code }) : plain;
}

/** Takes each of the secrets out of an error and its causes, wherever the driver repeated one. */
export function redactSecrets(error: Error, secrets: readonly string[]): void {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    cause.message = redactText(cause.message, secrets);
    cause.stack = redactText(cause.stack ?? '', secrets);
  }
}

/** The text without any of the secrets. */
export function redactText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((kept, secret) => kept.replaceAll(secret, '[redacted]'), text);
}
