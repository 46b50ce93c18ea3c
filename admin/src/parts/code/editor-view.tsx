// CodeMirror in a shadow root: there it puts its style sheets in force by script, which the policy of the page allows.
import { setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import classes from './code-editor.module.css';
import type { CodeEditorProps } from './code-editor.tsx';
import { changesSince, checking, diagnosticsOf, languageOf, STANDARD, suggesting } from './extensions.ts';

export function EditorHost(props: CodeEditorProps) {
  const { label, language, value, isReadOnly = false, problems, original } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  // The editor is made once; it calls the functions that are given last.
  const latest = useRef(props);
  latest.current = props;
  const writing = useRef(new Compartment());
  const diff = useRef(new Compartment());

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effects below bring later values in
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          STANDARD,
          languageOf(language),
          suggesting((before, word) => latest.current.suggest?.(before, word) ?? []),
          checking(async (text) => (await latest.current.check?.(text)) ?? latest.current.problems ?? []),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
          }),
          writing.current.of(EditorState.readOnly.of(isReadOnly)),
          diff.current.of(original === undefined ? [] : changesSince(original)),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = undefined;
    };
  }, [label, language]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({
      effects: [
        writing.current.reconfigure(EditorState.readOnly.of(isReadOnly)),
        diff.current.reconfigure(original === undefined ? [] : changesSince(original)),
      ],
    });
  }, [isReadOnly, original]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || problems === undefined) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, problems)));
  }, [problems]);
  return <div ref={host} className={classes['host']} />;
}
