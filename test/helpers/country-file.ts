// Writes a database of countries in MaxMind's format in which every IPv4 address has the same record.

const text = (value: string) => Buffer.concat([Buffer.from([0x40 | value.length]), Buffer.from(value)]);
const uint16 = (value: number) => Buffer.from([0xa2, value >> 8, value & 255]);
const uint32 = (value: number) => Buffer.from([0xc4, 0, 0, value >> 8, value & 255]);
const map = (members: Readonly<Record<string, Buffer>>) =>
  Buffer.concat([
    Buffer.from([0xe0 | Object.keys(members).length]),
    ...Object.entries(members).flatMap(([key, value]) => [text(key), value]),
  ]);

type Members = { readonly [key: string]: string | Members };

const encode = (value: string | Members): Buffer =>
  typeof value === 'string'
    ? text(value)
    : map(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, encode(member)])));

/** The bytes of the database. Texts have 28 characters at most. */
export function countryFile(record: Members): Buffer {
  // One node, both of whose records point at the first byte of the data: 1 node, 16 bytes of separator.
  const tree = Buffer.from([0, 0, 17, 0, 0, 17]);
  const metadata = map({
    binary_format_major_version: uint16(2),
    binary_format_minor_version: uint16(0),
    build_epoch: uint32(1),
    database_type: text('Test-Country'),
    ip_version: uint16(4),
    node_count: uint32(1),
    record_size: uint16(24),
  });
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    encode(record),
    Buffer.from([0xab, 0xcd, 0xef]),
    Buffer.from('MaxMind.com'),
    metadata,
  ]);
}
