// One endpoint or hook: its state, what an admin can do with it as a whole, and the way to its sections.
import { Anchor, Button, Group } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { View } from '../../shell/view.tsx';
import { useDialogs } from '../dialogs.tsx';
import { Answer, Empty } from '../loading.tsx';
import { useToasts } from '../toasts.tsx';
import { ModuleNote } from './module-note.tsx';
import {
  type ListedModule,
  useCodeRights,
  useModules,
  useModuleWrites,
  useStateRefresh,
} from './module-queries.ts';
import { areaOf, hrefOf, type ModuleRef, type Section, titleOf } from './module-ref.ts';

const SECTIONS: Readonly<Record<Section, string>> = {
  code: 'Code',
  policy: 'Policy',
  versions: 'Versions',
  logs: 'Logs',
  usage: 'Usage',
  try: 'Try',
};

const HEADINGS: Readonly<Record<Section, (name: string) => string>> = {
  code: (name) => name,
  policy: (name) => `Policy of ${name}`,
  versions: (name) => `Versions of ${name}`,
  logs: (name) => `Logs of ${name}`,
  usage: (name) => `Usage of ${name}`,
  try: (name) => `Try ${name}`,
};

function useSections({ kind }: ModuleRef): readonly Section[] {
  const { mayChange, mayRead } = useCodeRights();
  return [
    ...(mayRead ? (['code', 'policy', 'versions'] as const) : []),
    ...(mayChange ? (['logs', 'usage'] as const) : []),
    ...(kind === 'endpoint' ? (['try'] as const) : []),
  ];
}

interface ModuleViewProps {
  readonly of: ModuleRef;
  readonly section: Section;
  readonly children: (module: ListedModule) => ReactNode;
}

export function ModuleView({ of: ref, section, children }: ModuleViewProps) {
  const query = useModules(ref.kind);
  const refresh = useStateRefresh(ref.kind);
  // The server suspends code, and reviewers decide, while this view is open.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each section that is opened asks for the state.
  useEffect(() => void refresh(), [refresh, section]);
  const sections = useSections(ref);
  const { mayChange } = useCodeRights();
  const name = titleOf(ref);
  const find = (modules: readonly ListedModule[]) => modules.find((one) => titleOf(one.ref) === name);
  const found = find(query.data ?? []);
  const trail = [
    areaOf(ref.kind),
    ...(section === 'code' || !sections.includes('code') ? [] : [{ name, href: hrefOf(ref) }]),
  ];
  return (
    <View
      title={HEADINGS[section](name)}
      trail={trail}
      actions={found !== undefined && mayChange ? <ModuleActions module={found} /> : undefined}
    >
      <Answer query={query} what={`the ${ref.kind} ${name}`}>
        {(modules) => {
          const module = find(modules);
          if (module === undefined) return <Empty text={`There is no ${ref.kind} ${name}.`} />;
          if (!sections.includes(section)) return <Empty text="You may not see this." />;
          return (
            <>
              <ModuleNote module={module} />
              <nav aria-label={`Sections of ${name}`}>
                <Group gap="md">
                  {sections.map((one) => (
                    <Anchor
                      key={one}
                      component={Link}
                      href={hrefOf(ref, one)}
                      aria-current={one === section ? 'page' : undefined}
                      fw={one === section ? 700 : undefined}
                      underline={one === section ? 'always' : 'hover'}
                    >
                      {SECTIONS[one]}
                    </Anchor>
                  ))}
                </Group>
              </nav>
              {children(module)}
            </>
          );
        }}
      </Answer>
    </View>
  );
}

function ModuleActions({ module: { ref, suspension } }: { readonly module: ListedModule }) {
  const leave = useLeave();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { suspend, resume, remove } = useModuleWrites(ref);
  const name = `the ${ref.kind} ${titleOf(ref)}`;
  const askToSuspend = async () => {
    const isSure = await dialogs.confirm({
      title: `Suspend ${name}?`,
      gone: [
        'every run of it that is under way, at once',
        ref.kind === 'hook'
          ? 'reading and writing of the collections that name it: 503 until it is resumed'
          : 'its answers: 503 until it is resumed',
      ],
      note: 'Code, policy, versions and logs stay. Resume lets it run again.',
      action: 'Suspend',
    });
    if (!isSure) return;
    suspend.mutate(undefined, {
      onSuccess: () => toasts.say(`${titleOf(ref)} is suspended.`),
      onError: toasts.fail,
    });
  };
  const askToRemove = async () => {
    const isSure = await dialogs.confirm({
      title: `Delete ${name}?`,
      gone: [
        ref.kind === 'hook'
          ? 'the hook: collections that name it answer 503'
          : 'its address: requests are answered with 404',
        'its policy: one that is made under this name later has none',
        'its log, and what waits for approval',
      ],
      note: 'Its versions can still be read through the API, and go on when the name comes back.',
      action: 'Delete',
    });
    if (!isSure) return;
    try {
      // The buttons are gone with the module: what follows must not depend on them.
      await remove.mutateAsync();
    } catch (error) {
      return toasts.fail(error);
    }
    toasts.say(`${titleOf(ref)} was deleted.`);
    leave('/');
  };
  return (
    <>
      {suspension === undefined ? (
        <Button variant="default" onClick={() => void askToSuspend()} loading={suspend.isPending}>
          Suspend
        </Button>
      ) : (
        <Button
          onClick={() =>
            resume.mutate(undefined, {
              onSuccess: () => toasts.say(`${titleOf(ref)} runs again.`),
              onError: toasts.fail,
            })
          }
          loading={resume.isPending}
        >
          Resume
        </Button>
      )}
      <Button color="red" variant="outline" onClick={() => void askToRemove()} loading={remove.isPending}>
        Delete
      </Button>
    </>
  );
}
