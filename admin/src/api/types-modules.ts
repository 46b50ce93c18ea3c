// What the server answers about endpoints and hooks.
export type {
  Endpoints,
  Hooks,
  ListedEndpoint,
  ListedHook,
  LogRecord,
  ModuleLogs,
  ModuleState,
  ModuleUsage,
  ModuleVersion,
  ModuleVersions,
  PendingVersion,
  PolicyLimits,
  PostedCode,
  Refusal,
  StoredPolicy,
  Suspension,
} from './description.d.ts';
