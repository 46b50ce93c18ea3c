// Which headers cross between a client and posted code: the lists of a policy, and what even they cannot open.

/** They say where a message ends: whoever writes them can smuggle a second one. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-access-token',
  'x-api-key',
  'x-auth-token',
]);

/** What speaks for the server, for other answers of its origin, or to a proxy in front of it. */
const AUTHORITY: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'content-security-policy',
  'content-security-policy-report-only',
  'date',
  'nel',
  'origin-agent-cluster',
  'report-to',
  'reporting-endpoints',
  'server',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'strict-transport-security',
  'x-cache',
  'x-cache-lookup',
  'x-content-type-options',
  'x-frame-options',
  'x-request-id',
  'x-sendfile',
]);
const AUTHORITY_PREFIXES = ['access-control-', 'x-accel-', 'x-forwarded-', 'x-lighttpd-', 'x-reproxy-'];

/** Headers that frame a message belong to the connection: no policy grants them. The name is in lower case. */
export function isFraming(name: string): boolean {
  return FRAMING.has(name);
}

/** Credentials and headers with authority of their own are granted by name, never by a pattern. The name is in lower case. */
export function needsExactName(name: string): boolean {
  return (
    CREDENTIALS.has(name) ||
    AUTHORITY.has(name) ||
    AUTHORITY_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

/** A list of a policy, ready to be asked. Names are in lower case. */
export interface HeaderGrant {
  /** The names that are listed as they are, framing ones left out. */
  readonly exact: readonly string[];
  /** Whether there are patterns, so that names beyond `exact` may be granted. */
  readonly open: boolean;
  allows(name: string): boolean;
}

/**
 * Reads the list of a policy: names in any case, and patterns that end in `*`. A pattern never opens a credential or a
 * header with authority of its own.
 */
export function createHeaderGrant(list: readonly string[]): HeaderGrant {
  const names = list.map((entry) => entry.toLowerCase());
  const exact = new Set(names.filter((name) => !name.endsWith('*') && !FRAMING.has(name)));
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return {
    exact: [...exact],
    open: prefixes.length > 0,
    allows: (name) =>
      exact.has(name) ||
      (prefixes.some((prefix) => name.startsWith(prefix)) && !FRAMING.has(name) && !needsExactName(name)),
  };
}
