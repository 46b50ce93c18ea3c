// A control for values of any form: JSON, with the place of what is wrong in it.
import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { CodeEditor } from '../../../parts/code/code-editor.tsx';
import { type ControlProps, descriptionOf } from './control.ts';
import { parseJson } from './json-text.ts';

export function JsonControl({ field, value, change, error, isReadOnly, onChange }: ControlProps) {
  const formatted = useMemo(() => (value === undefined ? '' : JSON.stringify(value, null, 2)), [value]);
  const description = descriptionOf(field);
  const write = (text: string) => {
    if (text === (change?.text ?? formatted)) return;
    if (text.trim() === '') return onChange({ value: undefined, text });
    const result = parseJson(text);
    if ('value' in result) return onChange({ value: result.value, text });
    const { line, column, message } = result.problem;
    return onChange({ value, text, problem: `Line ${line}, column ${column}: ${message}` });
  };
  return (
    <Stack gap={2}>
      <CodeEditor
        label={field.label}
        language="json"
        value={change?.text ?? formatted}
        isReadOnly={isReadOnly}
        onChange={write}
        check={(text) => {
          const result = text.trim() === '' ? { value: null } : parseJson(text);
          return 'problem' in result ? [result.problem] : [];
        }}
      />
      {description !== '' && (
        <Text size="xs" c="dimmed" className="wrap">
          {description}
        </Text>
      )}
      {error !== undefined && (
        <Text size="sm" c="red" role="alert" className="wrap">
          {field.label}: {error}
        </Text>
      )}
    </Stack>
  );
}
