// Shows a description by Swagger UI. Texts of the description were written by others: they are shown as text, never as markup.
import SwaggerUI, { type Plugin, type SwaggerRequest } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import type { Description } from './api.ts';

const nothing = () => null;

/** The texts as they are, and nothing that the page has itself: title, servers, the form for a token. */
const plainTexts: Plugin = ({ React }) => ({
  components: {
    Markdown: ({ source }) =>
      typeof source === 'string' && source !== ''
        ? React.createElement('div', { className: 'plain-text' }, source)
        : null,
    // What would be a link to an address in the description.
    Link: ({ children }) => React.createElement('span', {}, children),
    InfoContainer: nothing,
    ServersContainer: nothing,
    SchemesContainer: nothing,
    AuthorizeBtnContainer: nothing,
    authorizeOperationBtn: nothing,
  },
  wrapComponents: {
    // It stands beside the main landmark.
    FilterContainer: (original) => (properties) =>
      React.createElement('search', {}, React.createElement(original, properties)),
  },
});

/** Requests carry the token; those to another host are refused, which the policy of the page does too. */
function createInterceptor(token: string | undefined) {
  return (request: SwaggerRequest): SwaggerRequest => {
    const url = new URL(request.url, location.href);
    if (url.origin !== location.origin) throw new Error('Only this server is asked');
    if (token === undefined) return request;
    return Object.assign(request, { headers: { ...request.headers, Authorization: `Bearer ${token}` } });
  };
}

/**
 * Parameters that are JSON are asked for as text: Swagger UI would fill them with examples, and each call would have a filter that
 * nobody wrote.
 */
const withTextParameters = (description: Description): Description =>
  JSON.parse(JSON.stringify(description), (key, value: unknown) => {
    if (key !== 'parameters' || !Array.isArray(value)) return value;
    return value.map((parameter: unknown) => {
      if (typeof parameter !== 'object' || parameter === null || !('content' in parameter)) return parameter;
      const { content: _, ...rest } = parameter;
      return { ...rest, schema: { type: 'string' } };
    });
  }) as Description;

/** Shows the description in place of what `container` held. Calls go to this server with the token. */
export function showOperations(
  container: Element,
  description: Description,
  token: string | undefined,
): void {
  const domNode = document.createElement('div');
  container.replaceChildren(domNode);
  SwaggerUI({
    // `publicUrl` may name another address of the server.
    spec: { ...withTextParameters(description), servers: [{ url: '/' }] },
    domNode,
    plugins: [plainTexts],
    requestInterceptor: createInterceptor(token),
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    filter: true,
    validatorUrl: null,
    deepLinking: false,
    tryItOutEnabled: true,
    persistAuthorization: false,
  });
}
