// The kind of device that a User-Agent header tells of.
import { LRUCache } from 'lru-cache';

/** Everything that a condition can ask for. */
export const DEVICES: ReadonlySet<string> = new Set([
  ...['console', 'desktop', 'embedded', 'mobile', 'smarttv', 'tablet', 'wearable'],
]);

/** What a header does not tell, or tells in a word of its own, is a desktop. */
const DEFAULT_DEVICE = 'desktop';

/** Longer headers tell nothing more, and patterns run over all of it. */
const MAX_LENGTH = 1000;
const MAX_REMEMBERED = 5000;

/** Gives one of `DEVICES`. Never rejects for what a header says. */
export type DeviceDetector = (userAgent: string) => Promise<string>;

type Parse = (userAgent: string) => string | undefined;

/** Loaded on first use: the patterns take a while to compile. */
async function loadParser(): Promise<Parse> {
  const { UAParser } = await import('ua-parser-js');
  return (userAgent) => new UAParser(userAgent).getDevice().type;
}

/** Makes a detector that remembers the headers it saw last. */
export function createDeviceDetector(): DeviceDetector {
  const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  let parser: Promise<Parse> | undefined;
  return async (userAgent) => {
    const text = userAgent.slice(0, MAX_LENGTH);
    const known = remembered.get(text);
    if (known !== undefined) return known;
    parser ??= loadParser();
    const type = (await parser)(text);
    const device = type !== undefined && DEVICES.has(type) ? type : DEFAULT_DEVICE;
    remembered.set(text, device);
    return device;
  };
}
