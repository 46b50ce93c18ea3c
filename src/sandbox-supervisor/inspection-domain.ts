// The trust domains of hosts that inspect code. No policy can name one: names of domains have no spaces.

const PREFIX = ' inspect';

/** One for each author, and one for files that were laid into the workspace (null). */
export function inspectionDomain(by: string | null): string {
  return by === null ? PREFIX : `${PREFIX} ${by}`;
}

export function isInspectionDomain(domain: string | null): boolean {
  return domain?.startsWith(PREFIX) === true;
}
