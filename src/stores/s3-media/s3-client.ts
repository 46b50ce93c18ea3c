// Creates the S3 client from the settings of a bucket.
import type { S3Client } from '@aws-sdk/client-s3';
import { http, https } from '../../lib/http/node-http.ts';

export type AwsSdk = typeof import('@aws-sdk/client-s3');

/** A block `s3` of the configuration. What it requires is checked there. */
export interface BucketSettings {
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly bucketName?: string | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly forcePathStyle: boolean;
}

/** Region of a service with its own endpoint: most of them have none. */
const DEFAULT_REGION = 'us-east-1';

const CONNECTION_TIMEOUT_MS = 5000;
/** Longest pause on a connection. A slow reader of a file may cause one. */
const SOCKET_TIMEOUT_MS = 120_000;
/** Every read of a file uses one. */
const MAX_SOCKETS = 256;

/** Creates the client. It sends nothing yet. */
export function createS3Client({ S3Client: Client }: AwsSdk, settings: BucketSettings): S3Client {
  const { accessKey = '', secretKey = '', region = DEFAULT_REGION, endpoint, forcePathStyle } = settings;
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  return new Client({
    region,
    forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    // Services other than AWS often know no other checksums than they must.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      httpAgent: new http.Agent(agent),
      httpsAgent: new https.Agent(agent),
    },
  });
}
