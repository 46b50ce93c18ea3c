// What an ordinary developer writes in an afternoon: bare Fastify, its multipart plugin, files in a folder. No
// authentication, no record, no dimensions, no flush to the disk. Arguments: folder, port.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import multipart from '@fastify/multipart';
import fastify from 'fastify';

const [folder = '.', port = '0'] = process.argv.slice(2);

const server = fastify();
await server.register(multipart, { limits: { fileSize: 4_294_967_296 } });
server.get('/health', async () => ({ ok: true }));
server.post('/upload', async (request, reply) => {
  const results: object[] = [];
  for await (const part of request.files()) {
    const path = `${randomUUID()}${extname(part.filename)}`;
    await pipeline(part.file, createWriteStream(join(folder, path)));
    results.push({
      fileName: part.filename,
      mimetype: part.mimetype,
      path,
      contentLength: part.file.bytesRead,
    });
  }
  return reply.code(201).send({ results });
});
await server.listen({ host: '127.0.0.1', port: Number(port) });
