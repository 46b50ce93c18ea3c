// An image through an installed server: uploaded, and delivered in the size that the visitor's country decides.

import { blackPng } from '../../test/helpers/fixtures/images.ts';
import { connectClient } from '../../test/helpers/server-process/client.ts';

const VISITOR = { 'x-forwarded-for': '81.2.69.160' };

async function expectSuccess(what: string, answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  throw new Error(`${what} failed: ${answer.status} ${await answer.text()}`);
}

/** The width that the header of a PNG names. */
const widthOf = (png: ArrayBuffer): number => new DataView(png).getUint32(16);

/**
 * Uploads an image and resolves with what became of it: that the threads, the processes, the libraries and the country database
 * of media and delivery were shipped whole. The server must trust one proxy.
 */
export async function imageAnswer(url: string, deliveryUrl: string): Promise<string> {
  const { token } = await connectClient(url);
  const authorization = `Bearer ${token}`;
  const post = async (address: string, document: object) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(document) });
    return expectSuccess(`POST ${new URL(address).pathname}`, answer);
  };
  const settings = { type: 'media', authenticate: ['POST', 'PUT', 'DELETE'] };
  await post(`${url}/1.0/library/pictures/config`, { fields: {}, settings });
  await post(`${deliveryUrl}/api/recipes`, { recipe: 'small', settings: { width: 20, format: 'png' } });
  const branches = [{ condition: { country: 'GB' }, recipe: 'small' }];
  await post(`${deliveryUrl}/api/routes`, { route: 'british', branches });

  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(blackPng(40, 30))], { type: 'image/png' }), 'black.png');
  const upload = await fetch(`${url}/1.0/library/pictures`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
  const { results } = (await (await expectSuccess('the upload', upload)).json()) as {
    results: { path: string; width?: number }[];
  };
  const [record] = results;
  if (record?.width !== 40) throw new Error(`the record of the image says ${JSON.stringify(record)}`);
  const delivered = await fetch(`${deliveryUrl}/british/${record.path}`, { headers: VISITOR });
  const width = widthOf(await (await expectSuccess('the delivery', delivered)).arrayBuffer());
  if (width !== 20) throw new Error(`the delivered image is ${width} pixels wide, not 20`);
  return `an image of ${record.width} pixels delivered with ${width}`;
}
