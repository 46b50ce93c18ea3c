// Puts names of what there is into the path parameters of an API description: a program that only knows their schemas finds nothing.
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { operationsOf } from '../described-operations.ts';
import type { DrivenSite } from './driven-site.ts';

const NOBODY = '0'.repeat(24);
/** What removes is given names of nothing, or of what no other operation needs. */
const REMOVAL = /^(?:remove|suspend)/;

function namesFor(name: string, id: string, path: string, { ids }: DrivenSite): readonly string[] {
  const isRemoval = REMOVAL.test(id);
  switch (name) {
    case 'version':
      return ['1.0', '9.9'];
    case 'database':
      return ['site'];
    case 'collection':
      return isRemoval || id === 'putSpecification' ? ['spare', 'a b'] : ['types', 'nowhere'];
    case 'endpoint':
      return isRemoval || /^(?:post|replace)/.test(id) ? ['spare'] : ['told', 'nowhere'];
    case 'number':
    case 'other':
    case 'revisionId':
    case 'token':
      return [];
    case 'name': {
      if (isRemoval) return ['spare'];
      const there = /Hook/.test(id) ? 'tidy' : /Route/.test(id) ? 'picture' : 'small';
      return /^(?:post|replace)/.test(id) ? ['spare'] : [there, 'nowhere'];
    }
    case 'id': {
      const documents = [...ids].find(([base]) => path.startsWith(`${base}/`))?.[1];
      if (documents === undefined) return /Client/.test(id) ? ['author', 'nobody'] : [];
      // Each deletion takes one of its own.
      const kept = documents.slice(0, 2);
      return [...(id.startsWith('deleteDocument') ? documents.slice(2) : kept), NOBODY];
    }
    default:
      throw new Error(`no names for {${name}} of ${path}`);
  }
}

/** The same description, whose path parameters have few values, most of which are there. */
export function withKnownNames(description: JsonObject, site: DrivenSite): JsonObject {
  const copy = structuredClone(description);
  for (const { path, id, operation } of operationsOf(copy)) {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in !== 'path') continue;
      const names = namesFor(parameter.name, id, path, site);
      if (names.length > 0) parameter.schema = { enum: names };
    }
  }
  return copy;
}
