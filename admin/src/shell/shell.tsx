// What is around every view: the link past the navigation, the navigation, who has signed in, light and dark.
import {
  ActionIcon,
  Anchor,
  Button,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useMe } from '../api/api-context.tsx';
import { AREAS } from '../areas.ts';
import { PopUps } from './pop-ups.tsx';
import classes from './shell.module.css';

function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = scheme === 'light' ? 'dark' : 'light';
  return (
    <Tooltip label={`Change to ${other} colours`}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={`Change to ${other} colours`}
        onClick={() => setColorScheme(other)}
      >
        <span aria-hidden>{scheme === 'light' ? '☾' : '☀'}</span>
      </ActionIcon>
    </Tooltip>
  );
}

function Navigation({ location }: { readonly location: string }) {
  const me = useMe();
  return (
    <ul className={classes['links']}>
      {AREAS.filter(({ isFor }) => isFor(me)).map(({ path, name, hint }) => {
        const isHere = location === path || location.startsWith(`${path}/`);
        return (
          <li key={path}>
            <Link href={path} className={classes['link'] ?? ''} aria-current={isHere ? 'page' : undefined}>
              {name}
            </Link>
            {hint?.isFor(me) === true && (
              <Suspense>
                <hint.View className={`${classes['link']} ${classes['hint']}`} />
              </Suspense>
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface ShellProps {
  readonly onSignOut: () => void;
  readonly children: ReactNode;
}

export function Shell({ onSignOut, children }: ShellProps) {
  const me = useMe();
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address closes the menu
  useEffect(() => setOpen(false), [location]);
  return (
    <div className={classes['shell']}>
      <a href="#main" className={classes['skip']}>
        Skip to the content
      </a>
      <header className={classes['header']}>
        <Button
          className={classes['menu'] ?? ''}
          variant="default"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </Button>
        <Anchor component={Link} href="/" underline="never" fw={700} c="inherit">
          Cloister
        </Anchor>
        <div className={classes['who']}>
          <Text size="sm" className={classes['name'] ?? ''} title={me.clientId}>
            <span className={classes['hidden']}>Signed in as </span>
            {me.clientId}
          </Text>
          <ColorScheme />
          <Button variant="default" onClick={onSignOut}>
            Sign out
          </Button>
        </div>
      </header>
      <nav
        id="navigation"
        aria-label="Main"
        className={classes['navigation']}
        data-open={isOpen || undefined}
      >
        <Navigation location={location} />
      </nav>
      <main id="main" tabIndex={-1} className={classes['main']}>
        {children}
        <PopUps />
      </main>
    </div>
  );
}
