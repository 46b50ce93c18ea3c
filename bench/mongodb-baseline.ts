// What an ordinary developer writes in an afternoon: bare Fastify over the driver of MongoDB, exact equality, indexes for
// what is queried, page and total side by side. No authentication, no validation, no cache. Writes wait for the majority
// and its journal and reads see what the majority has, as Cloister's do. Arguments: connection string, port, documents.
import fastify from 'fastify';
import { type Document, MongoClient, ObjectId, ReadConcern } from 'mongodb';
import { book, PEOPLE_COUNT, person } from './documents.ts';

const [uri = '', port = '0', documents = '0'] = process.argv.slice(2);
const PAGE = 40;
const SAMPLE = 1000;
const BATCH = 2000;

const client = new MongoClient(uri, {
  writeConcern: { w: 'majority', journal: true },
  readConcern: new ReadConcern('majority'),
});
await client.connect();
const books = client.db().collection('books');
const people = client.db().collection('people');

const stamp = (document: object): Document => ({
  ...document,
  apiVersion: '1.0',
  createdAt: Date.now(),
  createdBy: 'admin',
  v: 1,
});

async function seed(): Promise<void> {
  await books.createIndex({ title: 1 });
  await books.createIndex({ isbn: 1 }, { unique: true });
  await books.createIndex({ category: 1, pages: 1, _id: 1 });
  const made = await people.insertMany(Array.from({ length: PEOPLE_COUNT }, (_, n) => stamp(person(n))));
  const authorOf = (n: number) => made.insertedIds[n % PEOPLE_COUNT]?.toHexString() ?? '';
  for (let from = 0; from < Number(documents); from += BATCH) {
    const length = Math.min(BATCH, Number(documents) - from);
    await books.insertMany(
      Array.from({ length }, (_, at) => stamp(book(from + at, authorOf(from + at)))),
      { ordered: false },
    );
  }
}

const metadata = (total?: number) => ({ limit: PAGE, page: 1, offset: 0, totalCount: total, fields: {} });

async function compose(results: Document[]): Promise<Document[]> {
  const ids = [...new Set(results.map(({ author }) => author as string))].map((id) => new ObjectId(id));
  const found = await people.find({ _id: { $in: ids } }).toArray();
  const authors = new Map(found.map((author) => [author._id.toHexString(), author]));
  return results.map((result) => ({
    ...result,
    author: authors.get(result['author']),
    composed: { author: result['author'] },
  }));
}

const server = fastify({ logger: false });

server.get('/health', async () => 'ok');

server.get<{ Params: { id: string } }>('/books/:id', async ({ params }, reply) => {
  const found = await books.findOne({ _id: new ObjectId(params.id) });
  if (found === null) return reply.code(404).send({ results: [] });
  return { results: [found], metadata: metadata(1) };
});

server.get<{ Querystring: Record<string, string | undefined> }>('/books', async ({ query }) => {
  const { category, isbn, total, compose: composed } = query;
  if (isbn !== undefined) {
    const results = await books.find({ isbn }).limit(PAGE).toArray();
    return { results, metadata: metadata(results.length) };
  }
  const filter = category === undefined ? {} : { category };
  const sort: Document = category === undefined ? { _id: 1 } : { pages: -1, _id: -1 };
  const [results, totalCount] = await Promise.all([
    books.find(filter).sort(sort).limit(PAGE).toArray(),
    total === undefined ? undefined : books.countDocuments(filter),
  ]);
  return {
    results: composed === undefined ? results : await compose(results),
    metadata: metadata(totalCount),
  };
});

server.get('/sample', async () => ({
  results: await books.aggregate([{ $sample: { size: SAMPLE } }]).toArray(),
}));

server.post('/books', async ({ body }) => {
  const document = stamp(body as object);
  await books.insertOne(document);
  return { results: [document] };
});

if ((await books.estimatedDocumentCount()) === 0) await seed();
await server.listen({ host: '127.0.0.1', port: Number(port) });
