// How figures are printed.
const MEGABYTE = 1024 * 1024;

export const whole = (n: number) => Math.round(n).toLocaleString('en');
export const times = (n: number) => (Number.isFinite(n) ? `${n.toFixed(2)}×` : '');
export const megabytes = (bytes: number) => whole(bytes / MEGABYTE);

/** A lower limit for a ratio, and whether it holds. */
export function aimOf(ratio: number, aim: number | undefined): string {
  return aim === undefined ? '' : `≥ ${aim} ${ratio >= aim ? 'met' : 'MISSED'}`;
}
