// What the server answers about itself.

export interface SelfTestItem {
  /** Such as `read a file`. */
  readonly attempt: string;
  readonly held: boolean;
  readonly detail: string;
}

export interface SelfTest {
  readonly state: 'not-run' | 'running' | 'passed' | 'failed';
  readonly items: readonly SelfTestItem[];
}

interface SandboxState {
  readonly level: number;
  /** What the next level needs, in words. */
  readonly missing: readonly string[];
  readonly selfTest: SelfTest;
  readonly hosts: {
    readonly running: number;
    readonly busy: number;
    readonly spare: number;
    readonly max: number;
  };
  readonly jit?: { readonly level: number; readonly selfTest: SelfTest };
}

/** `GET /api/status`. Sizes are in bytes, times in seconds. */
export interface Status {
  readonly service: { readonly site: string; readonly versions: { readonly current: string } };
  readonly process: {
    readonly pid: number;
    readonly uptime: number;
    readonly uptimeFormatted: string;
    readonly versions: { readonly node: string; readonly v8: string };
  };
  readonly memory: { readonly rss: number; readonly heapTotal: number; readonly heapUsed: number };
  readonly system: {
    readonly platform: string;
    readonly release: string;
    readonly hostname: string;
    readonly memory: { readonly free: number; readonly total: number };
    readonly load: readonly number[];
    readonly uptimeFormatted: string;
  };
  /** The rest is for admins. */
  readonly leakedFiles?: number;
  readonly sandbox?: SandboxState;
}
