// What the editor can do: highlighting, search, completion, problems at their lines, changes since another text. The key Tab leaves
// the editor, so that no keyboard is caught in it.
import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { CodeEditorProps, Language, Problem } from './code-editor.tsx';
import { FONT_SIZE, MAX_HEIGHT, MIN_HEIGHT } from './editor-size.ts';

/** Milliseconds after the last key until the text is checked. */
const CHECK_DELAY_MS = 400;

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: 'light-dark(#862e9c, #e599f7)' },
  { tag: [tags.string, tags.regexp], color: 'light-dark(#2b6a30, #8ce99a)' },
  { tag: [tags.number], color: 'light-dark(#a03403, #ffc078)' },
  { tag: [tags.comment], color: 'light-dark(#5c636a, #adb5bd)', fontStyle: 'italic' },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'light-dark(#1864ab, #a5d8ff)' },
]);

const LOOK = EditorView.theme({
  '&': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    fontSize: FONT_SIZE,
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    maxHeight: MAX_HEIGHT,
  },
  // The line between numbers and text goes down to the end, however short the text is.
  '.cm-content, .cm-gutter': { minHeight: MIN_HEIGHT },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-activeLine': { backgroundColor: 'light-dark(#f1f3f5aa, #ffffff0d)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'light-dark(#a5d8ff, #1864ab)',
  },
  // The package draws these by data: addresses, which the policy of the page does not allow.
  '.cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info, .cm-lintRange-hint': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy light-dark(#c92a2a, #ff8787)',
  },
  '.cm-lintRange-warning': { textDecorationColor: 'light-dark(#a05a00, #ffd43b)' },
  '.cm-lint-marker-error, .cm-lint-marker-warning, .cm-lint-marker-info, .cm-lint-marker-hint': {
    content: 'normal',
  },
  '.cm-lint-marker::before': { content: '"!"', color: 'light-dark(#a05a00, #ffd43b)' },
  '.cm-lint-marker-error::before': { content: '"✕"', color: 'light-dark(#c92a2a, #ff8787)' },
  // That of the package is too dark for the colours of the text, and the same in the dark.
  '&.cm-editor .cm-deletedChunk .cm-deletedText': { background: 'light-dark(#ffe3e3, #5c1f1f)' },
  '.cm-tooltip, .cm-panels': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--mantine-color-default-border)',
  },
});

export const STANDARD: Extension = [
  lineNumbers(),
  foldGutter(),
  lintGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
  syntaxHighlighting(COLOURS),
  LOOK,
  keymap.of([
    ...defaultKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...completionKeymap,
    ...lintKeymap,
  ]),
];

export function languageOf(language: Language): Extension {
  if (language === 'javascript') return javascript();
  return language === 'json' ? json() : [];
}

/** Problems at their places in a text; those behind its end are shown at its end. */
export function diagnosticsOf(doc: Text, problems: readonly Problem[]): Diagnostic[] {
  return problems.map(({ line: number, column, message, severity }) => {
    const line = doc.line(Math.min(Math.max(1, number), doc.lines));
    const from = column === undefined ? line.from : Math.min(line.from + column - 1, line.to);
    return { from, to: line.to, message, severity };
  });
}

export const checking = (check: (text: string) => Promise<readonly Problem[]>): Extension =>
  linter(async ({ state }) => diagnosticsOf(state.doc, await check(state.doc.toString())), {
    delay: CHECK_DELAY_MS,
  });

export function suggesting(suggest: NonNullable<CodeEditorProps['suggest']>): Extension {
  const source = (context: CompletionContext) => {
    const word = context.matchBefore(/[\w$"]*/);
    if (word === null || (word.text === '' && !context.explicit)) return null;
    const options = suggest(context.state.sliceDoc(0, word.from), word.text);
    return options.length === 0 ? null : { from: word.from, options: [...options] };
  };
  return autocompletion({ override: [source] });
}

export const changesSince = (original: string): Extension =>
  unifiedMergeView({ original, mergeControls: false, gutter: true });
