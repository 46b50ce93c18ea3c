// The component schemas of the review of posted code: what waits, a refusal, and the bounds of policies.
import { listOf, objectOf } from '../../lib/json/schema-parts.ts';

/** Characters in which a reviewer says why. */
export const MAX_REASON_CHARACTERS = 1000;

const text = { type: 'string' };
const texts = listOf(text);
const whole = { type: 'integer' };
const time = { type: 'integer', description: 'Epoch milliseconds' };

/** Components of these operations. */
export const REVIEW_SCHEMAS = {
  PendingVersion: {
    ...objectOf({
      version: whole,
      part: { enum: ['code', 'policy'], description: 'What is new in it' },
      by: { type: ['string', 'null'], description: 'Who posted it' },
      at: time,
    }),
    description: 'A version that waits for a reviewer',
  },
  Refusal: {
    ...objectOf({ by: text, at: time, reason: text }),
    description: 'By a reviewer: the version never becomes active',
  },
  NewRefusal: objectOf({
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_REASON_CHARACTERS,
      pattern: '\\S',
      description: 'For the author',
    },
  }),
  PolicyLimits: {
    ...objectOf({
      limits: objectOf({
        cpuMs: whole,
        wallMs: whole,
        heapMb: whole,
        responseBytes: whole,
        logBytes: whole,
        hostCalls: whole,
        concurrency: whole,
        perMinute: { type: 'integer', description: '0: no bound' },
      }),
      grants: objectOf({
        request: objectOf({ headers: texts, maxBodyBytes: whole }),
        response: objectOf({ headers: texts }),
        collections: listOf(objectOf({ name: text, actions: texts, as: text, maxResults: whole })),
        fetch: listOf(
          objectOf(
            {
              origin: text,
              methods: texts,
              paths: texts,
              maxBytes: whole,
              timeoutMs: whole,
              headers: {
                type: 'object',
                additionalProperties: { type: ['string', 'null'] },
                description: 'Null: a value that is not the name of a secret',
              },
            },
            ['headers'],
          ),
        ),
        bcrypt: objectOf({ maxRounds: { type: 'integer', description: '0: no policy has it' } }),
      }),
    }),
    description: 'What any policy may ask for at most, as the operator says',
  },
};
