// What went wrong, in the words of the server: for a whole view or form, and for its fields.
import { Alert, Button, List, Text } from '@mantine/core';
import { type ApiError, type ErrorItem, toApiError } from '../api/api-error.ts';

interface ErrorMessageProps {
  readonly error: unknown;
  /** Says it better than the server, which did not know what was asked for. */
  readonly text?: string | undefined;
  /** Tries again. */
  readonly retry?: (() => void) | undefined;
}

const place = ({ line, column, field }: ErrorItem) => {
  if (line !== undefined) return `Line ${line}${column === undefined ? '' : `, column ${column}`}: `;
  return field === undefined ? '' : `${field}: `;
};

function Items({ error }: { readonly error: ApiError }) {
  if (error.items.length === 0) return <Text>{error.message}</Text>;
  const lines = error.items.map((item) => `${place(item)}${item.message}`);
  if (lines.length === 1) return <Text className="wrap">{lines[0]}</Text>;
  return (
    <List>
      {[...new Set(lines)].map((line) => (
        <List.Item key={line} className="wrap">
          {line}
        </List.Item>
      ))}
    </List>
  );
}

/** An alert that screen readers announce. */
export function ErrorMessage({ error: thrown, text, retry }: ErrorMessageProps) {
  const error = toApiError(thrown);
  return (
    <Alert
      color="red"
      variant="outline"
      title={error.status === 503 ? 'Not now' : 'That did not work'}
      role="alert"
    >
      {text === undefined ? <Items error={error} /> : <Text>{text}</Text>}
      {error.retryAfter !== undefined && <Text>Try again in {error.retryAfter} s.</Text>}
      {error.status >= 500 && error.requestId !== undefined && (
        <Text size="sm">Request {error.requestId}, as the log of the server names it.</Text>
      )}
      {retry !== undefined && (
        <Button variant="default" mt="sm" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** The messages for fields, by the name of the field; of `tags.0` also under `tags`. */
export function fieldErrors(error: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { field, message } of error === undefined || error === null ? [] : toApiError(error).items) {
    if (field === undefined) continue;
    const names = [field, field.split('.', 1)[0] ?? field];
    for (const name of names) if (!found.has(name)) found.set(name, message);
  }
  return found;
}

/** An error without the items that are shown beside the fields of these names; undefined when nothing is left. */
export function otherErrors(error: unknown, shown: readonly string[]): ApiError | undefined {
  if (error === undefined || error === null) return undefined;
  const known = toApiError(error);
  const isShown = ({ field }: ErrorItem) =>
    field !== undefined && shown.includes(field.split('.', 1)[0] ?? field);
  return known.items.length > 0 && known.items.every(isShown) ? undefined : known;
}
