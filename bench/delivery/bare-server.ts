// A bare Fastify that answers with the bytes of one file: read for each request, or kept in memory. Arguments: file, port.
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import fastify from 'fastify';

const [file = '', port = '0'] = process.argv.slice(2);

const bytes = await readFile(file);
const server = fastify();
server.get('/file', (_request, reply) =>
  reply.header('Content-Length', bytes.length).type('image/webp').send(createReadStream(file)),
);
server.get('/memory', (_request, reply) => reply.type('image/webp').send(bytes));
await server.listen({ host: '127.0.0.1', port: Number(port) });
