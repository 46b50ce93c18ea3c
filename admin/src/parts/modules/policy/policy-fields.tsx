// A policy as a form. What is left empty keeps its default.
import {
  Button,
  Fieldset,
  Group,
  NumberInput,
  Radio,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { BcryptGrantFields } from './bcrypt-grant-fields.tsx';
import { limitBound, numberProps } from './bounds.ts';
import { CollectionGrantFields } from './collection-grant-fields.tsx';
import { ConfigGrantField } from './config-grant-field.tsx';
import { FetchGrantFields } from './fetch-grant-fields.tsx';
import { errorAt, type FieldsProps, toNumber, withMember } from './members.ts';
import {
  DEFAULT_LIMITS,
  DEFAULT_REQUEST_HEADERS,
  DEFAULT_RESPONSE_HEADERS,
  LIMITS,
  type LimitName,
  type Policy,
} from './policy.ts';
import { collectionWords, fetchWords } from './words.ts';

const LIMIT_LABELS: Readonly<Record<LimitName, string>> = {
  cpuMs: 'Processor time of one request, ms',
  wallMs: 'Time until the answer, ms',
  heapMb: 'Memory, MB',
  responseBytes: 'Size of an answer, bytes',
  logBytes: 'Log of one request, bytes',
  hostCalls: 'Calls of Model, fetch and bcrypt in one request',
  concurrency: 'Requests at a time',
  perMinute: 'Requests a minute',
};

const ISOLATION_LABELS = [
  { value: 'realm', label: 'realm: a fresh evaluation of the text, globals are frozen (fast)' },
  { value: 'context', label: 'context: globals of its own' },
  { value: 'isolate', label: 'isolate: a heap of its own' },
];

const whenEmpty = (list: readonly string[] | undefined, usual: readonly string[]) =>
  list?.length === 0 ? 'None: the list of the policy is empty' : `When empty: ${usual.join(', ')}`;

interface PolicyFieldsProps extends FieldsProps<Policy> {
  readonly policy: Policy;
}

export function PolicyFields({ policy, bounds, errors, onChange }: PolicyFieldsProps) {
  const { grants = {}, limits = {}, isolation = 'realm', trustDomain = '' } = policy;
  const { collections = [], fetch = [], request = {}, response = {}, bcrypt, config } = grants;
  const setGrants = (next: typeof grants) => onChange({ ...policy, grants: next });
  const others = <T,>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);
  return (
    <Stack>
      {collections.map((grant, index) => (
        <Fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a grant has no other identity
          key={index}
          legend={<span className="wrap">The code may {collectionWords(grant)}</span>}
        >
          <CollectionGrantFields
            number={index + 1}
            place={`grants.collections.${index}`}
            grant={grant}
            bounds={bounds}
            errors={errors}
            onChange={(next) => setGrants({ ...grants, collections: collections.with(index, next) })}
            onRemove={() =>
              setGrants(withMember(grants, 'collections', others(collections.toSpliced(index, 1))))
            }
          />
        </Fieldset>
      ))}
      {fetch.map((grant, index) => (
        <Fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a grant has no other identity
          key={index}
          legend={<span className="wrap">The code may {fetchWords(grant)}</span>}
        >
          <FetchGrantFields
            number={index + 1}
            place={`grants.fetch.${index}`}
            grant={grant}
            bounds={bounds}
            errors={errors}
            onChange={(next) => setGrants({ ...grants, fetch: fetch.with(index, next) })}
            onRemove={() => setGrants(withMember(grants, 'fetch', others(fetch.toSpliced(index, 1))))}
          />
        </Fieldset>
      ))}
      <Group>
        <Button
          variant="default"
          onClick={() =>
            setGrants({ ...grants, collections: [...collections, { name: '', actions: ['find'] }] })
          }
        >
          Add a collection
        </Button>
        <Button
          variant="default"
          disabled={bounds?.grants.fetch.length === 0}
          onClick={() =>
            setGrants({ ...grants, fetch: [...fetch, { origin: '', methods: ['GET'], paths: ['/'] }] })
          }
        >
          Add a service
        </Button>
      </Group>
      {bounds?.grants.fetch.length === 0 && (
        <Text size="sm">The operator of this server lets no code use other services.</Text>
      )}
      <BcryptGrantFields
        grant={bcrypt}
        bounds={bounds}
        errors={errors}
        onChange={(next) => setGrants(withMember(grants, 'bcrypt', next))}
      />
      <ConfigGrantField
        config={config}
        error={errorAt(errors, 'grants.config')}
        onChange={(next) => setGrants(withMember(grants, 'config', next))}
      />
      <Fieldset legend="Headers and bodies">
        <Stack gap="sm">
          <TagsInput
            label="Headers of requests that it sees"
            description={whenEmpty(request.headers, DEFAULT_REQUEST_HEADERS)}
            value={[...(request.headers ?? [])]}
            error={errorAt(errors, 'grants.request.headers')}
            onChange={(names) =>
              setGrants({ ...grants, request: withMember(request, 'headers', others(names)) })
            }
          />
          <NumberInput
            label="Size of a request body, bytes"
            {...numberProps({
              value: request.maxBodyBytes,
              usual: 'as much as the server takes',
              bound: bounds?.grants.request.maxBodyBytes,
              error: errorAt(errors, 'grants.request.maxBodyBytes'),
            })}
            onChange={(value) =>
              setGrants({ ...grants, request: withMember(request, 'maxBodyBytes', toNumber(value)) })
            }
          />
          <TagsInput
            label="Headers of answers that it may set"
            description={whenEmpty(response.headers, DEFAULT_RESPONSE_HEADERS)}
            value={[...(response.headers ?? [])]}
            error={errorAt(errors, 'grants.response.headers')}
            onChange={(names) =>
              setGrants({ ...grants, response: withMember(response, 'headers', others(names)) })
            }
          />
        </Stack>
      </Fieldset>
      <Fieldset legend="At most">
        <Stack gap="sm">
          {LIMITS.map((name) => (
            <NumberInput
              key={name}
              label={LIMIT_LABELS[name]}
              {...numberProps({
                value: limits[name],
                usual: DEFAULT_LIMITS[name],
                bound: bounds === undefined ? undefined : limitBound(bounds, name),
                error: errorAt(errors, `limits.${name}`),
              })}
              onChange={(value) => {
                const next = withMember(limits, name, toNumber(value));
                onChange(withMember(policy, 'limits', Object.keys(next).length === 0 ? undefined : next));
              }}
            />
          ))}
        </Stack>
      </Fieldset>
      <Fieldset legend="What it is kept apart from">
        <Stack gap="sm">
          <Radio.Group
            label="Requests of this code, from each other"
            value={isolation}
            error={errorAt(errors, 'isolation')}
            onChange={(value) => onChange(withMember(policy, 'isolation', value))}
          >
            <Stack gap="xs" mt="xs">
              {ISOLATION_LABELS.map(({ value, label }) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Stack>
          </Radio.Group>
          <TextInput
            label="Trust domain"
            description="Code of two domains never shares a process"
            value={trustDomain}
            error={errorAt(errors, 'trustDomain')}
            onChange={(event) =>
              onChange(withMember(policy, 'trustDomain', event.currentTarget.value || undefined))
            }
          />
        </Stack>
      </Fieldset>
    </Stack>
  );
}
