// The editor of a specification, with what is wrong with it and what it changes, both while it is written.
import { Alert, List, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Json } from '../../../api/types.ts';
import { CodeEditor, type Problem } from '../../../parts/code/code-editor.tsx';
import { parseJson } from '../fields/json-text.ts';
import { AddField } from './add-field.tsx';
import { describeChanges } from './changes-in-words.ts';
import { checkText } from './check-text.ts';
import { suggest } from './completion.ts';

/** Lines of one list. */
const MAX_LINES = 50;

interface SpecificationEditorProps {
  readonly version: string;
  readonly database: string;
  readonly text: string;
  /** What is in force. */
  readonly before: Json;
  /** What the server has said of this text. */
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
}

const lineOf = ({ line, message }: Problem) => `Line ${line}: ${message}`;

function Lines({ lines }: { readonly lines: readonly string[] }) {
  const shown = [...new Set(lines)].slice(0, MAX_LINES);
  return (
    <List size="sm">
      {shown.map((line) => (
        <List.Item key={line} className="wrap">
          {line}
        </List.Item>
      ))}
      {lines.length > MAX_LINES && <List.Item>{`${lines.length - MAX_LINES} more`}</List.Item>}
    </List>
  );
}

export function SpecificationEditor({
  version,
  database,
  text,
  before,
  problems,
  onChange,
}: SpecificationEditorProps) {
  const found = useMemo(() => [...problems, ...checkText(text)], [text, problems]);
  const value = useMemo(() => {
    const result = parseJson(text);
    return 'value' in result ? result.value : undefined;
  }, [text]);
  const changes = useMemo(
    () => (value === undefined ? undefined : describeChanges(before, value).lines),
    [value, before],
  );
  return (
    <Stack>
      <CodeEditor
        label="Specification"
        language="json"
        value={text}
        problems={found}
        check={() => found}
        suggest={suggest}
        onChange={onChange}
      />
      <AddField version={version} database={database} specification={value} onAdd={onChange} />
      {found.length > 0 && (
        <Alert title="What is wrong" variant="outline" role="status">
          <Lines lines={found.map(lineOf)} />
        </Alert>
      )}
      {changes !== undefined && (
        <Alert title="What saving will change" variant="outline" role="status">
          {changes.length === 0 ? <Text size="sm">Nothing.</Text> : <Lines lines={changes} />}
        </Alert>
      )}
    </Stack>
  );
}
