// What the sandbox finds in code that it accepts.
import type { Inspection } from '../../../sandbox/protocol.ts';

type Accepted = Extract<Inspection, { ok: true }>;

/** An inspection of code with one handler, for GET, that says nothing of itself; `given` in place of its members. */
export const acceptedInspection = (given: Partial<Accepted> = {}): Accepted => ({
  ok: true,
  methods: ['GET'],
  settings: {},
  route: null,
  openapi: null,
  warnings: [],
  isolation: null,
  ...given,
});
