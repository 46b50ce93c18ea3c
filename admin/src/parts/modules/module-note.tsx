// The state of an endpoint or hook above its sections: why it is so, what waits, and what was refused.
import { Alert, Anchor, Group, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Time } from '../time.tsx';
import { EditVersion } from './edit-version.tsx';
import { type ListedModule, useCodeRights, useVersions } from './module-queries.ts';
import { apiPathOf } from './module-ref.ts';
import { RefusalText, STATE_MEANINGS, StateBadge, SuspensionText } from './module-state.tsx';
import { partWords, reviewHref, waitingIn } from './review-queries.ts';

export function ModuleNote({ module }: { readonly module: ListedModule }) {
  const { ref, state, suspension, path } = module;
  const { mayChange, mayRead } = useCodeRights();
  const waiting = waitingIn(module);
  return (
    <>
      <Group gap="sm">
        <StateBadge of={module} />
        <Text className="mono wrap">{path}</Text>
        {mayChange && (
          <Anchor
            component={Link}
            href={`~/admin/audit?target=${encodeURIComponent(apiPathOf(ref))}`}
            size="sm"
          >
            What the audit log has of it
          </Anchor>
        )}
      </Group>
      {(state !== 'active' || suspension !== undefined) && (
        <Alert variant="outline" color="red" title={state === 'active' ? 'Suspended' : undefined}>
          {state !== 'active' && <Text>{STATE_MEANINGS[state]}</Text>}
          {suspension !== undefined && <SuspensionText suspension={suspension} />}
        </Alert>
      )}
      {waiting.length > 0 && (
        <Alert variant="outline" title="Waiting for approval">
          <List>
            {waiting.map((one) => (
              <List.Item key={one.version} className="wrap">
                <Anchor component={Link} href={reviewHref(one.ref, one.version)}>
                  Version {one.version}
                </Anchor>
                , {partWords(one).toLowerCase()} by {one.by ?? 'nobody'}, since <Time at={one.at} />
              </List.Item>
            ))}
          </List>
          <Text mt="xs">A reviewer who wrote none of it decides. Nothing of it runs until then.</Text>
        </Alert>
      )}
      {mayRead && <NewestRefusal of={module} />}
    </>
  );
}

/** The newest version, where it was refused: its author has to do something. */
function NewestRefusal({ of: { ref } }: { readonly of: ListedModule }) {
  const { mayChange } = useCodeRights();
  const versions = useVersions(ref).data ?? [];
  const newest = versions.reduce<(typeof versions)[number] | undefined>(
    (found, one) => (found === undefined || one.version > found.version ? one : found),
    undefined,
  );
  if (newest?.refused === undefined) return null;
  const isNewCode = newest.sha256 !== versions.find(({ active }) => active)?.sha256;
  return (
    <Alert variant="outline" color="red" title={`Version ${newest.version} was refused`}>
      <RefusalText refusal={newest.refused} />
      <Text my="xs">Put it right and save it again: it becomes a new version.</Text>
      {mayChange && isNewCode && <EditVersion of={ref} version={newest.version} />}
    </Alert>
  );
}
