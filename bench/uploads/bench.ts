// `npm run bench -- --uploads`: a PNG of 200 KB uploaded to a media collection, flushed and not, and to a bare Fastify that writes
// it to a folder, in turns; how long reads of JSON take meanwhile; a gigabyte in one upload.
import { aimOf, megabytes, times, whole } from '../format.ts';
import { cpuRatio, type Load, measure, median, printNoise, runTurn, sendLoad } from '../measure.ts';
import type { RunningServer } from '../servers.ts';
import { uploadLoad } from './form.ts';
import { uploadGigabyte } from './large-upload.ts';
import { BARE_UPLOAD, BOOKS, PICTURES, startBare, startUploads } from './servers.ts';

const CONNECTIONS = 10;
const ROUNDS = 5;
/** Least ratios of uploads a second to those of the bare server, which flushes nothing. */
const AIMS = { cloister: 0.6, 'without media.sync': 0.95 } as const;

interface UploadServers {
  readonly cloister: RunningServer;
  readonly unflushed: RunningServer;
  readonly bare: RunningServer;
}

async function benchPictures({ cloister, unflushed, bare }: UploadServers, seconds: number): Promise<void> {
  const load = await uploadLoad(PICTURES, CONNECTIONS);
  const targets = {
    cloister: { server: cloister, load },
    'without media.sync': { server: unflushed, load },
    bare: { server: bare, load: { ...load, paths: [BARE_UPLOAD] } },
  };
  const measured = await measure(targets, seconds, ROUNDS);
  console.log(`\nA PNG of ${whole(load.bytes / 1000)} KB, ${CONNECTIONS} connections`);
  console.table(
    Object.entries(measured).map(([server, one]) => ({
      server,
      'cpu µs': whole(one.cpu),
      'server MB': megabytes(one.server),
      'all MB': megabytes(one.all),
      '/s': whole(one.perSecond),
      'p50 ms': one.p50,
      'p99 ms': one.p99,
    })),
  );
  for (const [name, aim] of Object.entries(AIMS) as [keyof typeof AIMS, number][]) {
    const speed = measured[name].perSecond / measured.bare.perSecond;
    console.log(
      `${name}: ${times(cpuRatio(measured[name], measured.bare))} by processor time,`,
      `${times(speed)} as many uploads (aim ${aimOf(speed, aim)})`,
    );
  }
  printNoise(Object.values(measured));
}

/** Reads alone, then reads beside uploads, in turn. */
async function benchReads(cloister: RunningServer, seconds: number): Promise<void> {
  const reads: Load = { method: 'GET', paths: [BOOKS], connections: CONNECTIONS };
  const uploads = await uploadLoad(PICTURES, 2);
  await sendLoad(cloister, reads, 1);
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push((await runTurn(cloister, reads, seconds)).p99);
    const [read] = await Promise.all([
      runTurn(cloister, reads, seconds),
      sendLoad(cloister, uploads, seconds),
    ]);
    beside.push(read.p99);
  }
  const [before, during] = [median(alone), median(beside)];
  console.log('\nReads of JSON beside uploads on two connections');
  console.log(`p99 ${before} ms alone, ${during} ms during uploads: ${times(during / before)} (aim ≤ 2)`);
}

/** `seconds` of each turn. */
export async function benchUploads(seconds: number): Promise<void> {
  await using started = new AsyncDisposableStack();
  const stop = (server: RunningServer) => server.stop();
  const cloister = started.adopt(await startUploads(), stop);
  const unflushed = started.adopt(await startUploads({ sync: false }), stop);
  const bare = started.adopt(await startBare(), stop);
  await benchPictures({ cloister, unflushed, bare }, seconds);
  await benchReads(cloister, seconds);
  // On a server of its own: memory that others have left would hide what it takes.
  const fresh = started.adopt(await startUploads(), stop);
  // The first upload starts threads, which the others share.
  await sendLoad(fresh, await uploadLoad(PICTURES, 2), 1);
  const { seconds: took, growth } = await uploadGigabyte(fresh);
  console.log(`\n1 GB in one upload: ${took.toFixed(1)} s, ${megabytes(growth)} MB more memory (aim < 64)`);
}
