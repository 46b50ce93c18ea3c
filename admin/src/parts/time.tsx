// Times, sizes and numbers as people read them; the exact value is in the element.

const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const NUMBER = new Intl.NumberFormat();
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `at`: epoch milliseconds. */
export function Time({ at }: { readonly at: number }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>;
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {DATE_TIME.format(date)}
    </time>
  );
}

const ELAPSED = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'always' });

/** `3 minutes ago`. */
export function Ago({ seconds }: { readonly seconds: number }) {
  const [unit, length] = ELAPSED.find(([, least]) => seconds >= least) ?? ['second', 1];
  return <span>{RELATIVE.format(-Math.floor(seconds / length), unit)}</span>;
}

export const formatNumber = (value: number): string => NUMBER.format(value);

/** `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toPrecision(3)} ${UNITS[power]}`;
}
