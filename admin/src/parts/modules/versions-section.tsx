// The versions of an endpoint or hook: who posted which, what is different in each, and the way back to one.
import { Badge, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import type { ModuleVersion } from '../../api/types-modules.ts';
import { CodeEditor } from '../code/code-editor.tsx';
import { type Column, DataTable } from '../data-table.tsx';
import { useDialogs } from '../dialogs.tsx';
import { Answer, Empty } from '../loading.tsx';
import { Time } from '../time.tsx';
import { useToasts } from '../toasts.tsx';
import { EditVersion } from './edit-version.tsx';
import {
  useCodeRights,
  useModule,
  useModuleWrites,
  useVersionPolicy,
  useVersionSource,
  useVersions,
} from './module-queries.ts';
import { type ModuleRef, titleOf } from './module-ref.ts';
import { RefusalText } from './module-state.tsx';
import { withoutCode, writePolicy } from './policy/policy.ts';
import { Saved } from './saved-code.tsx';

const REFUSALS: Column<ModuleVersion> = {
  label: 'Refused',
  cell: ({ refused }) => (refused === undefined ? 'no' : <RefusalText refusal={refused} />),
};

/** What is new in a version: code that an older one has is named by it. */
function partWords({ version, part, sha256 }: ModuleVersion, all: readonly ModuleVersion[]): string {
  if (part === 'policy') return 'Policy';
  const same = all.filter((one) => one.version < version && one.sha256 === sha256);
  const first = same.toSorted((a, b) => a.version - b.version).at(0)?.version;
  return first === undefined ? 'Code' : `The code of version ${first} again`;
}

export function VersionsSection({ of: ref }: { readonly of: ModuleRef }) {
  const query = useVersions(ref);
  return (
    <Answer query={query} what="the versions">
      {(versions) =>
        versions.length === 0 ? (
          <Empty text="There are no versions." />
        ) : (
          <Versions of={ref} versions={versions} />
        )
      }
    </Answer>
  );
}

interface VersionsProps {
  readonly of: ModuleRef;
  readonly versions: readonly ModuleVersion[];
}

function Versions({ of: ref, versions }: VersionsProps) {
  const [search, setSearch] = useSearchParams();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { mayChange } = useCodeRights();
  const { rollBack } = useModuleWrites(ref);
  const waiting = (useModule(ref).data?.pending ?? []).map(({ version }) => version);
  const inForce = versions.find(({ active }) => active)?.sha256;
  const newest = versions.toSorted((a, b) => b.version - a.version);
  // Other code than that in force alone can take its place. What waits, or was refused, has to be approved.
  const canRollBack = ({ version, sha256, active, refused }: ModuleVersion) =>
    !active && sha256 !== inForce && refused === undefined && !waiting.includes(version);
  const show = (version: number, since: number | null) =>
    setSearch({ version: `${version}`, ...(since !== null && { since: `${since}` }) });
  const askToRollBack = async ({ version }: ModuleVersion) => {
    const isSure = await dialogs.confirm({
      title: `Roll ${titleOf(ref)} back to version ${version}?`,
      gone: [],
      note: `The code of version ${version} becomes a new version, in the place of the code in force, which stays among the versions. The policy stays as it is. Where code has to be approved, it waits for approval first.`,
      action: 'Roll back',
    });
    if (!isSure) return;
    rollBack.mutate(version, { onSuccess: ({ message }) => toasts.say(`${message}.`), onError: toasts.fail });
  };
  const columns: readonly Column<ModuleVersion>[] = [
    {
      label: 'Version',
      isName: true,
      cell: ({ version, active }) => (
        <Group gap="xs">
          {version}
          {active && <Badge variant="outline">In force</Badge>}
          {waiting.includes(version) && <Badge variant="outline">Waits for approval</Badge>}
        </Group>
      ),
    },
    { label: 'New', cell: (row) => partWords(row, versions) },
    { label: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      label: 'Who',
      cell: ({ clientId }) => <span className="wrap">{clientId ?? 'a file on the machine'}</span>,
    },
    ...(versions.some(({ refused }) => refused !== undefined) ? [REFUSALS] : []),
    {
      label: 'Hash',
      cell: ({ sha256 }) => (
        <span className="mono" title={sha256}>
          {sha256.slice(0, 12)}
        </span>
      ),
    },
    {
      label: 'Show',
      cell: (row) => (
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`Show version ${row.version}`}
            onClick={() =>
              show(row.version, newest.find(({ version }) => version < row.version)?.version ?? null)
            }
          >
            Show
          </Button>
          {mayChange && row.sha256 !== inForce && <EditVersion of={ref} version={row.version} />}
          {mayChange && canRollBack(row) && (
            <Button
              variant="default"
              size="compact-sm"
              aria-label={`Roll back to version ${row.version}`}
              onClick={() => void askToRollBack(row)}
            >
              Roll back
            </Button>
          )}
        </Group>
      ),
    },
  ];
  const version = Number(search.get('version') ?? newest[0]?.version);
  const since = search.get('since');
  return (
    <Stack>
      {rollBack.data !== undefined && <Saved saved={rollBack.data} />}
      <DataTable caption="Versions" columns={columns} rows={newest} keyOf={(row) => `${row.version}`} />
      <Group>
        <Select
          label="Compare with version"
          placeholder="none"
          clearable
          clearButtonProps={{ 'aria-label': 'Compare with none' }}
          data={newest.filter((one) => one.version !== version).map((one) => `${one.version}`)}
          value={since}
          onChange={(next) => show(version, next === null ? null : Number(next))}
        />
      </Group>
      <VersionCode of={ref} version={version} since={since === null ? undefined : Number(since)} />
      <VersionPolicy of={ref} version={version} />
    </Stack>
  );
}

interface VersionCodeProps {
  readonly of: ModuleRef;
  readonly version: number;
  /** What is different from this version is marked. */
  readonly since: number | undefined;
}

function VersionCode({ of: ref, version, since }: VersionCodeProps) {
  const source = useVersionSource(ref, version);
  const original = useVersionSource(ref, since);
  const label =
    since === undefined ? `Version ${version}` : `Version ${version}, and its changes since version ${since}`;
  return (
    <Answer query={source} what={`version ${version}`}>
      {(text) => {
        if (text === null) return <Text>The code of version {version} is not kept any more.</Text>;
        if (since !== undefined && original.data === undefined && original.error === null) return null;
        return (
          <CodeEditor
            key={`${version}/${since}`}
            label={label}
            language="javascript"
            value={text}
            isReadOnly
            original={since === undefined ? undefined : (original.data ?? undefined)}
          />
        );
      }}
    </Answer>
  );
}

/** The policy that came with a version, or under which it runs: also one that was refused, for who puts it right. */
function VersionPolicy({ of: ref, version }: Pick<VersionCodeProps, 'of' | 'version'>) {
  const policy = useVersionPolicy(ref, version);
  if (policy.data === undefined || policy.data === null) return null;
  return (
    <CodeEditor
      key={version}
      label={`Policy of version ${version}`}
      language="json"
      value={writePolicy(withoutCode(policy.data))}
      isReadOnly
    />
  );
}
