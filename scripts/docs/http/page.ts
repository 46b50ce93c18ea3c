// The text of docs/http.md: every route, from what the routes say about themselves.

import { routePattern } from '../../../src/http/core/internal-paths.ts';
import type {
  Audience,
  CollectionOperation,
  CollectionSchema,
  DescribedRoute,
  Operation,
  OperationText,
} from '../../../src/http/core/operation.ts';
import { COMPONENT_SCHEMAS } from '../../../src/http/description/components.ts';
import { errorStatuses } from '../../../src/http/description/openapi-operation.ts';
import { ref } from '../../../src/lib/json/schema-parts.ts';
import { describedRoutes } from './described-routes.ts';
import { cell, memberRows, words } from './schema-words.ts';

const INTRODUCTION = `# HTTP routes

<!-- Generated from what the routes say about themselves (src/http) by \`npm run docs\`. -->

Every route of the content port. A running server tells the same of itself, with its own collections and endpoints, at \`/docs/openapi.json\` (OpenAPI 3.1) and as a page at \`/docs\`.

- A token of \`POST /token\` is sent as \`Authorization: Bearer …\`. A bad token is 401 on every route but \`/token\`, \`/health\` and \`/hello\`.
- \`HEAD\` is \`GET\` without a body. \`OPTIONS\` tells the methods. Other methods are 405 with \`Allow\`.
- Every error is \`{"statusCode", "success": false, "errors": [{"message", …}]}\`. Who may not is answered 401, or 403 where access rules decide; what is not there 404; a body of another type 415, one too large 413; what is wrong in it 400. A server that is busy, or whose database is away, answers 503 with \`Retry-After\`. [All codes](errors.md).
- A known parameter that is given twice is 400. Unknown ones are ignored.`;

const WHO: Readonly<Record<Audience, string>> = {
  anyone: 'anyone, without a token too',
  clients: 'whoever has a token',
  ownClients: 'clients of this server, not users of identity providers',
  admins: 'admins',
  reviewers: 'admins and reviewers',
  reviewersOnly: 'reviewers',
};

const COLLECTION_TAG = 'Documents';
const SCHEMAS = Object.fromEntries(
  (['document', 'created', 'changed', 'page', 'revisions', 'count', 'stats'] as const).map((name) => [
    name,
    ref(name),
  ]),
) as Record<CollectionSchema, ReturnType<typeof ref>>;

interface Row {
  readonly tag: string;
  readonly title: string;
  readonly who: string;
  readonly text: OperationText;
  /** Statuses of errors. */
  readonly errors: readonly number[];
}

const isOfCollections = (operation: Operation | CollectionOperation): operation is CollectionOperation =>
  'describe' in operation;

function whoOf({ action, also = [], needsClient, readsAll, isDownload }: CollectionOperation): string {
  const actions = [action, ...also].map((name) => `\`${name}\``).join(', ');
  const more = [
    ...(needsClient === true ? [', with a token'] : []),
    ...(readsAll === true ? [', every document'] : []),
    ...(isDownload === true ? ['; anyone with `media.public` where no rules are'] : []),
  ];
  return `whoever may ${actions}${more.join('')} ([access](access.md#what-a-request-needs))`;
}

function rowsOf({ method, url, operation }: DescribedRoute): readonly Row[] {
  if (!isOfCollections(operation)) {
    const path = operation.path ?? routePattern(url);
    const errors = errorStatuses(operation, { method, path, isOfCollection: false });
    const who = WHO[operation.audience];
    return [{ tag: operation.tag, title: `${method} ${path}`, who, text: operation, errors }];
  }
  const title = `${method} ${routePattern(url)}`;
  const describe = (isMedia: boolean): Row => {
    const text = operation.describe({ name: 'the collection', isMedia, schemas: SCHEMAS });
    // The path of a collection stands in full in its description: only names below it are parameters.
    const path = routePattern(url).replace(/^(?:\/\{\w+\}){3}/, '');
    return {
      tag: operation.only === 'media' ? 'Media' : COLLECTION_TAG,
      who: whoOf(operation),
      title: isMedia && operation.only !== 'media' ? `${title} of files` : title,
      text,
      errors: errorStatuses(text, { method, path, isOfCollection: true }),
    };
  };
  if (operation.only === 'media') return [describe(true)];
  return operation.isUpload === undefined
    ? [describe(false)]
    : [describe(false), { ...describe(true), tag: 'Media' }];
}

