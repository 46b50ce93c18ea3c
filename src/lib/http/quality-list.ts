// Parses `Accept`, `Accept-Encoding` and `Accept-Language`: lists whose members carry a weight (RFC 9110, 12.4.2).
import { splitOutsideQuotes } from './split-list.ts';

/** Headers of browsers have a few hundred characters; of a longer one only members that end before this count. */
const MAX_HEADER_LENGTH = 4096;
const MAX_MEMBERS = 100;

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

export interface QualityMember {
  /** In lower case, without parameters. */
  readonly value: string;
  /** 0 to 1; undefined for a malformed weight. */
  readonly quality: number | undefined;
}

interface QualityListOptions {
  /** Whether members may have parameters beside the weight, as media ranges do. They are ignored. */
  readonly allowsParameters?: boolean;
}

function parseQuality(parameters: readonly string[], allowsParameters: boolean): number | undefined {
  if (parameters.length === 0) return 1;
  const weight = allowsParameters
    ? parameters.find((parameter) => /^q\s*=/.test(parameter))
    : parameters.length === 1 && parameters[0];
  if (weight === undefined) return 1;
  const quality = WEIGHT.exec(weight || '')?.[1];
  return quality === undefined ? undefined : Number(quality);
}

/** The first members, none of them cut: one without the end of its parameters would say something else. */
function firstMembers(header: string): readonly string[] {
  const members = splitOutsideQuotes(header.slice(0, MAX_HEADER_LENGTH), ',', MAX_MEMBERS);
  const isCut = header.length > MAX_HEADER_LENGTH && header[MAX_HEADER_LENGTH] !== ',';
  const read = members.reduce((length, member) => length + member.length + 1, -1);
  return isCut && read >= MAX_HEADER_LENGTH ? members.slice(0, -1) : members;
}

/** The members of the header in their order, at most 100. Empty ones are skipped. */
export function parseQualityList(
  header: string,
  { allowsParameters = false }: QualityListOptions = {},
): readonly QualityMember[] {
  return firstMembers(header).flatMap((member) => {
    const parts = splitOutsideQuotes(member.toLowerCase(), ';');
    const [value = '', ...parameters] = parts.map((part) => part.trim());
    return value === '' ? [] : [{ value, quality: parseQuality(parameters, allowsParameters) }];
  });
}
