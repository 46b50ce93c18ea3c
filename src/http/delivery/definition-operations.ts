// What the routes of delivery's definitions say about themselves.

import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { ETAG_HEADER, IF_MATCH } from '../core/entity-tags.ts';
import { json, type Operation } from '../core/operation.ts';
import { VISITOR_PARAMETERS } from './request-visitor.ts';

const any = { type: 'object' };
const TEXTS = { type: 'array', items: { type: 'string' } };

/** Components of these operations. */
export const DEFINITION_SCHEMAS = {
  Route: {
    ...objectOf({ route: { type: 'string' }, branches: listOf(any) }),
    description: 'Branches with conditions, the first that matches counts: see docs/delivery.md',
  },
  Recipe: {
    ...objectOf({ recipe: { type: 'string' }, settings: any, path: { type: 'string' } }, [
      'settings',
      'path',
    ]),
    description: 'How an image is made: see docs/recipes.md',
  },
  DefinitionError: objectOf(
    {
      success: { const: false },
      errors: listOf({
        anyOf: [
          { type: 'string' },
          { ...objectOf({ error: { type: 'string' } }), description: 'Of a recipe' },
        ],
      }),
      details: listOf({ type: 'string' }),
      Error: { type: 'string', description: 'Where a token is missing or invalid' },
    },
    ['details', 'Error'],
  ),
  Saved: objectOf({ success: { const: true }, message: { type: 'string' } }, ['message']),
  ConditionTest: objectOf({
    condition: { type: 'string', description: 'The member of the condition' },
    wanted: TEXTS,
    detected: { ...TEXTS, description: 'What the values are compared with; empty: nothing is known' },
    matched: { type: 'boolean' },
  }),
  BranchDecision: objectOf(
    {
      recipe: { type: ['string', 'null'] },
      matched: { type: 'boolean', description: 'By itself: of several the first is taken' },
      tests: listOf(ref('ConditionTest')),
      broken: { const: true, description: 'Something is wrong with the branch, so that it never matches' },
    },
    ['broken'],
  ),
  Routes: objectOf({ routes: listOf(ref('Route')) }),
  Recipes: objectOf({ recipes: listOf(ref('Recipe')) }),
  Decision: objectOf({
    route: { type: 'string' },
    recipe: { type: ['string', 'null'], description: 'Null: no branch matches' },
    detected: objectOf({
      device: { type: 'string' },
      language: listOf({ type: 'string' }),
      country: { type: ['string', 'null'] },
      network: { type: ['string', 'null'] },
    }),
    branches: listOf(ref('BranchDecision')),
  }),
};

const errors = ref('DefinitionError');
const saved = { description: 'Done', content: json(ref('Saved')) };

function createOperations(noun: 'Route' | 'Recipe') {
  const word = noun.toLowerCase();
  const pathParameters = { name: `Name of the ${word}` };
  const base = { tag: `${noun}s`, audience: 'admins', errors } as const;
  const body = { content: json(ref(noun)) };
  return {
    list: {
      ...base,
      id: `list${noun}s`,
      summary: `Lists the ${word}s`,
      answers: {
        200: { description: `All ${word}s`, content: json(ref(`${noun}s`)) },
      },
    },
    create: {
      ...base,
      id: `create${noun}`,
      summary: noun === 'Route' ? 'Creates a route' : 'Creates a recipe, or replaces it',
      body,
      answers: noun === 'Route' ? { 200: saved } : { 201: saved },
    },
    get: {
      ...base,
      id: `get${noun}`,
      summary: `Reads a ${word}`,
      pathParameters,
      answers: { 200: { description: `The ${word}`, content: json(ref(noun)), headers: ETAG_HEADER } },
    },
    replace: {
      ...base,
      id: `replace${noun}`,
      summary: `Replaces a ${word}`,
      pathParameters,
      parameters: [IF_MATCH],
      body,
      answers: { 200: saved },
    },
    remove: {
      ...base,
      id: `remove${noun}`,
      summary: `Removes a ${word}`,
      pathParameters,
      parameters: [IF_MATCH],
      answers: { 200: saved },
    },
  } satisfies Readonly<Record<string, Operation>>;
}

export const DEFINITION_OPERATIONS = { route: createOperations('Route'), recipe: createOperations('Recipe') };

export const DECIDE_ROUTE: Operation = {
  id: 'decideRoute',
  errors,
  tag: 'Routes',
  audience: 'admins',
  summary: 'Tells which branch of a route a visitor would take, and why',
  description: 'Without parameters: this request. Each parameter stands in place of one of its facts.',
  pathParameters: { name: 'Name of the route' },
  parameters: VISITOR_PARAMETERS,
  answers: { 200: { description: 'Each branch with its tests', content: json(ref('Decision')) } },
};

export const PREVIEW_RECIPE: Operation = {
  id: 'previewRecipe',
  refusals: [403, 404],
  errors,
  tag: 'Recipes',
  audience: 'admins',
  summary: 'Renders an original as a recipe says that is not saved',
  description:
    'As delivery would, with the same limits, of the same originals. Nothing is kept; `Accept` decides between formats.',
  body: {
    content: json(
      objectOf(
        {
          original: {
            type: 'string',
            minLength: 1,
            maxLength: 4096,
            description: 'The path of a record, or of a file of another source; not percent-encoded',
          },
          settings: any,
          path: { type: 'string' },
          recipe: { type: 'string', description: 'Has no effect' },
        },
        ['path', 'recipe'],
      ),
    ),
  },
  answers: {
    200: {
      description: 'The image',
      headers: { 'X-Original-Size': 'Bytes of the original, where they are known' },
      content: {
        'image/*': { type: 'string', contentMediaType: 'image/*' },
        ...json({ type: 'object', description: 'Of a recipe with `format: json`' }),
      },
    },
  },
};

export const FLUSH_VARIANTS: Operation = {
  id: 'flushVariants',
  tag: 'Administration',
  audience: 'admins',
  summary: 'Drops rendered images: those of a path or query string, or all with `*`',
  body: { content: json(objectOf({ pattern: { type: 'string', minLength: 1, maxLength: 4096 } })) },
  answers: { 200: { description: 'Done', content: json(ref('Saved')) } },
};
