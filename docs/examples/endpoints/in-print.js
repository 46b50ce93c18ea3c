// GET /1.0/in-print: titles from a collection, read with the rights of whoever calls.
const { Model } = require('@dadi/api');

module.exports.get = (req, res, next) => {
  const options = { fields: { title: 1, publicationYear: 1 }, sort: { title: 1 }, limit: 20 };
  Model('books').find({ inPrint: true }, options, (error, found) => {
    if (error) return next(error);
    const titles = found.results.map((book) => `${book.title} (${book.publicationYear})`);
    res.setHeader('Cache-Control', 'max-age=60');
    res.json({ titles, total: found.metadata.totalCount });
  });
};
