/** Who asks for a change, as the audit log has it: its members are those of the entry. Pass it on as a whole. */
export interface Actor {
  readonly clientId: string;
  /** The address of the client behind trusted proxies. */
  readonly address?: string;
  /** The id that the response has in `X-Request-Id`, and the log. */
  readonly requestId?: string;
}
