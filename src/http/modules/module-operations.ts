// What the routes of posted code say about themselves. Endpoints and hooks have the same ones under paths of their own.

import { ref } from '../../lib/json/schema-parts.ts';
import { ETAG_HEADER, IF_MATCH } from '../core/entity-tags.ts';
import { json, type Operation, type ParameterDescription, text } from '../core/operation.ts';

const after: ParameterDescription = {
  in: 'query',
  name: 'after',
  description: 'The `seq` of a record: those after it are answered',
  schema: { type: 'integer', minimum: 0, default: 0 },
};
const limit: ParameterDescription = {
  in: 'query',
  name: 'limit',
  description: 'How many records at most',
  schema: { type: 'integer', minimum: 0, default: 1000 },
};

const done = { description: 'Done', content: json(ref('Done')) };
const posted = { description: 'In force', content: json(ref('PostedCode')) };
const pending = { description: 'Waits for the approval of a reviewer', content: json(ref('PostedCode')) };
const source = { description: 'The code', content: text() };
const policy = { description: 'The policy', content: json(ref('StoredPolicy')) };
const versionSchema = { type: 'integer', minimum: 1 };
const code = { content: { 'text/plain': { type: 'string', description: 'The code, as text' } } };

interface Kind {
  /** `Endpoint` or `Hook`. */
  readonly noun: 'Endpoint' | 'Hook';
  /** Where clients find it: `/{version}/{endpoint}`. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
}

const ENDPOINT: Kind = {
  noun: 'Endpoint',
  path: '/{version}/{endpoint}',
  pathParameters: { version: 'Version of the API, such as `1.0`', endpoint: 'Name of the endpoint' },
};
const HOOK: Kind = { noun: 'Hook', path: '/api/hooks/{name}', pathParameters: { name: 'Name of the hook' } };

type Text = Omit<Operation, 'id' | 'tag' | 'audience' | 'path'> & {
  readonly audience?: Operation['audience'];
};

function createOperations(kind: Kind) {
  const { noun, path, pathParameters } = kind;
  const word = noun.toLowerCase();
  const article = noun === 'Endpoint' ? 'an endpoint' : 'a hook';
  const operation = (id: string, below: string, about: Text): Operation => ({
    audience: 'admins',
    ...about,
    id,
    tag: `${noun}s`,
    path: path + below,
    pathParameters: { ...pathParameters, ...about.pathParameters },
  });
  const ofVersion = (id: string, below: string, about: Text): Operation =>
    operation(id, `/versions/{number}${below}`, {
      ...about,
      pathParameters: { number: 'Number of the version', ...about.pathParameters },
      pathSchemas: { number: versionSchema, ...about.pathSchemas },
    });
  return {
    source: operation(`get${noun}Code`, '/config', {
      summary: `Reads the code of ${article}`,
      audience: 'reviewers',
      answers: { 200: { ...source, headers: ETAG_HEADER } },
    }),
    post: operation(`post${noun}Code`, '/config', {
      refusals: [409],
      summary: noun === 'Endpoint' ? 'Creates an endpoint, or replaces its code' : 'Creates a hook',
      parameters: [IF_MATCH],
      body: code,
      answers: { 200: posted, 202: pending },
    }),
    put: operation(`replace${noun}Code`, '/config', {
      refusals: [409],
      summary: `Replaces the code of ${article}`,
      parameters: [IF_MATCH],
      body: code,
      answers: { 200: posted, 202: pending },
    }),
    remove: operation(`remove${noun}`, '/config', {
      summary: `Removes ${article}; its versions can still be read`,
      parameters: [IF_MATCH],
      answers: { 200: done },
    }),
    versions: operation(`list${noun}Versions`, '/versions', {
      summary: `Lists the versions of ${article}`,
      audience: 'reviewers',
      answers: {
        200: {
          description: 'The newest ones that are kept',
          content: json(ref('ModuleVersions')),
        },
      },
    }),
    versionSource: ofVersion(`get${noun}VersionCode`, '', {
      summary: `Reads the code of a version of ${article}`,
      audience: 'reviewers',
      answers: { 200: source },
    }),
    versionPolicy: ofVersion(`get${noun}VersionPolicy`, '/policy', {
      summary: 'Reads the policy under which a version runs, or would run once approved',
      audience: 'reviewers',
      answers: { 200: policy },
    }),
    diff: ofVersion(`diff${noun}Versions`, '/diff/{other}', {
      summary: 'Shows the difference between two versions',
      audience: 'reviewers',
      pathParameters: { other: 'Number of the version to compare with' },
      pathSchemas: { other: versionSchema },
      answers: { 200: { description: 'A unified diff', content: text() } },
    }),
    rollback: ofVersion(`rollBack${noun}`, '/rollback', {
      refusals: [409],
      summary: 'Makes an older version the active one',
      answers: { 200: posted, 202: pending },
    }),
    approve: ofVersion(`approve${noun}Version`, '/approve', {
      refusals: [403, 409],
      summary: 'Approves a version that waits',
      audience: 'reviewersOnly',
      answers: { 200: done },
    }),
    refuse: ofVersion(`refuse${noun}Version`, '/refuse', {
      refusals: [403, 409],
      summary: 'Refuses a version that waits: it never becomes active',
      audience: 'reviewersOnly',
      body: { content: json(ref('NewRefusal')) },
      answers: { 200: done },
    }),
    policy: operation(`get${noun}Policy`, '/policy', {
      summary: `Reads the policy of ${article}`,
      audience: 'reviewers',
      answers: { 200: { ...policy, headers: ETAG_HEADER } },
    }),
    putPolicy: operation(`put${noun}Policy`, '/policy', {
      summary: `Replaces the policy of ${article}`,
      parameters: [IF_MATCH],
      body: { content: json(ref('Policy')) },
      answers: { 200: policy, 202: { ...policy, description: 'Waits for the approval of a reviewer' } },
    }),
    logs: operation(`list${noun}Logs`, '/logs', {
      summary: `Reads what the code of ${article} has logged`,
      parameters: [limit, after],
      answers: {
        200: { description: 'Oldest first', content: json(ref('ModuleLogs')) },
      },
    }),
    usage: operation(`get${noun}Usage`, '/usage', {
      summary: `Tells what the code of ${article} has used in the last hour`,
      answers: { 200: { description: 'By the minute', content: json(ref('ModuleUsage')) } },
    }),
    suspend: operation(`suspend${noun}`, '/suspend', {
      summary: `Stops ${article}: nothing of the ${word} runs until it is resumed`,
      answers: { 200: done },
    }),
    resume: operation(`resume${noun}`, '/suspend', {
      refusals: [403],
      summary: `Lets ${article} run again`,
      answers: { 200: done },
    }),
  };
}

export type ModuleOperations = ReturnType<typeof createOperations>;

export const ENDPOINT_OPERATIONS: ModuleOperations = createOperations(ENDPOINT);
export const HOOK_OPERATIONS: ModuleOperations = createOperations(HOOK);

export const LIST_ENDPOINTS: Operation = {
  id: 'listEndpoints',
  tag: 'Endpoints',
  audience: 'ownClients',
  summary: 'Lists the endpoints',
  answers: {
    200: {
      description:
        'Sorted by path. Only admins see why one is suspended; only they and reviewers what waits, and the policy limits',
      content: json(ref('Endpoints')),
    },
  },
};

export const LIST_HOOKS: Operation = {
  id: 'listHooks',
  tag: 'Hooks',
  audience: 'reviewers',
  summary: 'Lists the hooks',
  answers: {
    200: { description: 'Sorted by path', content: json(ref('Hooks')) },
  },
};
