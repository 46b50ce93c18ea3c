// The frame of one view: its heading, the way back to where it belongs, what can be done with it. The heading gets the focus when
// the view opens by navigation, so that keyboards and screen readers begin there.
import { Anchor, Group, Stack, Title } from '@mantine/core';
import { createContext, type ReactNode, use, useEffect, useRef } from 'react';
import { Link } from 'wouter';

/** How many times the address has changed since the page was loaded. */
const NavigationCount = createContext(0);

/** Counts addresses that were opened; a reload begins at 0. */
export const NavigationCountProvider = NavigationCount;

interface Step {
  readonly name: string;
  /** Address within the area, or from `~/admin/` on. */
  readonly href: string;
}

interface ViewProps {
  /** Names the view: the heading, and the title of the window. */
  readonly title: string;
  /** The views above this one, from the area on. */
  readonly trail?: readonly Step[];
  /** Buttons and links at the right of the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function View({ title, trail = [], actions, children }: ViewProps) {
  const count = use(NavigationCount);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Cloister`;
  }, [title]);
  useEffect(() => {
    if (count === 0) return;
    heading.current?.focus();
    window.scrollTo(0, 0);
  }, [count]);
  return (
    <Stack gap="md">
      {trail.length > 0 && (
        <nav aria-label="Where this is">
          <Group gap="xs">
            {trail.map(({ name, href }, index) => (
              <Group gap="xs" key={href}>
                <Anchor component={Link} href={href} className="wrap">
                  {name}
                </Anchor>
                {index < trail.length - 1 && <span aria-hidden>/</span>}
              </Group>
            ))}
          </Group>
        </nav>
      )}
      <Group justify="space-between" align="flex-start">
        <Title order={1} ref={heading} tabIndex={-1} className="wrap">
          {title}
        </Title>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