const bodyWords = (content: NonNullable<OperationText['body']>['content']): string =>
  Object.entries(content)
    .map(([type, schema]) => `\`${type}\`: ${words(schema)}`)
    .join('; ');

function section({ title, who, text, errors }: Row): string {
  const { summary, description, pathParameters = {}, parameters = [], body, answers } = text;
  const inPath = Object.entries(pathParameters).filter(([name]) => title.includes(`{${name}}`));
  const rows = [
    ...inPath.map(([name, about]) => `| \`${name}\` | path | ${cell(about)} | |`),
    ...parameters.map(
      (one) =>
        `| \`${one.name}\` | ${one.in} | ${cell(one.description)} | ${cell(one.isJson === true ? `JSON: ${words(one.schema)}` : words(one.schema))} |`,
    ),
  ];
  const answerRows = Object.entries(answers).map(([status, answer]) => {
    const headers = Object.keys(answer.headers ?? {}).map((name) => `\`${name}\``);
    const content = answer.content === undefined ? '' : cell(bodyWords(answer.content));
    return `| ${status} | ${cell(answer.description)} | ${content} | ${headers.join(', ')} |`;
  });
  return [
    `### \`${title}\``,
    `${summary}. For ${who}.${description === undefined ? '' : ` ${description}`}`,
    ...(rows.length === 0
      ? []
      : [['| Parameter | In | What it is | Value |', '|---|---|---|---|', ...rows].join('\n')]),
    ...(body === undefined
      ? []
      : [
          `Body${body.required === false ? ', which may be left out' : ''}: ${bodyWords(body.content)}.${body.description === undefined ? '' : ` ${body.description}.`}`,
        ]),
    ['| Status | What it says | Body | Headers |', '|---|---|---|---|', ...answerRows].join('\n'),
    `Errors: ${errors.join(', ')}, and 5xx.`,
  ].join('\n\n');
}

const anchor = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');

const TAGS = [
  'Access',
  COLLECTION_TAG,
  'Media',
  'Collections',
  'Endpoints',
  'Hooks',
  'Routes',
  'Recipes',
  'Clients',
];

/** The whole page. */
export async function httpPage(): Promise<string> {
  const rows = (await describedRoutes()).flatMap(rowsOf);
  const tags = [...new Set([...TAGS, ...rows.map(({ tag }) => tag).toSorted()])];
  const contents = tags.map((tag) => {
    const links = rows
      .filter((row) => row.tag === tag)
      .map(({ title }) => `[\`${title}\`](#${anchor(title)})`);
    return `- [${tag}](#${anchor(tag)}): ${links.join(' · ')}`;
  });
  const parts = tags.map((tag) =>
    [`## ${tag}`, ...rows.filter((row) => row.tag === tag).map(section)].join('\n\n'),
  );
  const schemas = Object.entries(COMPONENT_SCHEMAS)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => {
      const members = memberRows(schema);
      const table = ['| Member | Value | Always there | What it is |', '|---|---|---|---|', ...members].join(
        '\n',
      );
      const about = typeof schema['description'] === 'string' ? [`${schema['description']}.`] : [];
      return [`### ${name} body`, ...about, members.length > 0 ? table : 'An object.'].join('\n\n');
    });
  return `${[INTRODUCTION, contents.join('\n'), ...parts, '## Bodies', ...schemas].join('\n\n')}\n`;
}
