// The report of a migration: one line for each file and setting, and what became of it.
import { escapeUnprintable } from '../../lib/printable-text.ts';

/** `hand`: somebody has to look at it before the site works as it did. */
export type Outcome = 'kept' | 'changed' | 'hand';

export interface ReportLine {
  /** The file or the setting. */
  readonly subject: string;
  readonly outcome: Outcome;
  /** How it was changed, why it needs a hand. Text of ours, with names of the site in backticks. */
  readonly notes: readonly string[];
}

const WORDS: Readonly<Record<Outcome, string>> = {
  kept: 'kept',
  changed: 'changed',
  hand: '**needs a hand**',
};
const RANK: Readonly<Record<Outcome, number>> = { kept: 0, changed: 1, hand: 2 };
const MAX_NAME = 300;

/** A name of the site as a code span of Markdown: on one line, and without a mark that would end it. */
export function named(name: string): string {
  const short = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  const line = escapeUnprintable(short)
    .replaceAll('`', 'ˋ')
    .replace(/\s/g, (space) => (space === ' ' ? space : `\\u{${space.codePointAt(0)?.toString(16)}}`));
  return `\`${line}\``;
}

/** Text that may quote the site: on one line, and plain wherever it is no code span. */
function plain(text: string): string {
  return escapeUnprintable(text.replace(/\s+/g, ' ').trim())
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[\\<>[\]*_|#&`~]/g, '\\$&')))
    .join('');
}

/** Collects the lines of one section. What is said twice of a subject is one line, with the graver outcome. */
export class ReportSection {
  readonly title: string;
  readonly #lines = new Map<string, ReportLine>();

  constructor(title: string) {
    this.title = title;
  }

  add(subject: string, outcome: Outcome, ...notes: readonly string[]): void {
    const known = this.#lines.get(subject) ?? { subject, outcome, notes: [] };
    const graver = RANK[outcome] > RANK[known.outcome] ? outcome : known.outcome;
    this.#lines.set(subject, { subject, outcome: graver, notes: [...new Set([...known.notes, ...notes])] });
  }

  /** Sorted by subject. */
  get lines(): readonly ReportLine[] {
    return [...this.#lines.values()].sort((a, b) => (a.subject < b.subject ? -1 : 1));
  }
}

function lineText({ subject, outcome, notes }: ReportLine): string {
  const about = notes.length === 0 ? '' : `: ${notes.map(plain).join('; ')}`;
  return `- ${named(subject)} ${WORDS[outcome]}${about}`;
}

function countOf(sections: readonly ReportSection[], outcome: Outcome): number {
  return sections.flatMap(({ lines }) => lines).filter((line) => line.outcome === outcome).length;
}

/** The number of lines that need a hand. */
export function handsNeeded(sections: readonly ReportSection[]): number {
  return countOf(sections, 'hand');
}

interface ReportText {
  readonly title: string;
  readonly sections: readonly ReportSection[];
  /** What to do next, in order. */
  readonly steps: readonly string[];
}

/** The report as Markdown. The same site gives the same text. */
export function reportText({ title, sections, steps }: ReportText): string {
  const counts = (['kept', 'changed', 'hand'] as const)
    .map((outcome) => `${countOf(sections, outcome)} ${WORDS[outcome]}`)
    .join(', ');
  return [
    `# Migration of ${named(title)}`,
    `${counts}.`,
    '## Next',
    steps.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    ...sections.flatMap((section) =>
      section.lines.length === 0
        ? []
        : [`## ${plain(section.title)}`, section.lines.map(lineText).join('\n')],
    ),
    '',
  ].join('\n\n');
}
