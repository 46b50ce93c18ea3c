// The way through the pages of a list, which the server makes.
import { Button, Group, Text } from '@mantine/core';
import { formatNumber } from '../../../parts/time.tsx';

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  /** "documents" */
  readonly what: string;
  readonly onChange: (page: number) => void;
}

export function Pager({ page, pages, total, what, onChange }: PagerProps) {
  const step = (label: string, to: number, isOff: boolean) => (
    <Button variant="default" size="compact-md" disabled={isOff} onClick={() => onChange(to)}>
      {label}
    </Button>
  );
  return (
    <nav aria-label="Pages">
      <Group gap="xs">
        <Text role="status">
          {formatNumber(total)} {total === 1 ? what.replace(/s$/, '') : what}
          {pages > 1 && `, page ${formatNumber(page)} of ${formatNumber(pages)}`}
        </Text>
        {pages > 1 && (
          <>
            {step('First', 1, page <= 1)}
            {step('Previous', page - 1, page <= 1)}
            {step('Next', page + 1, page >= pages)}
            {step('Last', pages, page >= pages)}
          </>
        )}
      </Group>
    </nav>
  );
}
