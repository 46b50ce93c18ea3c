// Makes text out of rules: each `$name` in a rule is replaced by a rule of that name, chosen by chance, down to a depth.
import type { Random } from './random.ts';
import type { Rules } from './rules/values.ts';

/** A text without names, or a function that makes one. */
export type Words = Readonly<Record<string, (random: Random) => string>>;

interface Rule {
  readonly text: string;
  readonly weight: number;
  /** How deep the shortest text is that it can become. */
  height: number;
}

const NAME = /\$([a-zA-Z]+)/g;
const namesIn = (text: string) => [...text.matchAll(NAME)].map(([, name = '']) => name);

export class Expander {
  readonly #rules = new Map<string, Rule[]>();
  readonly #words: Words;

  /** `isAllowed`: rules for which it is false are left out, and what cannot be completed without them. */
  constructor(rules: Rules, words: Words, isAllowed: (text: string) => boolean) {
    this.#words = words;
    for (const [name, list] of Object.entries(rules)) {
      const all = list.map((rule) => (typeof rule === 'string' ? ([1, rule] as const) : rule));
      const kept = all.filter(([, text]) => isAllowed(text));
      this.#rules.set(
        name,
        kept.map(([weight, text]) => ({ text, weight, height: Number.POSITIVE_INFINITY })),
      );
    }
    this.#measure();
  }

  /** Whether any text can be made of this name. */
  has(name: string): boolean {
    return this.#heightOf(name) < Number.POSITIVE_INFINITY;
  }

  /** A text of that name, of at most so many rules within each other, and of few more than `maxRules` rules in all. */
  expand(random: Random, name: string, maxDepth: number, maxRules: number): string {
    let rulesLeft = maxRules;
    const fill = (text: string, depth: number): string =>
      text.replaceAll(NAME, (_, inner: string) => one(inner, depth));
    const one = (inner: string, depth: number): string => {
      const word = this.#words[inner];
      if (word !== undefined) return word(random);
      rulesLeft -= 1;
      const rule = this.#choose(random, inner, rulesLeft > 0 ? depth : 0);
      return fill(rule.text, depth - 1);
    };
    return one(name, maxDepth);
  }

  #heightOf(name: string): number {
    if (Object.hasOwn(this.#words, name)) return 0;
    const list = this.#rules.get(name);
    if (list === undefined) throw new Error(`there is no rule $${name}`);
    return Math.min(Number.POSITIVE_INFINITY, ...list.map(({ height }) => height));
  }

  #measure(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const rule of [...this.#rules.values()].flat()) {
        const height = 1 + Math.max(0, ...namesIn(rule.text).map((name) => this.#heightOf(name)));
        if (height < rule.height) changed = true;
        rule.height = Math.min(rule.height, height);
      }
    }
  }

  /** By weight, among those that fit into the depth; where none does, one of the shortest. */
  #choose(random: Random, name: string, depth: number): Rule {
    const max = Math.max(depth, this.#heightOf(name));
    const list = (this.#rules.get(name) ?? []).filter(({ height }) => height <= max);
    let at = random.below(list.reduce((sum, { weight }) => sum + weight, 0));
    for (const rule of list) {
      at -= rule.weight;
      if (at < 0) return rule;
    }
    throw new Error(`no text can be made of $${name}`);
  }
}
