// The picture of docs/performance.md: the processor times of its first table as bars. Drawn from the page, so that both agree.

interface Measured {
  readonly request: string;
  /** Microseconds: Cloister, then the baselines in the order of `SERVERS`. */
  readonly micros: readonly number[];
}

const SERVERS = ['Cloister', 'hard baseline', 'floor', 'ordinary baseline'];
const TABLE = /^\| Request \| cpu µs \|.*\n\|.*\n((?:\|.*\n)+)/m;

const WIDTH = 900;
const LEFT = 220;
const TOP = 92;
const BAR = 14;
const GROUP = SERVERS.length * BAR + 16;
/** Room for the figure behind the longest bar. */
const RIGHT = 60;

const STYLE = `
    text { font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
    .title { font-size: 16px; font-weight: 600 }
    .small { font-size: 12px; fill: #59636e }
    .s0 { fill: #0969da }
    .s1 { fill: #8c959f }
    .s2 { fill: #c4cad0 }
    .s3 { fill: #bc4c00 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .small { fill: #b7bdc8 }
      .s0 { fill: #4493f8 }
      .s1 { fill: #9198a1 }
      .s2 { fill: #59636e }
      .s3 { fill: #db6d28 }
    }`;

/** The rows of the first table of the page. Throws when there is none, or a row has not one time for each server. */
export function measuredRows(page: string): readonly Measured[] {
  const rows = TABLE.exec(page)?.[1]?.trim().split('\n') ?? [];
  const measured = rows.map((row) => {
    const [, request = '', times = ''] = row.split('|').map((cell) => cell.trim());
    return { request, micros: times.split(' : ').map(Number) };
  });
  const isWhole = ({ micros }: Measured) => micros.length === SERVERS.length && micros.every((n) => n > 0);
  if (measured.length === 0 || !measured.every(isWhole)) {
    throw new Error('docs/performance.md has no table "Request | cpu µs" with a time for each server');
  }
  return measured;
}

const xmlText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function group({ request, micros }: Measured, index: number, longest: number): string {
  const top = TOP + index * GROUP;
  const middle = top + (SERVERS.length * BAR) / 2 + 5;
  const bars = micros.map((time, server) => {
    const width = Math.round((time / longest) * (WIDTH - LEFT - RIGHT));
    const y = top + server * BAR;
    return [
      `  <rect class="s${server}" x="${LEFT}" y="${y}" width="${width}" height="${BAR - 2}"/>`,
      `  <text class="small" x="${LEFT + width + 6}" y="${y + BAR - 4}">${time}</text>`,
    ].join('\n');
  });
  return [
    `  <text x="${LEFT - 12}" y="${middle}" text-anchor="end">${xmlText(request)}</text>`,
    ...bars,
  ].join('\n');
}

function legend(): string {
  return SERVERS.map((name, server) => {
    const x = LEFT + server * 150;
    return `  <rect class="s${server}" x="${x}" y="52" width="12" height="12"/><text x="${x + 18}" y="63">${name}</text>`;
  }).join('\n');
}

/** The picture for the text of docs/performance.md. */
export function performancePicture(page: string): string {
  const rows = measuredRows(page);
  const longest = Math.max(...rows.flatMap(({ micros }) => micros));
  const height = TOP + rows.length * GROUP;
  const spoken = rows.map(({ request, micros }) => `${request}: ${micros.join(', ')}`).join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title description">
  <title id="title">Processor time of one request in microseconds; shorter is better</title>
  <desc id="description">${xmlText(`${SERVERS.join(', ')}. ${spoken}.`)}</desc>
  <style>${STYLE}
  </style>
  <text class="title" x="${LEFT}" y="28">Processor time of one request, µs (shorter is better)</text>
${legend()}
${rows.map((row, index) => group(row, index, longest)).join('\n')}
</svg>
`;
}
