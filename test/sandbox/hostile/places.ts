// Where posted code goes, and what has to be called for it to run.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { AttackRequest } from './attack.ts';

export interface Place {
  /** Path without what comes after the name. */
  readonly module: string;
  readonly call: string;
  readonly request: AttackRequest;
  /** Posted to the collection that is called. */
  readonly specification?: JsonObject;
}

export const endpointAt = (name: string): Place => ({
  module: `/1.0/${name}`,
  call: `/1.0/${name}`,
  request: {},
});

const DOCUMENT: AttackRequest = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"title":"a document"}',
};

/** A hook, and a collection of its own that names it. */
export function hookAt(name: string, event: string): Place {
  return {
    module: `/api/hooks/${name}`,
    call: `/1.0/library/${name}`,
    request: event.endsWith('Get') ? {} : DOCUMENT,
    specification: {
      fields: { title: { type: 'String' }, other: { type: 'Mixed' } },
      settings: { hooks: { [event]: [name] } },
    },
  };
}
