// GET /1.0/years?from=1960: how many books appeared in each year. It says what it takes and answers, for the API description.
module.exports.openapi = {
  GET: {
    summary: 'Books by year',
    description: 'Counts books by the year of their publication. Books **without a year** are left out.',
    parameters: [
      {
        name: 'from',
        in: 'query',
        description: 'The first year',
        schema: { type: 'integer', default: 0 },
        example: 1960,
      },
    ],
    responses: {
      200: {
        description: 'How many books, by year',
        content: {
          'application/json': {
            schema: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
            example: { 1974: 1, 1999: 1 },
          },
        },
      },
    },
  },
};

module.exports.get = async (req, res) => {
  const from = Number(req.query.from ?? 0);
  const { results } = await Model('books').find(
    { publicationYear: { $gte: from } },
    { fields: { publicationYear: 1 } },
  );
  const years = {};
  for (const { publicationYear: year } of results) years[year] = (years[year] ?? 0) + 1;
  res.json(years);
};
