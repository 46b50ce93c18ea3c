// Ways to records and bytes of files, on both ports, with what each caller must get.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { injectInto } from '../../helpers/app/app.ts';
import { CALLERS, type CallerName } from '../model/callers.ts';
import { read, type Way, write } from './cells.ts';
import type { Site } from './site.ts';

const ownerOf = (caller: CallerName): string => CALLERS[caller].clientId ?? 'nobody';

const OPEN: Way['outcomes'] = [200, 200, 200, 200, 403, 200, 200];
const CLOSED: Way['outcomes'] = [404, 404, 200, 404, 403, 200, 200];

/** The address of the bytes below the library. */
const addressOf = ({ ids }: Site, photo: string) =>
  `/${(ids[`path of ${photo}`] as string).split('/').slice(2).join('/')}`;

const bytes = (photo: string, outcomes: Way['outcomes']): readonly Way[] => [
  read(
    `asks for the record of the ${photo}`,
    outcomes,
    async (send, { ids }) => (await send('GET', `/photos/${ids[photo]}`)).status,
  ),
  read(
    `asks for the bytes of the ${photo} by id`,
    outcomes,
    async (send, { ids }) => (await send('GET', `/photos/${ids[photo]}/file`)).status,
  ),
  read(
    `asks for the bytes of the ${photo} by path`,
    outcomes,
    async (send, site) => (await send('GET', addressOf(site, photo))).status,
  ),
  read(
    `asks for the headers of the bytes of the ${photo}`,
    outcomes,
    async (send, site) => (await send('HEAD', addressOf(site, photo))).status,
  ),
  read(
    `asks for four bytes of the ${photo}`,
    outcomes.map((status) => (status === 200 ? 206 : status)) as unknown as Way['outcomes'],
    async (send, site) =>
      (await send('GET', addressOf(site, photo), undefined, { range: 'bytes=0-3' })).status,
  ),
  read(
    `asks whether the bytes of the ${photo} have changed, with their ETag`,
    outcomes.map((status) => (status === 200 ? 304 : status)) as unknown as Way['outcomes'],
    async (send, site) => {
      const address = addressOf(site, photo);
      const { headers } = await site.as('admin')('GET', address);
      return (await send('GET', address, undefined, { 'if-none-match': String(headers['etag']) })).status;
    },
  ),
];

const delivered = (photo: string, status: number): Way =>
  read(
    `asks the delivery port for the ${photo}`,
    Array.from({ length: 7 }, () => status) as unknown as Way['outcomes'],
    async (_send, site, caller) => {
      const server = await site.app.app.deliveryServer();
      const path = `/${site.ids[`path of ${photo}`]}`;
      return (await injectInto({ server }, { method: 'GET', path }, { token: site.tokens[caller] })).status;
    },
  );

const SIGNED = { fileName: 'a.txt', mimetype: 'text/plain', collection: 'photos' };

/** Signs as the caller and uploads without a token: created, or not at all. */
async function uploadSigned(site: Site, caller: CallerName, owner: string): Promise<unknown> {
  const { status, body } = await site.as(caller)('POST', '/api/media/sign', SIGNED);
  if (status !== 200) return status;
  const uploaded = await site.upload('anonymous', { owner }, body.url);
  return uploaded.status === 201 ? 201 : 'no';
}

export const FILES: readonly Way[] = [
  read(
    'lists photos',
    [
      ['open photo'],
      ['open photo'],
      ['open photo', 'closed photo'],
      ['open photo'],
      403,
      ['open photo', 'closed photo'],
      ['open photo', 'closed photo'],
    ],
    async (send) => {
      const filter = encodeURIComponent('{"caption":{"$in":["open photo","closed photo"]}}');
      const { status, body } = await send('GET', `/photos?filter=${filter}`);
      return status === 200 ? body.results.map(({ caption }: JsonObject) => caption) : status;
    },
  ),
  ...bytes('open photo', OPEN),
  ...bytes('closed photo', CLOSED),
  delivered('open photo', 200),
  delivered('closed photo', 404),
  write(
    'uploads a photo of its own',
    [401, 201, 201, 201, 403, 403, 201],
    async (_send, site, caller) => (await site.upload(caller, { owner: ownerOf(caller) })).status,
  ),
  write(
    'uploads a photo of someone else',
    [401, 403, 201, 403, 403, 403, 201],
    async (_send, site, caller) => {
      const total = async () => (await site.as('admin')('GET', '/photos/count')).body.metadata.totalCount;
      const before = await total();
      const { status } = await site.upload(caller, { owner: 'someone' });
      return (await total()) - before === (status === 201 ? 1 : 0) ? status : 'stored';
    },
  ),
  write(
    'signs an upload, with which a photo of its own is uploaded',
    [401, 201, 201, 201, 403, 403, 201],
    (_send, site, caller) => uploadSigned(site, caller, ownerOf(caller)),
  ),
  write(
    'signs an upload, with which a photo of someone else is uploaded',
    [401, 'no', 201, 'no', 403, 403, 201],
    (_send, site, caller) => uploadSigned(site, caller, 'someone'),
  ),
  write('changes the caption of a photo', [401, 403, 403, 403, 403, 403, 200], async (send, site) => {
    const { body } = await site.upload('admin', { open: 'true' });
    return (await send('PUT', `/photos/${body.results[0]._id}`, { caption: 'x' })).status;
  }),
  write(
    'removes a photo, whose bytes are gone then',
    [401, 403, 204, 403, 403, 403, 204],
    async (send, site) => {
      const { body } = await site.upload('admin', { open: 'true' });
      const [{ _id, path }] = body.results;
      const { status } = await send('DELETE', `/photos/${_id}`);
      const server = await site.app.app.deliveryServer();
      const { status: after } = await injectInto({ server }, { method: 'GET', path: `/${path}` }, {});
      return after === (status === 204 ? 404 : 200) ? status : 'told otherwise';
    },
  ),
];
