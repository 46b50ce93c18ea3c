// The same small handler for three servers: read a JSON body and a query, sort, answer JSON.
export const PATH = '/1.0/ranking?by=score&limit=5';

export const BODY = JSON.stringify({
  items: Array.from({ length: 10 }, (_, n) => ({ id: n, name: `item ${n}`, score: (n * 7919) % 101 })),
});

/** What all three run: `query` and `body` in, a plain value out. */
const RANK = `
function rank(query, body) {
  const by = query.by;
  const ranked = body.items.slice().sort((a, b) => b[by] - a[by]).slice(0, Number(query.limit));
  return { by, total: body.items.length, results: ranked.map(({ id, name, score }) => ({ id, name, score })) };
}
`;

export const ENDPOINT = `${RANK}
module.exports.model = { settings: { authenticate: false } };
module.exports.post = function (req, res) {
  res.json(rank(req.query, req.body));
};
`;

export const WORKER = `${RANK}
export default {
  async fetch(request) {
    const query = Object.fromEntries(new URL(request.url).searchParams);
    return Response.json(rank(query, await request.json()));
  },
};
`;

/** Bare Fastify; the port is its argument. */
export const BARE = `${RANK}
import fastify from 'fastify';
const server = fastify({ logger: false });
server.post('/1.0/ranking', async ({ query, body }) => rank(query, body));
await server.listen({ host: '127.0.0.1', port: Number(process.argv.at(-1)) });
`;
