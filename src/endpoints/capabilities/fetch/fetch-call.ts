// The host call `fetch`.
import type { JsonObject } from '../../../lib/json.ts';
import type { Unit } from '../../unit.ts';

export type FetchCall = (args: JsonObject, unit: Unit, signal: AbortSignal) => Promise<string>;
