// The control of one setting of a recipe, by the rule that the server has for it.
import { Autocomplete, Checkbox, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import type { Json } from '../../api/types.ts';
import { ruleOf, type SettingName, WORDS } from './settings.ts';

interface SettingControlProps {
  readonly name: SettingName;
  readonly value: Json | undefined;
  readonly error: string | undefined;
  /** Undefined: the setting is not set. */
  readonly onChange: (value: Json | undefined) => void;
}

const FORMATS = ['auto', 'jpg', 'png', 'webp', 'avif', 'gif', 'json', 'js', 'css', 'fonts'];
const textOf = (value: Json | undefined) => (value === undefined || value === null ? '' : String(value));
const orNothing = (text: string) => (text === '' ? undefined : text);

export function SettingControl({ name, value, error, onChange }: SettingControlProps) {
  const rule = ruleOf(name);
  const { label, description } = WORDS[name];
  const shown = { label, error, ...(description !== '' && { description }) };
  const text = textOf(value);
  switch (rule.kind) {
    case 'number':
      return (
        <NumberInput
          {...shown}
          value={typeof value === 'number' ? value : text}
          allowDecimal={rule.integer !== true}
          step={rule.integer === true || rule.max > 10 ? 1 : 0.1}
          clampBehavior="none"
          onChange={(next) => onChange(next === '' ? undefined : next)}
        />
      );
    case 'boolean':
      return (
        <Checkbox
          label={label}
          error={error}
          checked={value === true || text === 'true' || text === '1'}
          onChange={(event) => onChange(event.currentTarget.checked ? true : undefined)}
        />
      );
    case 'word': {
      // Of several spellings of one thing the one that the others stand for.
      const words = [...new Set([...Object.values(rule.words).map(String), ...(text === '' ? [] : [text])])];
      return (
        <NativeSelect
          {...shown}
          value={text}
          data={[{ value: '', label: 'Not set' }, ...words.map((word) => ({ value: word, label: word }))]}
          onChange={(event) => onChange(orNothing(event.currentTarget.value))}
        />
      );
    }
    case 'format':
      return (
        <Autocomplete
          {...shown}
          placeholder="As the original"
          value={text}
          data={FORMATS}
          onChange={(next) => onChange(orNothing(next))}
        />
      );
    default:
      return (
        <TextInput
          {...shown}
          value={text}
          autoComplete="off"
          onChange={(event) => onChange(orNothing(event.currentTarget.value))}
        />
      );
  }
}
