// Which addresses count as one attacker: an IPv4 address alone, an IPv6 address with its /64.
import { isIP } from 'node:net';

const GROUPS = 8;
const MAPPED_PREFIX = '0:0:0:0:0:ffff';

/** Text that is the same for all addresses of one group. What is no address groups with itself. */
export function addressGroup(address: string): string {
  const [bare = ''] = address.split('%', 1);
  if (isIP(bare) !== 6) return bare;
  const all = expand(bare);
  if (all.slice(0, 6).join(':') === MAPPED_PREFIX) return dotted(all.slice(6));
  return `${all.slice(0, 4).join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address, in lower case without leading zeros. */
function expand(address: string): readonly string[] {
  const [head = '', tail = ''] = address.split('::');
  const before = parts(head);
  const after = parts(tail);
  return [...before, ...Array<string>(GROUPS - before.length - after.length).fill('0'), ...after];
}

function parts(text: string): readonly string[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [hex(Number.parseInt(part, 16))];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [hex(a * 256 + b), hex(c * 256 + d)];
  });
}

const hex = (value: number) => value.toString(16);

const dotted = (groups: readonly string[]) =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.');
