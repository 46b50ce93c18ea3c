// The values that code reads by `Config.get`, as JSON.
import { Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Json } from '../../../api/types.ts';

interface ConfigGrantFieldProps {
  /** A text: what was written so far is no JSON. */
  readonly config: Json | undefined;
  readonly error: string | undefined;
  /** Undefined: no values. */
  readonly onChange: (config: Json | undefined) => void;
}

const format = (config: Json | undefined): string => {
  if (config === undefined) return '';
  return typeof config === 'string' ? config : JSON.stringify(config, null, 2);
};

/** What is no JSON stays text, which the server refuses: nobody saves an older state of it without knowing. */
function parse(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

export function ConfigGrantField({ config, error, onChange }: ConfigGrantFieldProps) {
  const [text, setText] = useState(format(config));
  // As it was typed, until the policy is changed elsewhere.
  const isTyped = JSON.stringify(parse(text)) === JSON.stringify(config);
  const isText = typeof config === 'string';
  return (
    <Textarea
      label="Values that it reads by Config.get"
      description='A JSON object: {"email": {"from": "library@example.com"}}. Whoever reads the policy sees them: secrets do not belong here'
      classNames={{ input: 'mono' }}
      autosize
      minRows={2}
      maxRows={12}
      value={isTyped ? text : format(config)}
      error={error ?? (isText ? 'This is no JSON' : undefined)}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(parse(event.currentTarget.value));
      }}
    />
  );
}
