// `GET /`: links to what there is to look at, for whoever opens the server in a browser.

import type { FastifyInstance } from 'fastify';
import { objectOf } from '../../lib/json/schema-parts.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { json, type Operation } from '../core/operation.ts';
import { sendJson, sendText } from '../core/reply.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';

const link = { type: 'string' };

const GET_LINKS: Operation = {
  id: 'getLinks',
  tag: 'Server',
  audience: 'anyone',
  summary: 'Links to the description, the admin page and the health of the server',
  description: 'As a page where `Accept` asks for HTML.',
  answers: {
    200: {
      description: 'Paths by name; what is switched off is absent',
      content: {
        ...json(objectOf({ docs: link, admin: link, health: link }, ['docs', 'admin'])),
        'text/html': { type: 'string' },
      },
    },
  },
};

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  Vary: 'Accept',
  'Cache-Control': 'no-cache',
};

const TITLES: Readonly<Record<string, string>> = {
  docs: 'API description',
  admin: 'Admin page',
  health: 'Health',
};

/** True where HTML is asked for by name: `*`/`*` of command-line clients is JSON. */
const wantsHtml = (accept: string | undefined) =>
  (accept ?? '').split(',').some((part) => /^\s*text\/html\s*(;(?!\s*q=0(\.0*)?\s*$)|$)/i.test(part));

function formatPage(links: Readonly<Record<string, string>>): string {
  const items = Object.entries(links).map(([name, path]) => `<li><a href="${path}">${TITLES[name]}</a></li>`);
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Cloister</title>';
  return `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>Cloister</h1><ul>${items.join('')}</ul></main></body></html>\n`;
}

/** Registers the links. */
export function rootRoute(server: FastifyInstance, { config }: Pick<HttpDeps, 'config'>): void {
  const links = {
    ...(config.docs.enabled ? { docs: '/docs' } : {}),
    ...(config.admin.enabled ? { admin: '/admin' } : {}),
    health: '/health',
  };
  const page = formatPage(links);
  const handlers: ResourceHandlers = {
    GET: async ({ headers }, reply) => {
      reply.headers(HEADERS);
      return wantsHtml(headers.accept)
        ? sendText(reply, 'text/html; charset=utf-8', page)
        : sendJson(reply, links);
    },
  };
  addResource(server, '/', handlers, { operations: { GET: GET_LINKS } });
}
