// What a page showed when a test of it failed: where only errors can be read, nothing else tells why.
import type { Page, Request } from 'playwright-core';

/** Characters of the visible text, and of the focused element. */
const MAX_TEXT = 1500;
const MAX_ELEMENT = 200;
const MAX_REQUESTS = 10;
/** Milliseconds after which a page that does not answer is given up. */
const PATIENCE_MS = 10_000;

const FOCUSED = `document.activeElement === null || document.activeElement === document.body ? 'nothing' : document.activeElement.outerHTML.slice(0, ${MAX_ELEMENT})`;
const SHOWN = `document.body.innerText.slice(0, ${MAX_TEXT})`;

/** Files of the page itself, and pictures that are there already, tell nothing of a failure. */
const UNTELLING = /^blob:|\/admin\/assets\//;

/** Notes the newest requests of a page. The returned function lists them, each with the status of its answer. */
export function watchRequests(page: Page): () => readonly string[] {
  const requests: { readonly request: Request; outcome: string }[] = [];
  const settle = (request: Request, outcome: string) => {
    const found = requests.find((one) => one.request === request);
    if (found !== undefined) found.outcome = outcome;
  };
  page.on('request', (request) => {
    if (UNTELLING.test(request.url())) return;
    requests.push({ request, outcome: 'no answer yet' });
    if (requests.length > MAX_REQUESTS) requests.shift();
  });
  page.on('response', (response) => settle(response.request(), String(response.status())));
  page.on('requestfailed', (request) => settle(request, request.failure()?.errorText ?? 'failed'));
  return () =>
    requests.map(({ request, outcome }) => `${request.method()} ${request.url()}: ${outcome}`.slice(0, 300));
}

async function evaluate(page: Page, expression: string): Promise<string> {
  const { promise: silence, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve('the page does not answer'), PATIENCE_MS);
  try {
    return await Promise.race([page.evaluate(expression).then(String), silence]);
  } catch {
    return 'the page is closed';
  } finally {
    clearTimeout(timer);
  }
}

/** Its address, the focused element, the newest requests and the visible text. */
export async function describePage(page: Page, requests: readonly string[]): Promise<string> {
  const [focused, shown] = await Promise.all([evaluate(page, FOCUSED), evaluate(page, SHOWN)]);
  return [
    ...[`The page was at ${page.url()}`, `with the focus in ${focused}`],
    ...['after the requests', ...requests.map((line) => `  ${line}`)],
    ...['and showed', shown],
  ].join('\n');
}
