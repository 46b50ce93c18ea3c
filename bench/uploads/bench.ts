// `npm run bench -- --uploads`: a PNG of 200 KB uploaded to a media collection and to a bare Fastify that writes it to a
// folder, in turns; how long reads of JSON take meanwhile; a gigabyte in one upload.
import { compare, fire, type Load, median, slice } from '../measure.ts';
import { BARE_UPLOAD, BOOKS, type Contestant, PICTURES, startBare, startCloister } from './contestants.ts';
import { uploadLoad } from './form.ts';
import { uploadGigabyte } from './large-upload.ts';

const CONNECTIONS = 10;
const TURNS = 5;
const MEGABYTE = 1024 * 1024;

const whole = (n: number) => Math.round(n).toLocaleString('en');

async function benchPictures(ours: Contestant, theirs: Contestant, seconds: number): Promise<void> {
  const load = await uploadLoad(PICTURES, CONNECTIONS);
  const bareLoad = { ...load, paths: [BARE_UPLOAD] };
  const result = await compare({ target: ours, load }, { target: theirs, load: bareLoad }, seconds);
  console.log(`\nA PNG of ${whole(load.bytes / 1000)} KB, ${CONNECTIONS} connections`);
  console.table(
    [['cloister', result.ours] as const, ['bare', result.theirs] as const].map(([server, measured]) => ({
      server,
      '/s': whole(measured.perSecond),
      'cpu µs': whole(measured.cpu),
      'p50 ms': measured.p50,
      'p99 ms': measured.p99,
      'rss MB': whole(measured.rss / MEGABYTE),
    })),
  );
  const times = (n: number) => n.toFixed(2);
  console.log(
    `cloister: ${times(result.ratio)}× as many uploads (aim ≥ 0.95), ${times(1 / result.cpuRatio)}× the processor time`,
  );
}

/** Reads alone, then reads beside uploads, in turn. */
async function benchReads(cloister: Contestant, seconds: number): Promise<void> {
  const reads: Load = { method: 'GET', paths: [BOOKS], connections: CONNECTIONS };
  const uploads = await uploadLoad(PICTURES, 2);
  await fire(cloister, reads, 1);
  const alone: number[] = [];
  const beside: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    alone.push((await slice(cloister, reads, seconds)).p99);
    const [read] = await Promise.all([slice(cloister, reads, seconds), fire(cloister, uploads, seconds)]);
    beside.push(read.p99);
  }
  const [before, during] = [median(alone), median(beside)];
  console.log('\nReads of JSON beside uploads on two connections');
  console.log(
    `p99 ${before} ms alone, ${during} ms during uploads: ${(during / before).toFixed(2)}× (aim ≤ 2)`,
  );
}

/** `seconds` of each turn. */
export async function benchUploads(seconds: number): Promise<void> {
  await using started = new AsyncDisposableStack();
  const stop = (server: Contestant) => server.stop();
  const cloister = started.adopt(await startCloister(), stop);
  const bare = started.adopt(await startBare(), stop);
  await benchPictures(cloister, bare, seconds);
  await benchReads(cloister, seconds);
  // On a server of its own: memory that others have left would hide what it takes.
  const fresh = started.adopt(await startCloister(), stop);
  // The first upload starts threads, which the others share.
  await fire(fresh, await uploadLoad(PICTURES, 2), 1);
  const { seconds: took, growth } = await uploadGigabyte(fresh);
  console.log(
    `\n1 GB in one upload: ${took.toFixed(1)} s, ${whole(growth / MEGABYTE)} MB more memory (aim < 64)`,
  );
}
